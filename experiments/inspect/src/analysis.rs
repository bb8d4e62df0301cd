//! One cell: what its heads do, which movements they follow, and the same of networks with random weights.

use super::displacement::Displacements;
use super::error::InspectionError;
use super::layer::HeadView;
use super::naming::{Tested, name, permutations};
use super::observe::observe;
use super::permutation::{statistics, test};
use super::relation::Relation;
use games::GameKind;
use nn::Views;
use records::inspected::HeadRecord;
use spec::RunConfig;
use streams::stream;
use tch::{Kind, Tensor};
use train::inspect::Loaded;

/// How heads are tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Testing {
    /// A head is named if both p-values are below this.
    pub alpha: f64,
    /// Networks with random weights.
    pub controls: usize,
    /// Seed of permutations and of random weights.
    pub seed: u64,
}

impl Default for Testing {
    fn default() -> Self {
        Self { alpha: 0.01, controls: 120, seed: 0 }
    }
}

/// Networks of a run with random weights, through the same code as a cell.
#[derive(Debug, Clone, Default)]
pub struct Controls {
    /// The largest statistic of each.
    largest: Vec<f64>,
    /// The heads of the first.
    first: Vec<HeadView>,
}

/// The heads of a network and their records.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// What the heads do.
    pub heads: Vec<HeadView>,
    /// Which movements they follow.
    pub records: Vec<HeadRecord>,
    /// The same of a network with random weights; empty without controls.
    pub control: Vec<HeadRecord>,
    /// Permutations of each test.
    pub permutations: usize,
}

/// The heads of a network on packed rows `[b,row]`.
///
/// # Errors
/// If LibTorch fails.
pub fn heads(cell: Loaded, packed: &Tensor) -> Result<Vec<HeadView>, InspectionError> {
    let board = Displacements::of(cell.config.game.geometry());
    let views = Views::split_in(cell.layout(), &cell.arena.flat(), Kind::Float);
    let layers = observe(cell.network, &views, packed, cell.config.plies())?;
    let mut heads = Vec::new();
    for layer in layers {
        heads.extend(layer.heads(&board)?);
    }
    Ok(heads)
}

impl Controls {
    /// Draws the networks and observes them on the same positions as the cell.
    ///
    /// # Errors
    /// If LibTorch fails.
    pub fn draw(config: &RunConfig, packed: &Tensor, testing: Testing) -> Result<Self, InspectionError> {
        let board = Displacements::of(config.game.geometry());
        let relations = Relation::of(config.game);
        let mut controls = Self::default();
        for number in 0..testing.controls {
            let seed = streams::bits(&mut stream(testing.seed, &["inspect", "control", &number.to_string()]));
            let heads = heads(Loaded::random(config.clone(), seed, packed.device())?, packed)?;
            let of_head = |head: &HeadView| statistics(&board, &board.profile(&head.mean), relations);
            let largest = heads.iter().flat_map(of_head).map(f64::abs).fold(0.0, f64::max);
            controls.largest.push(largest);
            if number == 0 {
                controls.first = heads;
            }
        }
        Ok(controls)
    }
}

impl Analysis {
    /// Tests the heads of a cell against permutations and controls.
    #[must_use]
    pub fn of(game: GameKind, heads: Vec<HeadView>, controls: &Controls, testing: Testing) -> Self {
        let permutations = permutations(heads.len(), testing.alpha);
        let tested = |heads: &[HeadView]| test_all(game, heads, permutations, testing.seed);
        let records = name(&tested(&heads), testing.alpha, &controls.largest);
        // The first control is compared with the others.
        let others = controls.largest.get(1..).unwrap_or_default();
        let control = name(&tested(&controls.first), testing.alpha, others);
        Self { heads, records, control, permutations }
    }
}

fn test_all(game: GameKind, heads: &[HeadView], permutations: usize, seed: u64) -> Vec<Tested> {
    let (board, relations) = (Displacements::of(game.geometry()), Relation::of(game));
    let tested = |head: &HeadView| {
        let profile = board.profile(&head.mean);
        let purpose = ["inspect", "permutations", &head.layer.to_string(), &head.head.to_string()];
        let test = test(&board, &profile, relations, permutations, &mut stream(seed, &purpose));
        Tested { layer: head.layer, head: head.head, signal: head.signal, profile, test }
    };
    heads.iter().map(tested).collect()
}
