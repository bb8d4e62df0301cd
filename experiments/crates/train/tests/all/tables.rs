//! `train.start`: a cell begins with the tables of another network, of its own board or of another one.

use crate::batch_norm::tensor;
use crate::heads::with_heads;
use config::start_weights::{Fit, Start, TableOrder};
use config::{Generate, RunConfig, TrainConfig};
use encodings::displacements::Displacement;
use games::{GameKind, Geometry};
use models::Schedule;
use safetensors::tensor::{Dtype, TensorView};
use std::fs;
use std::path::{Path, PathBuf};
use testing::{Bench, assert_says, encoding, train};
use train::start_tables::check_start;

const HEADS: usize = 2;
const TABLE: &str = "encoding.relative_bias.layer.0.bias";

/// A run whose encoding is a bias, and the tables that it starts with.
fn biased(bench: &Bench, start: Option<Start>) -> RunConfig {
    let mut run = bench.run(6);
    run.encoding = vec![encoding("relative_bias: {share: displacement}")];
    run.train.start = start;
    run
}

fn start(tables: &Path, order: TableOrder, frozen: bool) -> Start {
    let blake3 = blake3::hash(&fs::read(tables).expect("tables")).to_hex().to_string();
    let start = serde_json::json!({"tables": tables, "blake3": blake3, "frozen": frozen});
    Start { order, ..serde_json::from_value(start).expect("a start") }
}

/// What the entry of a displacement is in [`made_up`].
fn number(head: usize, displacement: Displacement) -> f32 {
    (1 + head) as f32 + 0.01 * displacement.ranks as f32 + 0.0001 * displacement.files as f32
}

/// Writes tables, each with its name and its shape; `board` has files and ranks, which weights of an export do not name.
fn write_tables(path: &Path, tables: &[(&str, Vec<usize>, Vec<f32>)], board: Option<[i64; 2]>) {
    let bytes = tables.iter().map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect());
    let bytes: Vec<Vec<u8>> = bytes.collect();
    let tensors = tables
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).expect("a table")));
    let size = board.map(|sides| sides.map(i64::to_le_bytes).concat());
    let board = size.iter().map(|size| ("board", TensorView::new(Dtype::I64, vec![2], size).expect("a size")));
    fs::write(path, safetensors::serialize(tensors.chain(board), None).expect("a file")).expect("written");
}

/// A file of tables of a board.
fn made_up(path: PathBuf, board: Geometry) -> PathBuf {
    let all = Displacement::all(board);
    let values = (0..HEADS).flat_map(|head| all.iter().map(move |&displacement| number(head, displacement)));
    let size = [board.files(), board.ranks()].map(|side| side as i64);
    write_tables(&path, &[(TABLE, vec![HEADS, all.len()], values.collect())], Some(size));
    path
}

/// The start with a whole network, of another board if one is named.
fn of_network(weights: &Path, board: Option<GameKind>) -> Start {
    Start { tables: PathBuf::new(), network: weights.to_owned(), board, ..start(weights, TableOrder::Kept, false) }
}

/// The table of a finished cell, `[h, classes]`.
fn learnt(dir: &Path) -> Vec<f32> {
    tensor(dir, "final.safetensors", TABLE)
}

/// Why a cell of this run cannot be trained.
fn refusal(bench: &Bench, name: &str, run: &RunConfig) -> String {
    train(&bench.cell(name, run)).expect_err(name).to_string()
}

fn sorted(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    values
}

