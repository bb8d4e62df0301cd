//! The refinement pass: its candidates, its tokens, its loss, and that both passes learn.

use crate::cls_network::{PAIRS, packed_position};
use crate::common::learning::{constant, minimise, nadam};
use crate::common::sums::{Sum, policy_cross_entropy};
use crate::common::*;
use games::{GameKind, InputName, MovesName, Position};
use models::loss::{self, PolicyTargets, RefinedTargets};
use models::{ChessformerConfig, GameSpec, MoveContext, Network, Output, Refined};
use nn::Views;
use tch::{Device, Kind, Tensor};

const SMALL: &str = r#""layers": 1, "width": 16, "heads": 2, "ff": 16, "outputs": {"policy": {}}, "refinement": {}"#;

fn config(rest: &str) -> ChessformerConfig {
    read(&format!("{{{SMALL}{rest}}}"))
}

/// Networks that look twice: with and without a summary token, over a list and over pairs of squares, on both boards.
fn networks() -> Vec<(ChessformerConfig, GameSpec)> {
    let parts = config(r#", "embedding": {"parts": {}}"#);
    vec![
        (parts, spec_of(GameKind::Chess, InputName::ClsTokens, MovesName::Uci1968Dm)),
        (config(""), spec_of(GameKind::Chess, InputName::ClsTokensWhite, MovesName::Uci1968Sid)),
        (config(""), spec_of(GameKind::Shogi, InputName::PieceTokensAux, MovesName::FromTo)),
    ]
}

/// A few legal moves a row, the same ones every time, the last row having only two; and no repetitions.
fn legal(rows: i64, moves: usize) -> [Tensor; 2] {
    let legal = Tensor::zeros([rows, moves as i64], (Kind::Bool, Device::Cpu));
    for row in 0..rows {
        let count = if row + 1 == rows { 2 } else { 12 };
        for i in 0..count {
            let index = i64::from(mixed((row * 31 + i) as u64)) % moves as i64;
            let _set = legal.select(0, row).select(0, index).fill_(1);
        }
    }
    let repeats = legal.zeros_like().to_kind(Kind::Int64);
    [legal, repeats]
}

fn answer(network: &Network, views: &Views, rows: &Tensor, legal: &Tensor, repeats: &Tensor) -> Output {
    network.answer(views, rows, Some(MoveContext { legal_bv: legal, repeats_bv: repeats }))
}

fn second(output: &Output) -> Refined {
    Refined::of(output).expect("a refinement pass")
}

fn indices(tensor: &Tensor) -> Vec<i64> {
    Vec::try_from(tensor.flatten(0, -1).to_kind(Kind::Int64)).expect("numbers")
}

#[test]
fn the_candidates_are_the_likeliest_legal_moves() {
    for (config, spec) in networks() {
        let (network, layout) = declare(&config, &none(), &spec);
        let (views, rows) = (stirred(&layout).frozen_views(), packed(&spec, 4));
        let [legal, repeats] = legal(4, spec.moves.len());
        let output = answer(&network, &views, &rows, &legal, &repeats);
        let refined = second(&output);
        let (moves, present) = (indices(&refined.moves_bk), indices(&refined.present_bk));
        for row in 0..4usize {
            let logits = numbers(&policy_of(&output).select(0, row as i64));
            let allowed = indices(&legal.select(0, row as i64));
            let mut ranked: Vec<usize> = (0..logits.len()).filter(|&i| allowed[i] == 1).collect();
            ranked.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
            let own = &moves[3 * row..3 * row + 3];
            for (place, &best) in ranked.iter().take(3).enumerate() {
                assert_eq!((own[place], present[3 * row + place]), (best as i64, 1));
            }
            assert_eq!(present[3 * row..3 * row + 3].iter().sum::<i64>(), ranked.len().min(3) as i64);
        }
        // A move that is not legal is never chosen, not even a little.
        let shares = refined.logits_bk.softmax(-1, Kind::Float);
        let missing = numbers(&shares.masked_select(&refined.present_bk.logical_not()));
        assert_eq!(missing, [0.0], "the last row has two legal moves");
        assert!(numbers(&refined.chosen()).len() == 4);
        // Without a word about the moves it looks at all of them.
        let all = second(&network.forward(&views, &rows));
        assert!(indices(&all.present_bk).into_iter().all(|present| present == 1));
        assert_same_bits(policy_of(&network.forward(&views, &rows)), policy_of(&output), "the first pass");
    }
}

/// The second pass by itself: a network whose tokens of refinement are set by hand to what the text's formula gives.
#[test]
fn a_candidates_token_is_the_sum_that_the_text_gives() {
    for (config, spec) in networks() {
        let (network, layout) = declare(&config, &none(), &spec);
        let arena = stirred(&layout);
        let rows = packed(&spec, 2);
        let legal = legal(3, spec.moves.len())[0].narrow(0, 0, 2);
        let repeats = (&legal * 2).to_kind(Kind::Int64);
        let found = second(&answer(&network, &arena.frozen_views(), &rows, &legal, &repeats));
        let weights = Weights::of(&arena);
        let own_table = weights.has("refinement.repetition");
        assert_eq!(own_table, !weights.has("embedding.repetition"), "one table of repetitions");
        let repetition = weights.rows(if own_table { "refinement.repetition" } else { "embedding.repetition" });
        let (moves, ranks) = (weights.rows("refinement.moves"), weights.rows("refinement.rank"));
        let scaling = weights.vector("refinement.scaling");
        let logits = loss::policy_log_probs(policy_of(&network.forward(&arena.frozen_views(), &rows)), Some(&legal));
        for row in 0..2i64 {
            // The same numbers in a network whose three moves all are "no move", one row for each place: the candidates'
            // tokens go where the first pass has its own.
            let candidates = indices(&found.moves_bk.select(0, row));
            let probability = |index: i64| logits.double_value(&[row, index]).exp();
            let token = |place: usize| -> Vec<f64> {
                let (index, rank) = (candidates[place], &ranks[place]);
                let (mv, probability) = (&moves[index as usize], probability(index));
                (0..16).map(|i| mv[i] + repetition[2][i] + probability * scaling[i] + rank[i]).collect()
            };
            let tokens: Vec<Vec<f64>> = (0..3).map(token).collect();
            let expected = with_tokens(&config, &spec, &arena, &rows.narrow(0, row, 1), &tokens);
            assert_near(&numbers(&found.logits_bk.select(0, row)), &expected, 1e-4, "the choice");
        }
    }
}

/// What the head for the choice says of a first pass whose tokens of no move are these: `no move` and the ranks' places are
/// told apart by an absolute encoding that adds them.
fn with_tokens(
    config: &ChessformerConfig,
    spec: &GameSpec,
    arena: &nn::Arena,
    row: &Tensor,
    tokens: &[Vec<f64>],
) -> Vec<f64> {
    let stack = [encoding(r#"{"absolute": {"at": "input"}}"#)];
    let (network, layout) = declare(config, &stack, spec);
    let no_move = Weights::of(arena).rows("refinement.moves").pop().expect("a last row");
    let mut table = vec![0f32; (network.tokens().len() - tokens.len()) * 16];
    table.extend(tokens.concat().iter().enumerate().map(|(i, value)| (value - no_move[i % 16]) as f32));
    let is_table = |name: &str| name == "encoding.absolute.input.table";
    let arena = copied(&layout, arena, |name| is_table(name).then(|| Tensor::from_slice(&table)));
    let x = network.trunk(&arena.frozen_views(), row);
    let squares = x.narrow(1, 0, spec.input.geometry.squares() as i64);
    let summary = match network.tokens().cls() {
        Some(token) => x.select(1, token as i64),
        None => squares.mean_dim([1i64].as_slice(), false, Kind::Float),
    };
    Weights::of(&arena).dense("refined.choice", &numbers(&summary))
}

#[test]
fn a_temperature_changes_the_probabilities_in_the_tokens_and_not_the_candidates() {
    let (_, spec) = networks().remove(0);
    let answer_at = |temperature: f64| {
        let rest = format!(r#", "embedding": {{"parts": {{}}}}, "refinement": {{"temperature": {temperature}}}"#);
        let config = read(&format!("{{{}{rest}}}", SMALL.replace(r#", "refinement": {}"#, "")));
        let (network, layout) = declare(&config, &none(), &spec);
        let [legal, repeats] = legal(2, spec.moves.len()).map(|of_moves| of_moves.narrow(0, 0, 1));
        let output = answer(&network, &stirred(&layout).frozen_views(), &packed(&spec, 1), &legal, &repeats);
        second(&output)
    };
    let (cold, plain, hot) = (answer_at(0.01), answer_at(1.0), answer_at(100.0));
    assert_eq!(indices(&cold.moves_bk), indices(&plain.moves_bk));
    assert_eq!(indices(&hot.moves_bk), indices(&plain.moves_bk));
    assert!(largest_difference(&cold.logits_bk, &plain.logits_bk) > 1e-5);
    assert!(largest_difference(&hot.logits_bk, &plain.logits_bk) > 1e-5);
}

#[test]
fn repetitions_of_candidates_matter_and_others_do_not() {
    let (config, spec) = networks().remove(0);
    let (network, layout) = declare(&config, &none(), &spec);
    let (views, rows) = (stirred(&layout).frozen_views(), packed(&spec, 1));
    let [legal, none] = legal(2, spec.moves.len()).map(|of_moves| of_moves.narrow(0, 0, 1));
    let logits = |repeats: &Tensor| second(&answer(&network, &views, &rows, &legal, repeats));
    let before = logits(&none);
    let of = |index: i64| {
        let repeats = none.copy();
        let _set = repeats.select(0, 0).select(0, index).fill_(1);
        largest_difference(&logits(&repeats).logits_bk, &before.logits_bk)
    };
    let candidates = indices(&before.moves_bk);
    assert!(candidates.iter().all(|&index| of(index) > 1e-6));
    let other = (0..spec.moves.len() as i64).find(|index| !candidates.contains(index)).expect("there are more moves");
    assert_eq!(of(other), 0.0);
}

fn refined(moves: &[i64], present: &[i64], logits: &[f32]) -> Refined {
    let shape = [moves.len() as i64 / 3, 3];
    let present = Tensor::from_slice(present).view(shape).to_kind(Kind::Bool);
    Refined::new(Tensor::from_slice(moves).view(shape), present, &Tensor::from_slice(logits).view(shape))
}

#[test]
fn the_loss_is_that_of_the_targets_among_the_candidates() {
    let logits = [0.0, 1.0, 2.0f32].repeat(4);
    let refined = refined(&[7, 4, 9, 7, 4, 9, 7, 4, 9, 7, 4, 9], &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0], &logits);
    // A move among them; one that is not; two of them beside a third; one whose candidate is no legal move.
    let index = Tensor::from_slice(&[4i64, -1, -1, 5, -1, -1, 7, 9, 1, 9, -1, -1]).view([4, 3]);
    let prob = Tensor::from_slice(&[1.0f32, 9.0, 9.0, 1.0, 9.0, 9.0, 0.3, 0.1, 0.6, 1.0, 9.0, 9.0]).view([4, 3]);
    let targets = RefinedTargets::new(&refined, PolicyTargets { index_bk: &index, prob_bk: &prob });
    assert_eq!(indices(&targets.among_b), [1, 0, 1, 0]);
    let whole = (0..3).map(|i| f64::from(i).exp()).sum::<f64>().ln();
    let expected = [whole - 1.0, 0.0, 0.75 * whole + 0.25 * (whole - 2.0), 0.0];
    assert_near(&numbers(&loss::refined_rows(&refined, &targets)), &expected, 1e-6, "rows");
    assert_eq!(indices(&refined.chosen()), [9, 9, 9, 4], "the last row's third candidate cannot be chosen");
}

#[test]
fn both_passes_learn_one_batch() {
    const BATCH: i64 = 4;
    for (config, spec) in networks() {
        let (network, layout) = declare(&config, &none(), &spec);
        let mut arena = initialise(&layout, 2);
        let rows = packed(&spec, BATCH as usize);
        let [legal, repeats] = legal(BATCH, spec.moves.len());
        let index = legal.to_kind(Kind::Int64).argmax(1, true);
        let prob = Tensor::ones([BATCH, 1], (Kind::Float, Device::Cpu));
        let targets = PolicyTargets { index_bk: &index, prob_bk: &prob };
        let last = minimise(&mut arena, nadam(), Some(10.0), 150, &constant(5e-3), |views| {
            let output = answer(&network, views, &rows, &legal, &repeats);
            let refined = second(&output);
            let second = loss::refined_rows(&refined, &RefinedTargets::new(&refined, targets));
            let policy = policy_cross_entropy(policy_of(&output), Some(&legal), targets).mean();
            vec![policy, Sum::of(&second, &targets.present()).mean()]
        });
        assert!(last.iter().all(|&loss| loss < 0.05), "{last:?}");
        let output = answer(&network, &arena.frozen_views(), &rows, &legal, &repeats);
        assert_eq!(indices(&second(&output).chosen()), indices(&index));
    }
}

#[test]
fn the_second_loss_does_not_reach_the_first_policy() {
    let (config, spec) = networks().remove(0);
    let (network, layout) = declare(&config, &none(), &spec);
    let arena = stirred(&layout);
    let [legal, repeats] = legal(3, spec.moves.len());
    let output = answer(&network, &arena.views(), &packed(&spec, 3), &legal, &repeats);
    let second = second(&output).logits_bk.square().sum(Kind::Float);
    let gradient = Views::split(arena.layout(), &arena.gradient(&second).expect("it depends on the parameters"));
    let of = |name: &str| {
        let id = arena.layout().find(name).expect("a parameter");
        gradient[id].abs().max().double_value(&[])
    };
    assert_eq!(of("policy.moves.weight"), 0.0);
    for learnt in ["refinement.moves", "embedding.repetition", "refinement.scaling", "refinement.rank", "embedding.cls"]
    {
        assert!(of(learnt) > 0.0, "{learnt}");
    }
}

#[test]
fn a_second_look_costs_a_second_pass() {
    let spec = &networks().remove(0).1;
    let (twice, _) = declare(&config(r#", "embedding": {"parts": {}}"#), &none(), spec);
    let (macs, tokens, d) = (twice.macs(), 85u64, 16u64);
    assert_eq!(twice.tokens().len() as u64, tokens);
    // Two passes of one block, a matrix of 16 numbers for the full moves; the policy, and the choice among three.
    assert_eq!(macs.trunk, 2 * (tokens * 6 * d * d + 2 * tokens * tokens * d + 16 * d));
    assert_eq!(macs.of_heads(), 1968 * d + 3 * d);
}

/// The mover's moves have the same words in both positions.
#[test]
fn a_flipped_position_has_the_flipped_second_look() {
    let moves = MovesName::Uci1968Dm;
    for (input, same) in [(InputName::ClsTokens, true), (InputName::ClsTokensWhite, false)] {
        let spec = spec_of(GameKind::Chess, input, moves);
        let parts = r#", "embedding": {"parts": {"turn": false}}"#;
        let (network, layout) = declare(&config(parts), &[encoding(r#"{"shaw": {}}"#)], &spec);
        let views = stirred(&layout).frozen_views();
        let [white, black] = PAIRS[0].map(|fen| {
            let (position, row) = packed_position(fen, &spec);
            let legal = Tensor::zeros([1, spec.moves.len() as i64], (Kind::Bool, Device::Cpu));
            let repeats = legal.zeros_like().to_kind(Kind::Int64);
            let mut listed = Vec::new();
            position.legal_moves(&mut listed);
            for &mv in &listed {
                let label = i64::from(position.label(mv, moves, input.frame()));
                let _set = legal.select(0, 0).select(0, label).fill_(1);
                // Behind every third of the mover's moves, whichever colour has it, the position is an old one.
                if label % 3 == 0 {
                    let _set = repeats.select(0, 0).select(0, label).fill_(1);
                }
            }
            let refined = second(&answer(&network, &views, &row, &legal, &repeats));
            (indices(&refined.moves_bk), numbers(&refined.logits_bk))
        });
        assert_eq!(white == black, same, "{}: {white:?} and {black:?}", input.name());
        assert!(white.0.iter().all(|&index| index >= 0), "three candidates");
    }
}
