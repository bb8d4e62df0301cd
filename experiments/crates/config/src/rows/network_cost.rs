//! The parameters, the cost and the position sources of a run's network.

use crate::settings::run::RunConfig;
use encodings::EncodingConfig;
use facts::{Mask, NetworkFacts, Quantity};
use models::{GameSpec, Macs, ModelConfig, ModelError, Network};
use nn::{Layout, Part};
use serde::Serialize;

/// A network's size and cost, counted from declared shapes; no tensor is made.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkCost {
    /// Its parameters by part, and its position sources.
    pub facts: NetworkFacts,
    /// Its parameters and multiplications by module, in the order of their declaration.
    pub parts: Vec<PartCost>,
    /// Multiplications of a forward pass for one position.
    pub macs: Macs,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PartCost {
    /// What its parameters' names begin with: `embedding`, `body`, `encoding` or a head's scope.
    pub name: String,
    pub parameters: usize,
    /// Multiplications of a forward pass for one position.
    pub macs: u64,
}

impl PartCost {
    fn all(layout: &Layout, macs: &Macs) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for param in layout.params() {
            let name = param.name.split('.').next().unwrap_or_default();
            let trained = if param.part == Part::Statistic { 0 } else { param.len() };
            match parts.iter_mut().find(|part| part.name == name) {
                Some(part) => part.parameters += trained,
                None => {
                    let macs = match name {
                        "embedding" => macs.embedding,
                        "body" => macs.trunk - macs.embedding,
                        "encoding" => macs.encoding,
                        head => macs.of_head(head),
                    };
                    parts.push(Self { name: name.to_owned(), parameters: trained, macs });
                }
            }
        }
        parts
    }
}

impl NetworkCost {
    pub fn of(run: &RunConfig) -> Result<Self, ModelError> {
        let mut cost = Self::of_network(&run.model, &run.encoding, &run.spec())?;
        let of_mask = match run.acting_mask() {
            Mask::Train => Some("legal-move mask in training"),
            Mask::Eval => Some("legal-move mask in evaluation (metrics have it, the network does not)"),
            Mask::None => None,
        };
        cost.facts.position_sources.extend(of_mask.map(str::to_owned));
        Ok(cost)
    }

    /// How much of a quantity it has; none for step times, which are measured.
    pub(crate) fn amount(&self, quantity: Quantity) -> Option<u64> {
        match quantity {
            Quantity::Params => Some(self.facts.parameters() as u64),
            Quantity::Flops => Some(self.macs.flops()),
            Quantity::StepTime => None,
        }
    }

    pub fn of_network(model: &ModelConfig, encoding: &[EncodingConfig], spec: &GameSpec) -> Result<Self, ModelError> {
        let (network, layout) = Network::declare(model, encoding, spec)?;
        let macs = network.macs();
        Ok(Self {
            facts: NetworkFacts {
                trunk: layout.count(Part::Trunk),
                heads: layout.count(Part::Head),
                encoding: layout.count(Part::Encoding),
                injection_points: network.injection_points().to_string(),
                position_sources: network.position_sources().into_iter().map(str::to_owned).collect(),
            },
            parts: PartCost::all(&layout, &macs),
            macs,
        })
    }
}