#[test]
fn a_displacement_keeps_its_entry_on_another_board_and_in_the_control_gets_that_of_another() {
    let bench = Bench::new();
    let chess = GameKind::Chess.geometry();
    for (name, board) in [("larger", GameKind::Shogi.geometry()), ("same", chess), ("smaller", Geometry::new(5, 6))] {
        let tables = made_up(bench.path().join(format!("{name}.safetensors")), board);
        let [found, control] = [TableOrder::Kept, TableOrder::Shuffled].map(|order| {
            learnt(&bench.trained(&format!("{name} {order:?}"), &biased(&bench, Some(start(&tables, order, true)))))
        });
        let expected = (0..HEADS).flat_map(|head| {
            Displacement::all(chess)
                .into_iter()
                .map(move |displacement| displacement.class_on(board).map_or(0.0, |_| number(head, displacement)))
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{name}: frozen tables are those that were moved");
        assert_ne!(found, control, "{name}");
        let is_written = |table: &[f32]| table.iter().map(|&entry| entry != 0.0).collect::<Vec<_>>();
        assert_eq!(is_written(&found), is_written(&control), "{name}");
        assert_eq!(sorted(found), sorted(control), "{name}");
    }
}

/// The parameters of kerple with two heads, as a network of 5×5 exports them.
const FORMULA: [(&str, [f32; HEADS]); 2] =
    [("encoding.kerple.layer.0.first", [0.5, -0.25]), ("encoding.kerple.layer.0.second", [0.125, 1.5])];

#[test]
fn the_parameters_of_a_formula_serve_a_board_of_another_size() {
    let bench = Bench::new();
    let file = bench.path().join("kerple.safetensors");
    write_tables(&file, &FORMULA.map(|(name, values)| (name, vec![HEADS], values.to_vec())), Some([5, 5]));
    let run = |start: Start| RunConfig {
        encoding: vec![encoding("kerple: {kernel: log, distance: euclidean}")],
        ..biased(&bench, Some(start))
    };
    let moved = bench.trained("moved", &run(start(&file, TableOrder::Kept, true)));
    for (name, values) in FORMULA {
        assert_eq!(tensor(&moved, "final.safetensors", name), values);
    }
    let refused = |name: &str, start: Start| assert_says(&refusal(&bench, name, &run(start)), &["a formula has none"]);
    refused("shuffled", start(&file, TableOrder::Shuffled, true));
    refused("scaled", Start { scale: 2.0, ..start(&file, TableOrder::Kept, true) });
}

#[test]
fn a_scale_multiplies_every_entry() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Chess.geometry());
    let [whole, half] = [1.0, 0.5].map(|scale| {
        let start = Start { scale, ..start(&tables, TableOrder::Kept, true) };
        learnt(&bench.trained(&format!("scale {scale}"), &biased(&bench, Some(start))))
    });
    assert!(whole.iter().any(|&entry| entry != 0.0));
    assert_eq!(half, whole.iter().map(|entry| 0.5 * entry).collect::<Vec<_>>());
}

#[test]
fn entries_are_scaled_to_a_root_mean_square() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Board5.geometry());
    for (name, order) in [("kept", TableOrder::Kept), ("shuffled", TableOrder::Shuffled)] {
        let start = Start { rms: Some(0.5), ..start(&tables, order, true) };
        let found = learnt(&bench.trained(name, &biased(&bench, Some(start))));
        let moved = HEADS * GameKind::Board5.geometry().displacement_classes();
        assert_eq!(found.iter().filter(|&&entry| entry != 0.0).count(), moved, "the outer displacements stay at zero");
        let squares: f64 = found.iter().map(|&entry| f64::from(entry).powi(2)).sum();
        assert!(((squares / moved as f64).sqrt() - 0.5).abs() < 1e-6, "{squares}");
    }
}

/// A plane is stretched to a plane, if the corners stay in their places.
#[test]
fn a_stretched_table_covers_the_larger_board() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), Geometry::new(5, 6));
    let start = Start { fit: Fit::Bilinear, ..start(&tables, TableOrder::Kept, true) };
    let found = learnt(&bench.trained("stretched", &biased(&bench, Some(start.clone()))));
    let all = Displacement::all(GameKind::Chess.geometry());
    let expected = (0..HEADS).flat_map(|head| {
        all.iter().map(move |displacement| {
            // The largest displacements are 4 files and 5 ranks there, 7 and 7 here.
            let (ranks, files) = (displacement.ranks as f64 * 5.0 / 7.0, displacement.files as f64 * 4.0 / 7.0);
            (1 + head) as f64 + 0.01 * ranks + 0.0001 * files
        })
    });
    assert_eq!(found.len(), HEADS * all.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} {expected}");
    }
    let shuffled = Start { order: TableOrder::Shuffled, ..start };
    let shuffled = learnt(&bench.trained("shuffled", &biased(&bench, Some(shuffled))));
    assert_ne!(shuffled, found);
    assert_eq!(sorted(shuffled), sorted(found));
}

/// A learned table of absolute positions on 5×5, as weights of an export hold it: a plane for each channel.
fn absolute_table(path: PathBuf, width: usize) -> PathBuf {
    let board = GameKind::Board5.geometry();
    let entry = |square: usize, channel: usize| {
        channel as f32 + 0.1 * board.rank_of(square) as f32 + 0.01 * board.file_of(square) as f32
    };
    let values = (0..board.squares()).flat_map(|square| (0..width).map(move |channel| entry(square, channel)));
    write_tables(&path, &[(ABSOLUTE, vec![board.squares(), width], values.collect())], None);
    path
}

const ABSOLUTE: &str = "encoding.absolute.input.table";

