//! `train.start`: a cell begins with the tables of another network, of its own board or of another one.

use crate::batch_norm::tensor;
use config::start::{Start, TableOrder};
use config::{RunConfig, TrainConfig};
use encodings::displacements::Displacement;
use games::{GameKind, Geometry};
use safetensors::tensor::{Dtype, TensorView};
use std::fs;
use std::path::{Path, PathBuf};
use testing::{Bench, encoding, train};

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
    Start { tables: tables.to_owned(), network: PathBuf::new(), blake3, order, frozen, scale: 1.0 }
}

/// What the entry of a displacement is in [`made_up`].
fn number(head: usize, displacement: Displacement) -> f32 {
    (1 + head) as f32 + 0.01 * displacement.ranks as f32 + 0.0001 * displacement.files as f32
}

/// A file of tables of a board.
fn made_up(path: PathBuf, board: Geometry) -> PathBuf {
    let all = Displacement::all(board);
    let values = (0..HEADS).flat_map(|head| all.iter().map(move |&displacement| number(head, displacement)));
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    let size: Vec<u8> = [board.files() as i64, board.ranks() as i64].into_iter().flat_map(i64::to_le_bytes).collect();
    let table = TensorView::new(Dtype::F32, vec![HEADS, all.len()], &bytes).expect("a table");
    let board = TensorView::new(Dtype::I64, vec![2], &size).expect("a size");
    let file = safetensors::serialize([(TABLE, table), ("board", board)], None).expect("a file");
    fs::write(&path, file).expect("written");
    path
}

/// The table of a finished cell, `[h, classes]`.
fn learnt(dir: &Path) -> Vec<f32> {
    tensor(dir, "final.safetensors", TABLE)
}

