//! One cell: what its heads do, which movements they follow, and the same of networks with random weights.

use super::displacement::{Displacements, Profile};
use super::error::InspectionError;
use super::layer::HeadView;
use super::observe::observe;
use super::permutation::{statistics, test};
use super::relation::Relation;
use super::signal_by_piece::piece_names;
use super::significance::{Tested, name, permutations};
use config::RunConfig;
use games::GameKind;
use nn::Views;
use records::inspected::{HeadRecord, Occupant};
use streams::stream;
use tch::{Kind, Tensor};
use train::inference::Loaded;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Testing {
    /// A head is named if both p-values are below this.
    pub alpha: f64,
    pub controls: usize,
    /// Whether heads are also tested by piece.
    pub pieces: bool,
    /// Seed of permutations and of random weights.
    pub seed: u64,
}

/// Networks of a run with random weights, through the same code as a cell.
#[derive(Debug, Clone, Default)]
pub struct Controls {
    /// The largest statistic of each, over its heads and over its heads and pieces.
    largest: Vec<f64>,
    largest_of_pieces: Vec<f64>,
    first: Vec<HeadView>,
}

/// The heads of a network and their records.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub heads: Vec<HeadView>,
    pub records: Vec<HeadRecord>,
    /// The same of a network with random weights; empty without controls.
    pub control: Vec<HeadRecord>,
    /// The heads for pairs of squares with a certain piece.
    pub pieces: Vec<HeadRecord>,
    /// The same of the network with random weights.
    pub pieces_control: Vec<HeadRecord>,
    /// Permutations of each test of a head, at most.
    pub permutations: usize,
}

/// The heads of a network on packed rows `[b,row]`; `by_piece`: also by piece; `keeps`: with the maps of each position.
pub fn heads(cell: Loaded, packed: &Tensor, by_piece: bool, keeps: bool) -> Result<Vec<HeadView>, InspectionError> {
    let board = Displacements::of(cell.config.game.geometry());
    let views = Views::split_in(cell.layout(), &cell.arena.flat(), Kind::Float);
    let pieces = piece_names(cell.config.game, cell.config.input.frame());
    let layers = observe(cell.network, &views, packed, cell.config.plies(), by_piece.then_some(pieces.len()), keeps)?;
    let mut heads = Vec::new();
    for layer in layers {
        heads.extend(layer.heads(&board, &pieces)?);
    }
    Ok(heads)
}

impl Controls {
    /// Draws the networks and observes them on the same positions as the cell.
    pub fn draw(config: &RunConfig, packed: &Tensor, testing: Testing) -> Result<Self, InspectionError> {
        let board = Displacements::of(config.game.geometry());
        let relations = Relation::of(config.game);
        let mut controls = Self::default();
        for number in 0..testing.controls {
            let seed = streams::bits(&mut stream(testing.seed, &["inspect", "control", &number.to_string()]));
            let heads = heads(Loaded::random(config.clone(), seed, packed.device())?, packed, testing.pieces, false)?;
            let largest = |profiles: &[Profile]| {
                let all = profiles.iter().flat_map(|profile| statistics(&board, profile, relations));
                all.map(f64::abs).fold(0.0, f64::max)
            };
            let of_heads: Vec<Profile> = heads.iter().map(|head| board.profile(&head.mean)).collect();
            let of_pieces = heads.iter().flat_map(|head| &head.by_piece).map(|(_, profile)| profile.clone());
            controls.largest.push(largest(&of_heads));
            controls.largest_of_pieces.push(largest(&of_pieces.collect::<Vec<_>>()));
            if number == 0 {
                controls.first = heads;
            }
        }
        Ok(controls)
    }
}

impl Analysis {
    /// Tests the heads of a cell against permutations and controls.
    pub fn of(game: GameKind, heads: Vec<HeadView>, controls: &Controls, testing: Testing) -> Self {
        let board = Displacements::of(game.geometry());
        let family = Family { game, board: &board, testing };
        // The first control is compared with the others.
        let others = |largest: &[f64]| largest.get(1..).unwrap_or_default().to_vec();
        Self {
            records: family.heads(&heads, &controls.largest),
            control: family.heads(&controls.first, &others(&controls.largest)),
            pieces: family.pieces(&heads, &controls.largest_of_pieces),
            pieces_control: family.pieces(&controls.first, &others(&controls.largest_of_pieces)),
            permutations: permutations(heads.len(), testing.alpha),
            heads,
        }
    }

    /// The layers with attention, in order.
    pub fn layers(&self) -> Vec<usize> {
        let mut layers: Vec<usize> = self.heads.iter().map(|head| head.layer).collect();
        layers.dedup();
        layers
    }
}

/// The subject of a test: a head, or a head on squares with a certain piece.
struct Subject<'a> {
    head: &'a HeadView,
    occupant: Option<Occupant>,
    profile: Profile,
}

/// Subjects that are corrected for together.
struct Family<'a> {
    game: GameKind,
    board: &'a Displacements,
    testing: Testing,
}

impl Family<'_> {
    fn heads(&self, heads: &[HeadView], controls: &[f64]) -> Vec<HeadRecord> {
        let subject = |head| Subject { head, occupant: None, profile: self.board.profile(&head.mean) };
        self.name(heads.iter().map(subject).collect(), controls)
    }

    fn pieces(&self, heads: &[HeadView], controls: &[f64]) -> Vec<HeadRecord> {
        let pieces = heads.iter().flat_map(|head| head.by_piece.iter().map(move |of_piece| (head, of_piece)));
        let subjects = pieces.map(|(head, (occupant, profile))| Subject {
            head,
            occupant: Some(occupant.clone()),
            profile: profile.clone(),
        });
        self.name(subjects.collect(), controls)
    }

    fn name(&self, subjects: Vec<Subject<'_>>, controls: &[f64]) -> Vec<HeadRecord> {
        let permutations = permutations(subjects.len(), self.testing.alpha);
        let tested: Vec<Tested> = subjects.into_iter().map(|subject| self.test(subject, permutations)).collect();
        name(&tested, self.testing.alpha, controls)
    }

    fn test(&self, subject: Subject<'_>, permutations: usize) -> Tested {
        let Subject { head, occupant, profile } = subject;
        let numbers = [head.layer, head.head].map(|number| number.to_string());
        let piece = occupant.as_ref().map(Occupant::name);
        let purpose: Vec<&str> =
            ["inspect", "permutations", &numbers[0], &numbers[1]].into_iter().chain(piece.as_deref()).collect();
        let draws = &mut stream(self.testing.seed, &purpose);
        let test = test(self.board, &profile, Relation::of(self.game), permutations, draws);
        Tested { layer: head.layer, head: head.head, signal: head.signal, occupant, profile, test }
    }
}