#[test]
fn absolute_positions_are_stretched_over_a_larger_board_or_refused() {
    let bench = Bench::new();
    let tables = absolute_table(bench.path().join("weights.safetensors"), 16);
    let with = |start: Start| {
        let mut run = bench.run(6);
        run.train.start = Some(Start { board: Some(GameKind::Board5), ..start });
        run
    };
    let start = start(&tables, TableOrder::Kept, true);
    let dir = bench.trained("stretched", &with(Start { fit: Fit::Bilinear, ..start.clone() }));
    let (found, chess) = (tensor(&dir, "final.safetensors", ABSOLUTE), GameKind::Chess.geometry());
    for (i, found) in found.iter().enumerate() {
        let (square, channel) = (i / 16, i % 16);
        // Ranks and files 0 to 7 are 0 to 4 there.
        let [rank, file] = [chess.rank_of(square), chess.file_of(square)].map(|at| at as f64 * 4.0 / 7.0);
        assert!((f64::from(*found) - (channel as f64 + 0.1 * rank + 0.01 * file)).abs() < 1e-5, "{i}: {found}");
    }
    let refused = |name: &str, run: &RunConfig, part: &str| assert_says(&refusal(&bench, name, run), &[part]);
    refused("displacement", &with(start.clone()), "`fit: bicubic` for a learned table of absolute");
    let bicubic = with(Start { fit: Fit::Bicubic, ..start });
    for (name, table) in [("factorised", "factorised"), ("fixed", "sinusoidal_2d")] {
        let run = RunConfig { encoding: vec![encoding(&format!("absolute: {{table: {table}}}"))], ..bicubic.clone() };
        refused(name, &run, "no tables by displacement");
    }
    let mut unnamed = bicubic;
    unnamed.train.start = unnamed.train.start.map(|start| Start { board: None, ..start });
    refused("unnamed", &unnamed, "write `board: GAME` for weights of an export");
}

#[test]
fn the_board_of_a_file_is_not_contradicted() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), Geometry::new(6, 6));
    let with = |board| biased(&bench, Some(Start { board: Some(board), ..start(&tables, TableOrder::Kept, true) }));
    bench.trained("right", &with(GameKind::Board6));
    let error = refusal(&bench, "wrong", &with(GameKind::Board5));
    assert_says(&error, &["its tables are of a board of 6×6, not of board5; leave `board` out"]);
}

