//! Wrong experiment files: each gets one message with the place, the line, a caret and a remedy.

use config::bounded;
use testing::{DATA, EXPERIMENT, hashes, load, load_with, refused};

pub(crate) fn complaint(text: &str) -> Option<String> {
    load_with(text, &[]).err()
}

/// The small experiment with one piece of text replaced.
pub(crate) fn with(old: &str, new: &str) -> String {
    assert_eq!(EXPERIMENT.matches(old).count(), 1, "{old:?} must stand once in the experiment");
    EXPERIMENT.replace(old, new)
}

/// Checks that one change is refused with a message that has all these parts.
pub(crate) fn refuses(old: &str, new: &str, parts: &[&str]) {
    refused(&with(old, new), parts);
}

#[test]
fn an_unknown_key_is_shown_with_the_valid_ones() {
    let shown = "\
experiment.yaml:20:3: unknown key `encodng` in `axes`
  20 |   encodng:
     |   ^^^^^^^
  valid: game, encoding, model, input, moves, mask, optimizer, learning_rate, batch, steps, phases, a dotted name such as train.clip
  help: did you mean `encoding`?";
    refuses("  encoding:\n", "  encodng:\n", &[shown]);
}

#[test]
fn an_unknown_key_deep_inside_is_found() {
    let parts = ["experiment.yaml:22:29: unknown key `tabel`", "did you mean `table`?", "valid: at, table"];
    refuses("absolute: {at: input}", "absolute: {at: input, tabel: learned}", &parts);
    refuses("name: small", "nmae: small", &["experiment.yaml:1:1: unknown key `nmae` at the top", "`name`?"]);
    let parts = ["unknown key `momentum` in `base.train`", "write one of the valid keys"];
    refuses("steps: 8", "steps: 8\n    momentum: 0.9", &parts);
}

#[test]
fn a_wrong_type_says_what_to_write() {
    let parts = [
        "experiment.yaml:9:12: `base.train.steps`: expected a whole number, 1 or more, found string \"many\"",
        "digits only",
    ];
    refuses("steps: 8", "steps: many", &parts);
    refuses("steps: 8", "steps: 1e3", &["`base.train.steps`: expected a whole number", "1000, not 1e3"]);
    refuses("steps: 8", "steps: 1_000", &["found string \"1_000\""]);
    refuses("batch: 4", "batch: -4", &["`base.train.batch`: expected a whole number, 1 or more, found integer `-4`"]);
    refuses("seeds: [0, 1, 2]", "seeds: 3", &["`seeds`: expected a list, found integer `3`"]);
    refuses("seeds: [0, 1, 2]", "seeds: [0, one]", &["experiment.yaml:24:12: `seeds[1]`"]);
    refuses("learning_rate: 1e-3", "learning_rate: fast", &["experiment.yaml:12:20", "a learning rate, or a map"]);
}

#[test]
fn an_input_of_another_game_is_refused() {
    let parts = ["experiment.yaml:5:10", "shogi has no input lc0_112: its inputs are piece_tokens, piece_tokens_aux"];
    refuses("input: piece_tokens", "input: lc0_112", &parts);
    let parts = ["experiment.yaml:6:10", "chess has no moves dlshogi_2187: its vocabularies are from_to"];
    refuses("input: piece_tokens", "input: piece_tokens\n  moves: dlshogi_2187", &parts);
    let chess_only = with("input: piece_tokens", "input: lc0_112").replace("game: [chess, shogi]", "game: [chess]");
    assert_eq!(complaint(&chess_only), None);
}

