//! Ablation of parts of the encodings: the primary metric on the test positions without each, or, if that is not measured by
//! position, another one in its place.

use super::ablated::{Ablation, Change, ablated};
use super::analysis::Analysis;
use super::error::InspectionError;
use dataset::Split;
use encodings::InjectionPoints;
use nn::Views;
use records::plan::Plan;
use records::positions::{MEASURES, PositionMetrics};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use streams::{Stream, below, stream};
use tch::Device;
use train::Setup;
use train::evaluate::evaluate;
use train::inference::Loaded;
use train::setup::declare;

const DRAWS: usize = 2_000;

/// The points of a layer's encodings that act head by head.
const OF_HEADS: [InjectionPoints; 3] = [InjectionPoints::ROTATE, InjectionPoints::LOGITS, InjectionPoints::VALUES];

/// The removed part, and the loss of quality.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// In words: `logits`, `layer 1`, `layer 1 head 2`, `layer 1 head 2 transposed`.
    pub part: String,
    /// The layer; none for all.
    pub layer: Option<usize>,
    /// The head; none for all.
    pub head: Option<usize>,
    /// Whether the part is transposed; otherwise it is removed.
    pub transposed: bool,
    /// The metric without the part.
    pub without: f64,
    /// The change of the metric, without the part less with it.
    pub difference: f64,
    /// Its 95 % interval over games.
    pub interval: [f64; 2],
}

/// The costs of the parts of a cell's encodings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Costs {
    /// The metric: a mean over test positions, of a map over their labelled cells.
    pub metric: String,
    /// The experiment's primary metric, if it is another one: it is not measured by position.
    pub primary: Option<String>,
    /// Test positions that have the metric.
    pub positions: usize,
    pub games: usize,
    /// The metric of the whole network.
    pub whole: f64,
    pub parts: Vec<Cost>,
}

impl Costs {
    /// The metric, and the one whose place it takes.
    pub fn measured(&self) -> String {
        match &self.primary {
            Some(primary) => format!("{} (in place of {primary}, which is not measured by position)", self.metric),
            None => self.metric.clone(),
        }
    }
}

/// Evaluates a cell without each part of its encodings.
pub fn ablate(dir: &Path, cell: &Loaded, analysis: &Analysis, seed: u64) -> Result<Costs, InspectionError> {
    let device: Device = cell.arena.device();
    let mut setup = Setup::load(dir, device, 1, false)?;
    let views = Views::split_in(cell.layout(), &cell.arena.flat(), cell.kind);
    let positions = setup.config.eval.test_positions;
    let whole = evaluate(setup.subject(), &views, Split::Test, positions)?.positions;
    let plan = dir.parent().and_then(Path::parent).and_then(|run_dir| Plan::read(run_dir).ok());
    let primary = plan.map(|plan| plan.primary.metric);
    let measure = measure(primary.as_deref().unwrap_or_default(), &whole);
    let games = Games::of(&whole, measure);
    let of_whole = games.sums(&whole, measure);
    let points = cell.network.injection_points();
    let mut parts = Vec::new();
    for ablation in ablations(points, analysis) {
        let (network, _) = declare(&setup.config)?;
        let tokens = network.tokens().clone();
        setup.network = network.with_encodings(|stack| ablated(stack, ablation, &tokens));
        let without = evaluate(setup.subject(), &views, Split::Test, positions)?.positions;
        let without = games.sums(&without, measure);
        let differences: Vec<f64> = without.iter().zip(&of_whole).map(|(without, whole)| without - whole).collect();
        let mut draws = stream(seed, &["inspect", "bootstrap"]);
        let difference = games.mean(&differences);
        parts.push(Cost {
            part: part(ablation),
            layer: ablation.layer,
            head: ablation.head,
            transposed: ablation.change == Change::Transposed,
            without: games.mean(&without),
            difference,
            interval: games.interval(&differences, &mut draws),
        });
    }
    Ok(Costs {
        metric: MEASURES[measure].to_owned(),
        primary: primary.filter(|name| name != MEASURES[measure]),
        positions: games.weights.iter().filter(|&&weight| weight > 0.0).count(),
        games: games.totals.len(),
        whole: games.mean(&of_whole),
        parts,
    })
}

/// The place of the primary metric, without its bucket, among the stored ones; of the first stored one if it is none of them.
fn measure(primary: &str, positions: &[PositionMetrics]) -> usize {
    let base = primary.split('.').next().unwrap_or_default();
    let is_measured = |&place: &usize| positions.iter().any(|position| position.values[place].is_some());
    let primary = MEASURES.iter().position(|&name| name == base).filter(is_measured);
    primary.or_else(|| (0..MEASURES.len()).find(is_measured)).unwrap_or_default()
}

/// Each injection point, each layer, each head, and each head transposed.
fn ablations(points: InjectionPoints, analysis: &Analysis) -> Vec<Ablation> {
    let removed = |points, layer, head| Ablation { points, layer, head, change: Change::Removed };
    let all = [InjectionPoints::EMBED, InjectionPoints::ATTEND].into_iter().chain(OF_HEADS);
    let mut found: Vec<Ablation> =
        all.filter(|&point| points.contains(point)).map(|point| removed(point, None, None)).collect();
    let in_layers = OF_HEADS.into_iter().chain([InjectionPoints::ATTEND]).filter(|&point| points.contains(point));
    let in_layers = in_layers.fold(InjectionPoints::NONE, |all, point| all | point);
    let of_heads = OF_HEADS.into_iter().filter(|&point| points.contains(point));
    let of_heads = of_heads.fold(InjectionPoints::NONE, |all, point| all | point);
    if in_layers != InjectionPoints::NONE {
        found.extend(analysis.layers().into_iter().map(|layer| removed(in_layers, Some(layer), None)));
    }
    if of_heads != InjectionPoints::NONE {
        let heads = || analysis.heads.iter().map(|head| removed(of_heads, Some(head.layer), Some(head.head)));
        found.extend(heads());
        found.extend(heads().map(|ablation| Ablation { change: Change::Transposed, ..ablation }));
    }
    found
}