/// A network on placements of a board, which learns attacked squares; at a rate of 0 it only is evaluated.
fn on_board(bench: &Bench, board: GameKind, encodings: &[&str], rate: f64) -> RunConfig {
    let probe = "attacked-squares".to_owned();
    let mut run = with_heads(bench.run(6), r#"{"per_square": {"classes": 4}}"#);
    run.game = board;
    run.data = PathBuf::new();
    run.generate = Some(Generate { probe, game: board, seed: 1, every: None });
    run.encoding = encodings.iter().map(|text| encoding(text)).collect();
    run.train.learning_rate = Schedule::new(0, vec![rate], Vec::new()).expect("a rate");
    run
}

#[test]
fn a_network_moves_to_a_larger_board_with_its_tables_and_heads() {
    let bench = Bench::new();
    let encodings = [
        "relative_bias: {share: displacement}",
        "fire",
        "rope: {layout: axial_2d, theta: 100}",
        "low_rank: {rank: 3, terms: [k]}",
    ];
    let source = bench.trained("source", &on_board(&bench, GameKind::Board5, &encodings, 1e-2));
    let weights = source.join("checkpoints/final.safetensors");
    let start = Start { heads: true, ..of_network(&weights, Some(GameKind::Board5)) };
    let mut run = on_board(&bench, GameKind::Board8, &encodings, 0.0);
    run.seed = 2;
    run.train.start = Some(start.clone());
    let moved = bench.trained("moved", &run);
    for name in ["body.0.attention.qkv.weight", "per_square.weight", "encoding.fire.layer.0.hidden.weight"] {
        let [own, other] = [&moved, &source].map(|dir| tensor(dir, "final.safetensors", name));
        assert_eq!(own, other, "{name} does not depend on the board");
    }
    let [small, large] = [GameKind::Board5, GameKind::Board8].map(GameKind::geometry);
    let (own, there) = (learnt(&moved), learnt(&source));
    assert!(there.iter().any(|&entry| entry != 0.0), "six steps change entries");
    for head in 0..HEADS {
        for (class, displacement) in Displacement::all(large).into_iter().enumerate() {
            let expected =
                displacement.class_on(small).map_or(0.0, |class| there[head * small.displacement_classes() + class]);
            assert_eq!(own[head * large.displacement_classes() + class], expected, "{displacement:?}");
        }
    }
    let [own, there] =
        [&moved, &source].map(|dir| tensor(dir, "final.safetensors", "encoding.low_rank.layer.0.k.curves"));
    for curve in 0..3 {
        for (class, displacement) in Displacement::all(large).into_iter().enumerate() {
            let Some(class_there) = displacement.class_on(small) else { continue };
            let entry = there[curve * small.displacement_classes() + class_there];
            assert_eq!(own[curve * large.displacement_classes() + class], entry, "{displacement:?}");
        }
    }
    run.train.start = Some(Start { heads: false, ..start });
    let headless = bench.trained("headless", &run);
    let [own, other] = [&headless, &source].map(|dir| tensor(dir, "final.safetensors", "per_square.weight"));
    assert_ne!(own, other, "heads are new");
}

#[test]
fn what_no_source_moves_to_another_board_is_refused_by_its_name() {
    let bench = Bench::new();
    let refused = |name: &str, text: &str, fit: Fit, parts: &[&str]| {
        let weights = bench
            .trained(name, &on_board(&bench, GameKind::Board5, &[text], 1e-2))
            .join("checkpoints/final.safetensors");
        let mut run = on_board(&bench, GameKind::Board6, &[text], 1e-2);
        run.train.start = Some(Start { fit, ..of_network(&weights, Some(GameKind::Board5)) });
        assert_says(&refusal(&bench, &format!("{name} moved"), &run), parts);
    };
    let unmoved = "on 5×5 and [2, 1296] on 6×6, and no source says how it moves";
    let pairs = ["encoding.relative_bias.layer.0.bias has the shape [2, 625]", unmoved];
    refused("pairs", "relative_bias: {share: pair}", Fit::Bicubic, &pairs);
    refused(
        "smolgen",
        "smolgen: {compress: 4, hidden: 8, gen: 8}",
        Fit::Bicubic,
        &["encoding.smolgen.", "no source says"],
    );
    let by_square = [ABSOLUTE, "has an entry for each square and none for a displacement; write `fit: bicubic`"];
    refused("absolute", "absolute: {at: input}", Fit::Displacement, &by_square);
}

#[test]
fn a_cell_begins_with_the_trunk_of_another_network_and_heads_of_its_own() {
    let bench = Bench::new();
    let source = bench.trained("source", &biased(&bench, None));
    let network = source.join("checkpoints/final.safetensors");
    let mut run = biased(&bench, Some(of_network(&network, None)));
    run.train.start = run.train.start.map(|start| Start { frozen: true, ..start });
    run.seed = 2;
    let moved = bench.trained("moved", &run);
    assert_eq!(learnt(&moved), learnt(&source), "frozen encodings are those of the source");
    let plain =
        bench.trained("plain", &RunConfig { train: TrainConfig { start: None, ..run.train.clone() }, ..run.clone() });
    let apart = |dir: &Path, name: &str| -> f32 {
        let [own, other] = [dir, &source].map(|dir| tensor(dir, "final.safetensors", name));
        own.iter().zip(&other).map(|(own, other)| (own - other).abs()).sum()
    };
    // Six steps change little.
    let (trunk, head) = ("body.0.attention.qkv.weight", "policy.query.weight");
    assert!(apart(&moved, trunk) < 0.3 * apart(&plain, trunk), "{} {}", apart(&moved, trunk), apart(&plain, trunk));
    assert!(apart(&moved, head) > 0.5 * apart(&plain, head), "{} {}", apart(&moved, head), apart(&plain, head));
    run.encoding = vec![encoding("shaw")];
    assert_says(&refusal(&bench, "shaw", &run), &["it has no tensor encoding.shaw.layer.0.", "same encodings"]);
}

#[test]
fn a_network_with_more_than_the_run_has_is_refused() {
    let bench = Bench::new();
    let sizes = |layers: usize, heads: usize| -> RunConfig {
        let model = format!(r#"{{"chessformer": {{"layers": {layers}, "width": 16, "heads": {heads}, "ff": 16}}}}"#);
        RunConfig { model: serde_json::from_str(&model).expect("a model"), ..biased(&bench, None) }
    };
    let source = bench.trained("two layers", &sizes(2, HEADS));
    let own = source.join("checkpoints/final.safetensors");
    let exported = bench.path().join("weights.safetensors");
    fs::copy(&own, &exported).expect("copied");
    let refused = |weights: &Path, run: &RunConfig, part: &str| {
        let train = TrainConfig { start: Some(of_network(weights, None)), ..run.train.clone() };
        let error = check_start(&RunConfig { train, ..run.clone() }).expect_err(part).to_string();
        assert_says(&error, &[part]);
    };
    refused(&exported, &sizes(1, HEADS), "this network has no body.1.");
    let bare = |heads: usize| RunConfig { encoding: vec![encoding("none")], ..sizes(2, heads) };
    refused(&exported, &bare(HEADS), "this network has no encoding.relative_bias.layer.0.bias");
    // No shape of this one shows heads; the configuration of an export or a cell does.
    fs::copy(source.join("config.yaml"), bench.path().join("config.yaml")).expect("copied");
    refused(&exported, &bare(4), "has 2 attention heads (config.yaml beside it)");
    refused(&own, &bare(4), "has 2 attention heads (config.yaml of its cell)");
}

#[test]
fn tables_that_do_not_fit_are_refused_with_a_reason() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Chess.geometry());
    let refused = |name: &str, run: &RunConfig| refusal(&bench, name, run);
    let kept = start(&tables, TableOrder::Kept, false);
    let mut run = biased(&bench, Some(kept.clone()));
    run.encoding = vec![encoding("shaw")];
    assert!(
        refused("shaw", &run).contains("no table encoding.shaw.layer.0.q of 2 heads or curves and [8] a displacement")
    );
    run.encoding = vec![encoding("relative_bias: {share: pair}")];
    assert!(refused("pair", &run).contains("no tables by displacement"));
    let changed = Start { blake3: "00".repeat(32), ..kept };
    assert!(refused("changed", &biased(&bench, Some(changed))).contains("restore the file"));
    fs::write(&tables, "no tensors").expect("written");
    let damaged = start(&tables, TableOrder::Kept, false);
    assert!(refused("damaged", &biased(&bench, Some(damaged))).contains("tables.safetensors: "));
    for (name, side) in [("none", 0), ("negative", -8), ("endless", i64::MAX), ("long", 101)] {
        write_tables(&tables, &[(TABLE, vec![HEADS, 1], vec![0.0; HEADS])], Some([side, 8]));
        let start = start(&tables, TableOrder::Kept, false);
        assert!(refused(name, &biased(&bench, Some(start))).contains("it has no board in `board`"), "{name}");
    }
}