#[test]
fn traps_of_yaml_are_caught() {
    let parts = ["`twin`: expected true or false, found string \"yes\"", "YAML 1.2"];
    refuses("name: small", "name: small\ntwin: yes", &parts);
    refuses("mask: train", "mask: no", &["unknown value `no`", "valid: train, eval, none"]);
    refuses("    batch: 4", "\tbatch: 4", &["experiment.yaml:10:1: a tab stands in the indentation", "spaces"]);
    let parts = ["experiment.yaml:11:5: `steps` stands twice in `base.train`", "keep one"];
    refuses("batch: 4", "batch: 4\n    steps: 9", &parts);
    refuses("chess: chess,", "chess: chess, chess: other,", &["`chess` stands twice in `base.data`"]);
    refuses("seeds: [0, 1, 2]", "seeds: [0, 1, 2", &["this is not YAML", "brackets"]);
    refused("", &["experiment.yaml: the file is empty"]);
    let parts = ["found a list"];
    refuses("primary: {metric: policy_loss, at: last, weights: raw}", "primary: [policy_loss, last, raw]", &parts);
    refused("- a\n- b\n", &["expected a map of keys to values, found a list"]);
    let parts = ["unknown key `<<` in `base.eval`", "give a whole value an anchor"];
    refuses("  eval:\n", "  eval:\n    <<: {every: 4}\n", &parts);
}

#[test]
fn what_is_compared_has_no_default() {
    let parts = ["`steps` is missing in `base.train`: no axis varies it", "add `base.train.steps`, or `axes.steps`"];
    refuses("    steps: 8\n", "", &parts);
    refuses("  input: piece_tokens\n", "", &["`input` is missing in `base`", "add `base.input`, or `axes.input`"]);
    refuses("reference: {encoding: none}\n", "", &["`reference` is missing"]);
    refuses("primary: {metric: policy_loss, at: last, weights: raw}\n", "", &["`primary` is missing"]);
}

#[test]
fn an_unknown_encoding_is_shown_with_those_that_there_are() {
    let parts = [
        "experiment.yaml:23:7: unknown value `shawn` in `axes.encoding[2]`",
        "valid: none, absolute, relative_bias, shaw",
        "did you mean `shaw`?",
    ];
    refuses("- shaw: {terms: [q, k]}", "- shawn: {terms: [q, k]}", &parts);
    let help = "write options, as in `rope: {layout: axial_2d, theta: 100}`; `theta` has no default";
    let both = ["`layout` is missing in `axes.encoding[2]`", "`theta` is missing in `axes.encoding[2]`", help];
    refuses("- shaw: {terms: [q, k]}", "- rope", &both);
    let parts = [
        "`share` is missing in `axes.encoding[1]`",
        "write options, as in `relative_bias: {share: displacement}`",
        "`layout` is missing in `axes.encoding[2]`",
        "`theta` is missing in `axes.encoding[2]`",
    ];
    refuses("- none\n", "- none\n    - relative_bias\n    - rope\n", &parts);
    refuses("- shaw: {terms: [q, k]}", "- rope: {layout: axial_2d}", &["`theta` is missing", help]);
    refuses("- shaw: {terms: [q, k]}", "- shaw: {terms: [q]}\n      rope: {}", &["several encodings are a list"]);
    refuses("- shaw: {terms: [q, k]}", "- []", &["write `none` for no position at all"]);
}

#[test]
fn networks_encodings_and_schedules_that_cannot_be_are_pointed_at() {
    let parts = ["experiment.yaml:7:48: model: heads: 3 do not divide width: 16", "nearest that fit", "^"];
    refuses("heads: 2", "heads: 3", &parts);
    refuses("layers: 2", "layers: 0", &["experiment.yaml:7:27: model: layers is 0"]);
    let parts = ["experiment.yaml:23:7", "theta must be above 0"];
    refuses("- shaw: {terms: [q, k]}", "- rope: {layout: axial_2d, theta: -1}", &parts);
    refuses("- shaw: {terms: [q, k]}", "- [none, none]", &["experiment.yaml:23:7", "twice"]);
    let parts = ["experiment.yaml:12:20", "boundaries must increase, but 2 follows 5"];
    refuses("learning_rate: 1e-3", "learning_rate: {values: [1, 2, 3], boundaries: [5, 2]}", &parts);
    refuses("learning_rate: 1e-3", "learning_rate: {values: [1, 2]}", &["2 values need 1 boundaries"]);
}