fn part(ablation: Ablation) -> String {
    let end = if ablation.change == Change::Transposed { " transposed" } else { "" };
    match (ablation.layer, ablation.head) {
        (None, _) => ablation.points.to_string(),
        (Some(layer), None) => format!("layer {layer}"),
        (Some(layer), Some(head)) => format!("layer {layer} head {head}{end}"),
    }
}

struct Games {
    /// The game of each position.
    places: Vec<usize>,
    /// The weight of each position in means: 0 without the metric.
    weights: Vec<f64>,
    /// The sum of these weights over each game.
    totals: Vec<f64>,
}

impl Games {
    fn of(positions: &[PositionMetrics], measure: usize) -> Self {
        let mut known = BTreeMap::new();
        let mut totals: Vec<f64> = Vec::new();
        let weight = |position: &PositionMetrics| position.values[measure].map_or(0.0, |_| position.weight(measure));
        let weights: Vec<f64> = positions.iter().map(weight).collect();
        let mut place = |(position, weight): (&PositionMetrics, &f64)| {
            let place = *known.entry(position.game).or_insert_with(|| {
                totals.push(0.0);
                totals.len() - 1
            });
            totals[place] += weight;
            place
        };
        let places = positions.iter().zip(&weights).map(&mut place).collect();
        Self { places, weights, totals }
    }

    /// The weighted sum of a metric over each game.
    fn sums(&self, positions: &[PositionMetrics], measure: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.totals.len()];
        for ((position, &place), weight) in positions.iter().zip(&self.places).zip(&self.weights) {
            sums[place] += weight * f64::from(position.values[measure].unwrap_or_default());
        }
        sums
    }

    fn mean(&self, sums: &[f64]) -> f64 {
        sums.iter().sum::<f64>() / self.totals.iter().sum::<f64>()
    }

    /// The percentile interval of the mean over games drawn with replacement.
    fn interval(&self, sums: &[f64], draws: &mut Stream) -> [f64; 2] {
        const TAIL: f64 = 0.025;
        let games = self.totals.len();
        let mut mean = || {
            let drawn = (0..games).map(|_| below(draws, games as u64) as usize);
            let (sum, total) =
                drawn.fold((0.0, 0.0), |(sum, total), game| (sum + sums[game], total + self.totals[game]));
            if total > 0.0 { sum / total } else { 0.0 }
        };
        let mut means: Vec<f64> = (0..DRAWS).map(|_| mean()).collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[((DRAWS - 1) as f64 * share).round() as usize];
        [at(TAIL), at(1.0 - TAIL)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(game: u32, map_cells: Option<u32>, values: [Option<f32>; MEASURES.len()]) -> PositionMetrics {
        PositionMetrics { game, ply: 0, novel: true, map_cells, values }
    }

    #[test]
    fn an_interval_draws_games_and_not_positions() {
        let positions = |values: &[f32]| -> Vec<PositionMetrics> {
            let all = values.iter().enumerate();
            all.map(|(i, &value)| position((i / 2) as u32, None, MEASURES.map(|_| Some(value)))).collect()
        };
        let positions = positions(&[1.0, 1.0, 3.0, 3.0, 1.0, 1.0, 3.0, 3.0]);
        let games = Games::of(&positions, 0);
        let sums = games.sums(&positions, 0);
        assert_eq!((games.totals.len(), games.mean(&sums)), (4, 2.0));
        let interval = games.interval(&sums, &mut stream(1, &["test"]));
        // Of four games, all four are alike in one draw of eight.
        assert_eq!(interval, [1.0, 3.0]);
        assert_eq!(games.interval(&[0.0; 4], &mut stream(1, &["test"])), [0.0, 0.0]);
    }

    #[test]
    fn a_map_weighs_positions_by_their_labelled_cells() {
        let loss = |value: Option<f32>| MEASURES.map(|name| value.filter(|_| name == "map_loss"));
        let positions = [
            position(0, Some(1), loss(Some(4.0))),
            position(0, Some(3), loss(Some(0.0))),
            position(1, Some(4), loss(Some(2.0))),
            position(2, None, loss(None)),
        ];
        let measure = measure("map_loss", &positions);
        let games = Games::of(&positions, measure);
        let sums = games.sums(&positions, measure);
        assert_eq!((&sums[..], &games.totals[..]), (&[4.0, 8.0, 0.0][..], &[4.0, 4.0, 0.0][..]));
        assert_eq!(games.mean(&sums), 1.5);
    }

    #[test]
    fn the_metric_in_place_of_a_primary_one_is_named() {
        let positions = [position(0, None, [Some(1.0), Some(0.5), None, None, None])];
        let named = |primary: &str| MEASURES[measure(primary, &positions)];
        assert_eq!(named("policy_accuracy.endgame"), "policy_accuracy");
        assert_eq!([named("value_loss"), named("")], ["policy_loss"; 2]);
        let costs = |primary: Option<&str>| Costs {
            metric: "policy_loss".to_owned(),
            primary: primary.map(str::to_owned),
            positions: 1,
            games: 1,
            whole: 1.0,
            parts: Vec::new(),
        };
        assert_eq!(costs(None).measured(), "policy_loss");
        let text = "policy_loss (in place of policy_loss.endgame, which is not measured by position)";
        assert_eq!(costs(Some("policy_loss.endgame")).measured(), text);
    }
}