#[test]
fn a_displacement_keeps_its_entry_on_another_board() {
    let bench = Bench::new();
    let chess = GameKind::Chess.geometry();
    for (name, board) in [("larger", GameKind::Shogi.geometry()), ("same", chess), ("smaller", Geometry::new(5, 6))] {
        let tables = made_up(bench.path().join(format!("{name}.safetensors")), board);
        let run = biased(&bench, Some(start(&tables, TableOrder::Kept, true)));
        let found = learnt(&bench.trained(name, &run));
        let expected = (0..HEADS).flat_map(|head| {
            Displacement::all(chess)
                .into_iter()
                .map(move |displacement| displacement.class_on(board).map_or(0.0, |_| number(head, displacement)))
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{name}: frozen tables are those that were moved");
    }
}

/// The parameters of kerple with two heads, as a network of 5×5 exports them.
fn formula(path: PathBuf) -> PathBuf {
    let numbers = |numbers: [f32; HEADS]| numbers.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let values = FORMULA.map(|(name, values)| (name, numbers(values)));
    let size: Vec<u8> = [5_i64, 5].into_iter().flat_map(i64::to_le_bytes).collect();
    let tensors = values
        .iter()
        .map(|(name, bytes)| (*name, TensorView::new(Dtype::F32, vec![HEADS], bytes).expect("numbers of the heads")));
    let board = TensorView::new(Dtype::I64, vec![2], &size).expect("a size");
    let file = safetensors::serialize(tensors.chain([("board", board)]), None).expect("a file");
    fs::write(&path, file).expect("written");
    path
}

const FORMULA: [(&str, [f32; HEADS]); 2] =
    [("encoding.kerple.layer.0.first", [0.5, -0.25]), ("encoding.kerple.layer.0.second", [0.125, 1.5])];

#[test]
fn the_parameters_of_a_formula_serve_a_board_of_another_size() {
    let bench = Bench::new();
    let file = formula(bench.path().join("kerple.safetensors"));
    let run = |start: Start| RunConfig {
        encoding: vec![encoding("kerple: {kernel: log, distance: euclidean}")],
        ..biased(&bench, Some(start))
    };
    let moved = bench.trained("moved", &run(start(&file, TableOrder::Kept, true)));
    for (name, values) in FORMULA {
        assert_eq!(tensor(&moved, "final.safetensors", name), values);
    }
    let refused = |name: &str, start: Start| match train(&bench.cell(name, &run(start))) {
        Err(error) => assert!(error.to_string().contains("a formula has none"), "{error}"),
        Ok(outcome) => panic!("{name}: {outcome:?}"),
    };
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
fn the_control_has_the_same_numbers_in_other_places() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("shogi.safetensors"), GameKind::Shogi.geometry());
    let [kept, shuffled] = [TableOrder::Kept, TableOrder::Shuffled]
        .map(|order| learnt(&bench.trained(&format!("{order:?}"), &biased(&bench, Some(start(&tables, order, true))))));
    assert_ne!(kept, shuffled);
    let sorted = |mut values: Vec<f32>| {
        values.sort_unstable_by(f32::total_cmp);
        values
    };
    assert_eq!(sorted(kept), sorted(shuffled));
}

#[test]
fn a_cell_begins_with_the_trunk_of_another_network_and_heads_of_its_own() {
    let bench = Bench::new();
    let source = bench.trained("source", &biased(&bench, None));
    let network = source.join("checkpoints/final.safetensors");
    let blake3 = blake3::hash(&fs::read(&network).expect("weights")).to_hex().to_string();
    let tables = PathBuf::new();
    let start = Start { tables, network, blake3, order: TableOrder::Kept, frozen: true, scale: 1.0 };
    let mut run = biased(&bench, Some(start));
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
    let refused = train(&bench.cell("shaw", &run)).expect_err("no tables of shaw").to_string();
    assert!(
        refused.contains("it has no tensor encoding.shaw.layer.0.") && refused.contains("same encodings"),
        "{refused}"
    );
}

#[test]
fn tables_that_do_not_fit_are_refused_with_a_reason() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Chess.geometry());
    let refused = |name: &str, run: &RunConfig| match train(&bench.cell(name, run)) {
        Err(error) => error.to_string(),
        Ok(outcome) => panic!("{name}: {outcome:?}"),
    };
    let kept = start(&tables, TableOrder::Kept, false);
    let mut run = biased(&bench, Some(kept.clone()));
    run.encoding = vec![encoding("shaw")];
    assert!(refused("shaw", &run).contains("no table encoding.shaw.layer.0.q of 2 heads and [8] a displacement"));
    run.encoding = vec![encoding("relative_bias: {share: pair}")];
    assert!(refused("pair", &run).contains("no tables by displacement"));
    let changed = Start { blake3: "00".repeat(32), ..kept };
    assert!(refused("changed", &biased(&bench, Some(changed))).contains("restore the file"));
    fs::write(&tables, "no tensors").expect("written");
    let damaged = start(&tables, TableOrder::Kept, false);
    assert!(refused("damaged", &biased(&bench, Some(damaged))).contains("tables.safetensors: "));
    for (name, side) in [("none", 0), ("negative", -8), ("endless", i64::MAX), ("long", 101)] {
        let table = TensorView::new(Dtype::F32, vec![HEADS, 1], &[0; 4 * HEADS]).expect("a table");
        let size = [side.to_le_bytes(), 8_i64.to_le_bytes()].concat();
        let board = TensorView::new(Dtype::I64, vec![2], &size).expect("a size");
        let file = safetensors::serialize([(TABLE, table), ("board", board)], None).expect("a file");
        fs::write(&tables, file).expect("written");
        let start = start(&tables, TableOrder::Kept, false);
        assert!(refused(name, &biased(&bench, Some(start))).contains("it has no board in `board`"), "{name}");
    }
}

#[test]
fn a_start_with_weights_that_are_not_finite_is_refused() {
    let bench = Bench::new();
    let tables = made_up(bench.path().join("tables.safetensors"), GameKind::Chess.geometry());
    let refused = |name: &str, start: Start| match train(&bench.cell(name, &biased(&bench, Some(start)))) {
        Err(error) => assert!(error.to_string().contains("weights that are not finite"), "{error}"),
        Ok(outcome) => panic!("{name}: {outcome:?}"),
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