#[test]
fn a_missing_dataset_is_pointed_at() {
    let parts = [
        "experiment.yaml:4:31: `base.data.shogi`: there is no folder",
        "shogy",
        "posenc data import",
        "relative to the experiment file",
    ];
    refuses("shogi: shogi}", "shogi: shogy}", &parts);
    let parts = ["experiment.yaml:4:17", "a dataset of shogi, but chess is to be played"];
    refuses("chess: chess,", "chess: shogi,", &parts);
    let parts = ["`base.data` names no dataset for shogi", "add `shogi:"];
    refuses("{chess: chess, shogi: shogi}", "{chess: chess}", &parts);
    refuses("{chess: chess, shogi: shogi}", "chess", &["one folder, but chess and shogi are played"]);
    refuses("{chess: chess, shogi: shogi}", "{chess: ., shogi: shogi}", &["holds no dataset.yaml"]);
    refuses("{chess: chess, shogi: shogi}", "{go: chess}", &["unknown key `go`", "valid: chess, shogi"]);
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    let parts = ["experiment.yaml:9:12: `base.train.steps`: expected a whole number, 1 or more, found integer `0`"];
    refuses("steps: 8", "steps: 0", &parts);
    refuses("batch: 4", "batch: 0", &["`base.train.batch`: expected a whole number, 1 or more"]);
    refuses("every: 4", "every: 0", &["`base.eval.every`: expected a whole number, 1 or more"]);
    let parts = ["`base.eval.test_positions`: expected a whole number, 1 or more"];
    refuses("test_positions: 8", "test_positions: 0", &parts);
    let parts = ["experiment.yaml:14:11: `base.train.clip`: expected a number above 0, found integer `0`"];
    refuses("mask: train", "mask: train\n    clip: 0", &parts);
    refuses("optimizer: nadam", "optimizer: {nadam: {beta1: 1.5}}", &["`base.train.optimizer`", "beta1"]);
    let parts = ["unknown value `adma`", "valid: nadam, nadam_torch, adamw, muon, sgd"];
    refuses("optimizer: nadam", "optimizer: adma", &parts);
}

#[test]
fn the_reference_is_some_rows_of_each_game() {
    let parts =
        ["experiment.yaml:25:12: `reference` matches no row of chess", "valid: chess-none, chess-absolute, chess-shaw"];
    refuses("reference: {encoding: none}", "reference: {encoding: shaw}", &parts);
    let parts =
        ["experiment.yaml:25:12: `reference` matches every row of chess, so nothing is compared", "name a value"];
    refuses("reference: {encoding: none}", "reference: {game: chess}", &parts);
}

#[test]
fn the_primary_metric_must_exist_and_judge() {
    let parts = ["experiment.yaml:26:19: `policy_los` is no metric", "did you mean `policy_loss`?"];
    refuses("policy_loss", "policy_los", &parts);
    refuses("policy_loss", "uniform_baseline", &["only describes"]);
    refuses("policy_loss", "positions_per_s", &["`positions_per_s` is measured in training only", "policy_loss"]);
    refuses("policy_loss", "loss", &["`loss` is measured in training only"]);
    refuses("policy_loss", "legal_mass", &["means nothing for chess-none", "mask: eval"]);
    let parts = ["experiment.yaml:26:36: step 6 is not evaluated: evaluations are every 4 steps", "write 4"];
    refuses("at: last", "at: 6", &parts);
    refuses("at: last", "at: 12", &["step 12 is never evaluated: chess-none has 8 steps"]);
    refuses("at: last", "at: end", &["`last` or the number of a step"]);
    refuses("at: last", "at: 0", &["step 0 is before training", "found integer `0`"]);
}

#[test]
fn rows_with_and_without_a_mask_have_no_common_policy_metric() {
    let mixed = with("    mask: train\n", "").replace("axes:\n", "axes:\n  mask: [eval, none]\n");
    let of = |mask: &str| mixed.replace("{encoding: none}", &format!("{{encoding: none, mask: {mask}}}"));
    let parts = [
        "experiment.yaml:18:16: `policy_loss` of chess-none-masknone is taken over all moves (mask: none)",
        "that of its reference chess-none-maskeval over legal moves only (mask: eval)",
        "  18 |   mask: [eval, none]\n     |                ^^^^",
        "help: these are two metrics",
        "policy_accuracy_unmasked",
    ];
    refused(&of("eval"), &parts);
    refused(&of("none"), &["experiment.yaml:18:10: `policy_loss` of chess-none-maskeval"]);
    for metric in ["policy_accuracy_unmasked", "value_loss", "legal_mass.novel"] {
        assert_eq!(complaint(&of("eval").replace("metric: policy_loss", &format!("metric: {metric}"))), None);
    }
    let alike = of("eval").replace("[eval, none]", "[eval, train]");
    assert_eq!(complaint(&alike), None);
}

