//! What a run's network looks like from outside: parameters, cost, and every place where position gets in.

use super::run::{Mask, RunConfig};
use models::{Macs, ModelError, Network};
use nn::Part;

/// A network's size and cost, counted from declared shapes; no tensor is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Trained numbers of the input embedding and the body.
    pub trunk: usize,
    /// Trained numbers of the position encodings.
    pub encoding: usize,
    /// Trained numbers of the heads.
    pub heads: usize,
    /// Multiplications of a forward pass for one position.
    pub macs: Macs,
    /// The seams that the encodings touch, joined by `+`.
    pub seams: String,
    /// What else tells the network about squares.
    pub position_sources: Vec<String>,
}

impl Shape {
    /// The shape of a run's network.
    ///
    /// # Errors
    /// If model, encodings and input do not fit each other.
    pub fn of(run: &RunConfig) -> Result<Self, ModelError> {
        let (network, layout) = Network::declare(&run.model, &run.encoding, &run.spec())?;
        let mut sources: Vec<String> = network.position_sources().into_iter().map(str::to_owned).collect();
        if run.train.mask == Mask::Train {
            sources.push("legal-move mask in training".to_owned());
        }
        Ok(Self {
            trunk: layout.count(Part::Trunk),
            encoding: layout.count(Part::Encoding),
            heads: layout.count(Part::Head),
            macs: network.macs(),
            seams: network.seams().to_string(),
            position_sources: sources,
        })
    }

    /// All trained numbers.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.trunk + self.encoding + self.heads
    }
}