#[test]
fn tables_of_a_network_with_more_layers_are_refused() {
    let bench = Bench::new();
    let board = GameKind::Chess.geometry();
    let classes = Displacement::all(board).len();
    let second = TABLE.replace("layer.0", "layer.1");
    let path = bench.path().join("deeper.safetensors");
    let table = |name| (name, vec![HEADS, classes], vec![0.5; HEADS * classes]);
    let size = [board.files(), board.ranks()].map(|side| side as i64);
    write_tables(&path, &[table(TABLE), table(&second)], Some(size));
    let run = biased(&bench, Some(start(&path, TableOrder::Kept, true)));
    assert_says(&refusal(&bench, "deeper", &run), &[&second, "take a network with as many layers"]);
}

#[test]
fn a_start_with_weights_that_are_not_finite_is_refused() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Chess.geometry());
    let refused = |name: &str, start: Start| {
        assert_says(&refusal(&bench, name, &biased(&bench, Some(start))), &["weights that are not finite"]);
    };
    refused("scale", Start { scale: 1e300, ..start(&tables, TableOrder::Kept, false) });
    let source = bench.trained("source", &biased(&bench, None)).join("checkpoints/final.safetensors");
    let mut bytes = fs::read(source).expect("weights");
    // The last number of each tensor.
    let length = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes")) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).expect("a header");
    for (_, tensor) in header.as_object().expect("tensors").iter().filter(|(name, _)| *name != "__metadata__") {
        let end = 8 + length + tensor["data_offsets"][1].as_u64().expect("an end") as usize;
        if tensor["dtype"] == "F32" {
            bytes[end - 4..end].copy_from_slice(&f32::NAN.to_le_bytes());
        }
    }
    let network = bench.path().join("network.safetensors");
    fs::write(&network, bytes).expect("written");
    let start = start(&network, TableOrder::Kept, false);
    refused("network", Start { tables: PathBuf::new(), network, ..start });
}

#[test]
fn a_started_cell_resumes_to_the_same_bits() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Shogi.geometry());
    let mut run = biased(&bench, Some(start(&tables, TableOrder::Shuffled, false)));
    run.train.steps = 29;
    bench.resumed(&run, 28);
}