#[test]
fn names_and_seeds_are_checked() {
    refuses("name: small", "name: ../up", &["experiment.yaml:1:7: \"../up\" is no name for a folder"]);
    refuses("seeds: [0, 1, 2]", "seeds: []", &["there is no seed"]);
    refuses("seeds: [0, 1, 2]", "seeds: [0, 1, 0]", &["experiment.yaml:24:15: the seed 0 stands twice"]);
}

#[test]
fn wrong_combinations_are_refused() {
    let parts = ["`encoding` has 3 values but `game`, zipped with it, has 2"];
    refuses("axes:\n", "zip: [[game, encoding]]\naxes:\n", &parts);
    refuses("axes:\n", "zip: [[game, steps]]\naxes:\n", &["`steps` is zipped but is no axis"]);
    refuses("  game: [chess, shogi]", "  game: []", &["the axis `game` has no values"]);
    refuses("seeds: [", "exclude: [{encoding: smolgen}]\nseeds: [", &["no row matches this entry of `exclude`"]);
    let parts = ["experiment.yaml:23:7: two rows are the same run", "has no effect", "take one of the two out"];
    refuses("    - shaw: {terms: [q, k]}", "    - absolute: {at: input, table: learned}", &parts);
}

#[test]
fn training_options_that_cannot_be_are_refused() {
    let nadam = "optimizer: nadam";
    let group = |text: &str| format!("optimizer: {{nadam: {{groups: [{text}]}}}}");
    let parts = ["`base.train.optimizer`", "match: \"polcy.*\" fits no parameter", "policy."];
    refuses(nadam, &group("{match: \"polcy.*\", learning_rate: 0.1}"), &parts);
    refuses(nadam, &group("{learning_rate: 0.1}"), &["names no parameters"]);
    refuses(nadam, &group("{match: \"policy.*\", rate: 0.1}"), &["unknown key `rate`", "valid: match, part"]);
    assert_eq!(complaint(&with(nadam, &group("{part: encoding, learning_rate: 2}"))), None);
    let steps = |more: &str| format!("steps: 8\n    {more}");
    refuses("steps: 8", &steps("averaging: {swa: {every: 0}}"), &["`base.train.averaging`", "every: 0 is too few"]);
    refuses("steps: 8", &steps("micro_batch: some"), &["`base.train.micro_batch`", "`auto` or a number"]);
    refuses("steps: 8", &steps("micro_batch: 0"), &["`base.train.micro_batch`", "1 or more"]);
    refuses("steps: 8", &steps("workers: 0"), &["`base.train.workers`", "1 or more"]);
    refuses("steps: 8", &steps("products: fp16"), &["`base.train.products`", "ieee", "tf32"]);
    refuses("steps: 8", &steps("dtype: f16"), &["`base.train.dtype`", "f32", "bf16"]);
    let devices = ["micro_batch: auto", "dtype: bf16", "products: tf32", "deterministic: true", "workers: 3"];
    for accepted in devices.into_iter().chain(["averaging: {swa: {}}"]) {
        assert_eq!(complaint(&with("steps: 8", &steps(accepted))), None, "{accepted}");
    }
}

#[test]
fn averaged_weights_need_an_average_at_the_step_that_is_read() {
    refuses("weights: raw", "weights: averaged", &["no average of the weights is made", "averaging: {swa: {}}"]);
    let averaged = with("weights: raw", "weights: averaged");
    let every =
        |steps: u64| averaged.replace("steps: 8", &format!("steps: 8\n    averaging: {{swa: {{every: {steps}}}}}"));
    assert_eq!(complaint(&every(8)), None);
    refused(&every(9), &["is read at step 8, but its average begins at step 9"]);
}

#[test]
fn wrong_conditions_are_refused() {
    let end = "weights: raw}\n";
    let add = |text: &str| format!("{end}conditional:\n  - {text}\n");
    let parts = ["conditional", "changes no row", "as written in `axes`"];
    refuses(end, &add("{when: {encoding: cls_map}, axes: {batch: [2]}}"), &parts);
    refuses(end, &add("{when: {encoding: none}, axes: {game: [chess]}}"), &["`game` varies in all rows"]);
    refuses(end, &add("{when: {encoding: none}, axes: {batch: []}}"), &["the axis `batch` has no values"]);
}

#[test]
fn a_base_from_nowhere_is_refused() {
    let parts = ["experiment.yaml:4:9", "`base.from`", "nowhere.yaml cannot be read"];
    refuses("base:\n", "base:\n  from: nowhere.yaml\n", &parts);
    std::fs::write(DATA.path().join("circle.yaml"), "base: {from: circle.yaml}\n").expect("written");
    refuses("base:\n", "base:\n  from: circle.yaml\n", &["more than 10 files", "must not come from itself"]);
    std::fs::write(DATA.path().join("typo.yaml"), "base: {inptu: piece_tokens}\n").expect("written");
    refuses("base:\n", "base:\n  from: typo.yaml\n", &["typo.yaml:1:8: unknown key `inptu`", "did you mean `input`?"]);
}

#[test]
fn phases_that_cannot_be_are_refused_with_a_remedy() {
    let cases: [(&str, &[&str]); 11] = [
        ("[{}, {}]", &["`epochs` of phase 1", "only the last phase can do without", "write `epochs: 1`"]),
        ("[{steps: 2}, {steps: 2}]", &["`steps` of phase 2", "takes the steps that are left", "leave `steps` out"]),
        ("[{steps: 2, epochs: 1}, {}]", &["`steps` of phase 1", "leave one of them out"]),
        ("[{steps: 0}, {}]", &["`base.train.phases[0].steps`: expected a whole number, 1 or more"]),
        ("[{steps: 8}, {}]", &["the phases before the last take 8 steps, and there are 8"]),
        ("[{epochs: 1e300}, {epochs: 1}, {}]", &["take 18446744073709551615 steps, and there are 8"]),
        ("[{steps: 2}, {learning_rate: 0}]", &["`base.train.phases[1].learning_rate`: expected a number above 0"]),
        ("[{steps: 2}, {loss: {value: -1}}]", &["-1 is not a weight", "base.train.phases[1].loss.value"]),
        ("[{steps: 2}, {loss: {policy: 0, value: 0}}]", &["the weight 0 in phase 2 (policy, value)"]),
        ("[{steps: 2}, {loss: {valu: 1}}]", &["unknown key `valu`", "did you mean `value`?"]),
        ("[{steps: 2}, {bucket: 2000-up}]", &["no rating bucket \"2000-up\"", "--rating-buckets"]),
    ];
    for (phases, parts) in cases {
        refuses("    steps: 8\n", &format!("    steps: 8\n    phases: {phases}\n"), parts);
    }
    assert_eq!(complaint(&with("    steps: 8\n", "    steps: 8\n    phases: [{steps: 2}, {}]\n")), None);
}

#[test]
fn a_difference_that_nobody_could_see_is_refused() {
    for size in ["0", "-0.01", ".nan"] {
        let primary = format!("weights: raw, difference: {size}}}");
        refuses("weights: raw}", &primary, &["`primary.difference`: expected a number above 0"]);
    }
    assert_eq!(complaint(&with("weights: raw}", "weights: raw, difference: 0.01}")), None);
}

#[test]
fn a_margin_of_equivalence_is_a_positive_size_of_the_primary_metric() {
    let margins = |written: &str| with("primary: {", &format!("equivalent_within: {written}\nprimary: {{"));
    for size in ["0", "-0.01", ".inf", ".nan"] {
        let text = margins(&format!("{{policy_loss: {size}}}"));
        refused(&text, &["`equivalent_within.policy_loss`: expected a number above 0", "write it like 0.001"]);
    }
    refused(&margins("{policy_los: 0.02}"), &["unknown key `policy_los`", "did you mean `policy_loss`?"]);
    refused(&margins("{positions: 1}"), &["unknown key `positions`", "policy_accuracy"]);
    let help = "name the primary metric, and a margin in its unit: `equivalent_within: {policy_loss: 0.02}`";
    refused(&margins("0.02"), &["`equivalent_within`: expected a map of keys to values", help]);
    let parts = ["verdicts are about `policy_loss`, so a margin of `value_loss` judges nothing", "{policy_loss: SIZE}"];
    refused(&margins("{policy_loss: 0.02, value_loss: 0.1}"), &parts);
    let (with, without) = (load(&margins("{policy_loss: 0.02}")), load(EXPERIMENT));
    assert_eq!(with.equivalent_within.of("policy_loss"), Some(0.02));
    assert!(without.equivalent_within.is_empty(), "there is no default");
    assert_eq!(hashes(&with), hashes(&without), "a margin changes no cell");
}

#[test]
fn a_start_is_one_file() {
    let started = |start: &str| with("    steps: 8\n", &format!("    steps: 8\n    start: {start}\n"));
    refused(&started("{frozen: true}"), &["`base.train.start`: expected a file: write `tables` or `network`"]);
    refused(&started("{tables: a.safetensors, network: b.safetensors}"), &["got `tables` and `network`"]);
    refused(&started("{network: b.safetensors, scale: 2}"), &["`order`, `scale` and `rms` change tables"]);
    refused(&started("{tables: a.safetensors, heads: true}"), &["`heads` are those of a network"]);
    refused(&started("{tables: a.safetensors, scale: 2, rms: 1}"), &["expected `scale` or `rms`, got both"]);
    let parts = ["`base.train.start.network`: ", "cannot be read", "name weights.safetensors of a folder"];
    refused(&started("{network: b.safetensors}"), &parts);
    // It may be as long as a network's weights; the file is sparse.
    let long = std::fs::File::create(DATA.path().join("long.safetensors")).expect("a file");
    long.set_len(bounded::WEIGHTS + 1).expect("a sparse file");
    refused(&started("{network: long.safetensors}"), &["longer than the 68719476736 bytes allowed here"]);
}

#[test]
fn a_floor_is_one_of_the_primary_metric() {
    let with_floor = |floor: &str| with("primary: {", &format!("floor: {floor}\nprimary: {{"));
    let parts =
        ["verdicts are about `policy_loss`, so a floor of `value_loss` judges nothing", "`floor: {policy_loss: SIZE}`"];
    refused(&with_floor("{value_loss: 0.5}"), &parts);
    assert_eq!(load(&with_floor("{policy_loss: 1.4}")).floor.of("policy_loss"), Some(1.4));
}

#[test]
fn a_prediction_needs_three_smaller_budgets_and_changes_no_cell() {
    let at_four = |more: &str| {
        let without_steps = with("    steps: 8\n", "");
        without_steps.replace("axes:\n", &format!("{more}axes:\n  steps: [4, 8, 12, 16]\n"))
    };
    // A step has four positions.
    let asked = |to: u64| at_four(&format!("extrapolate: {{to: {to}}}\n"));
    let parts = ["2 of the rows' budgets have less than 48 positions, each seen once; 3 are needed", "steps × batch"];
    refused(&asked(48), &parts);
    refused(&asked(0), &["`extrapolate.to`: expected a whole number, 1 or more"]);
    let few = asked(64).replace("seeds: [0, 1, 2]", "seeds: [0, 1]");
    refused(&few, &["a budget needs 3 seeds, and there are 2"]);
    for primary in ["metric: policy_accuracy, at: last", "metric: policy_loss, at: 4"] {
        let other = asked(64).replace("metric: policy_loss, at: last", primary);
        refused(&other, &["only a loss at the last step is predicted", "at: last"]);
    }
    refused(&at_four("extrapolate: {too: 500}\n"), &["unknown key `too`", "did you mean `to`?"]);
    let (predicted, plain) = (load(&asked(64)), load(&at_four("")));
    assert_eq!(predicted.extrapolate.map(|asked| asked.to), Some(64));
    assert_eq!(hashes(&predicted), hashes(&plain));
}
