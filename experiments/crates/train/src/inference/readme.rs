//! The description of an export's files, for readers without knowledge of posenc.

use super::cell::Loaded;
use super::tensors_file::Named;
use encodings::{Role, Tokens};
use games::{Entry, FeatureKind, FromTo, InputLayout, Planes, Vocabulary};
use serde::Serialize;
use std::fmt::Write as _;
use tch::Kind;

const FORMAT: &str = "posenc-export-1";

const HEAD: &str = "\
# A network of posenc, for other programs; docs/export.md of posenc explains every field.
# Tensors are little-endian and row-major. b positions, l tokens, c channels, d width, v moves of the vocabulary.
# A square is rank * files + file in the frame of the side to move, rank 0 its own back rank; squares come first among
# the tokens. moves.tsv lists the vocabulary in the order of the policy.
";

#[derive(Serialize)]
struct Page<'a> {
    format: &'static str,
    posenc: &'static str,
    game: &'static str,
    weights: Weights,
    board: Board,
    tokens: Vec<&'a str>,
    input: Input<'a>,
    moves: Moves,
    weights_safetensors: Vec<Described>,
    forward_safetensors: Vec<Described>,
    positions: Vec<&'a str>,
}

#[derive(Serialize)]
struct Weights {
    from: String,
    parameters: usize,
    dtype: &'static str,
}

#[derive(Serialize)]
struct Board {
    files: usize,
    ranks: usize,
}

#[derive(Serialize)]
struct Input<'a> {
    name: &'static str,
    row_bytes: usize,
    boards: usize,
    piece_codes: usize,
    /// Bytes of each square that encode its attackers, following the boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    attack_bytes: Option<usize>,
    features: Vec<Feature<'a>>,
}

#[derive(Serialize)]
struct Feature<'a> {
    name: &'a str,
    byte: usize,
    /// The channel is `byte / divisor`; none if the byte is `square + 1` (0 for none) or the feature has steps.
    divisor: Option<f32>,
    /// The number of channels; the n-th is 1 if the byte is n or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u8>,
    /// The values of the byte, each a channel of the feature's own token.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'a [&'a str]>,
}

#[derive(Serialize)]
struct Moves {
    name: &'static str,
    count: usize,
    blake3: String,
}

#[derive(Serialize)]
struct Described {
    name: String,
    dtype: &'static str,
    shape: Vec<i64>,
}

/// The description as YAML. `weights` are the tensors of `weights.safetensors`, `forward` those of
/// `forward.safetensors`.
pub(super) fn page(
    cell: &Loaded,
    weights: &[Named],
    forward: &[Named],
    positions: &[&str],
) -> Result<String, serde_yaml::Error> {
    let spec = cell.config.spec();
    let page = Page {
        format: FORMAT,
        posenc: env!("CARGO_PKG_VERSION"),
        game: cell.config.game.name(),
        weights: Weights { from: cell.origin.to_string(), parameters: cell.layout().total(), dtype: "f32" },
        board: Board { files: spec.input.geometry.files(), ranks: spec.input.geometry.ranks() },
        tokens: cell.network.tokens().roles().iter().map(|role| name_of(role, spec.input)).collect(),
        input: input(spec.input),
        moves: Moves { name: spec.moves.name(), count: spec.moves.len(), blake3: spec.moves.hash() },
        weights_safetensors: weights.iter().map(described).collect(),
        forward_safetensors: forward.iter().map(described).collect(),
        positions: positions.to_vec(),
    };
    Ok(HEAD.to_owned() + &serde_yaml::to_string(&page)?)
}

fn name_of(role: &Role, input: &InputLayout) -> &'static str {
    match role {
        Role::Square(_) => "square",
        Role::Cls => input.summary_token().unwrap_or(Tokens::CLS),
        Role::Aux(name) => name,
        Role::Outside(..) => "outside",
    }
}

fn input(layout: &InputLayout) -> Input<'_> {
    let at = layout.features_at();
    let features = layout.features.iter().enumerate().map(|(i, feature)| {
        let plain = Feature { name: feature.name, byte: at + i, divisor: None, steps: None, words: None };
        match feature.kind {
            FeatureKind::Scalar { scale } => Feature { divisor: Some(scale), ..plain },
            FeatureKind::Thermometer { steps } => Feature { steps: Some(steps), ..plain },
            FeatureKind::Token { values } => Feature { words: Some(values), ..plain },
            FeatureKind::Square => plain,
        }
    });
    Input {
        name: layout.name.name(),
        row_bytes: layout.row_bytes(),
        boards: layout.steps(),
        piece_codes: layout.piece_codes,
        attack_bytes: Some(layout.attack_bytes()).filter(|&bytes| bytes > 0),
        features: features.collect(),
    }
}

fn described(named: &Named) -> Described {
    let dtype = match named.tensor.kind() {
        Kind::Float => "f32",
        Kind::Double => "f64",
        Kind::Int64 => "i64",
        Kind::Int8 => "i8",
        Kind::Uint8 => "u8",
        _ => "bool",
    };
    Described { name: named.name.clone(), dtype, shape: named.tensor.size() }
}

pub(super) fn moves(moves: Vocabulary) -> String {
    match moves {
        Vocabulary::FromTo(moves) => pairs(moves),
        Vocabulary::Planes(moves) => planes(moves),
        Vocabulary::List(list) => pairs(&list.moves),
    }
}

/// An entry by the columns of its line: `12-28`, `12-28 knight`, `pawn 28` for a drop; of planes the class and the square.
pub(super) fn entry_name(moves: Vocabulary, index: usize) -> String {
    let of_pairs = |moves: &FromTo| match moves.entries()[index] {
        Entry::Plain { from, to } => format!("{from}-{to}"),
        Entry::Promotion { from, to, kind } => format!("{from}-{to} {}", moves.promotions[usize::from(kind)]),
        Entry::Drop { kind, to } => format!("{} {to}", moves.drops[usize::from(kind)]),
    };
    match moves {
        Vocabulary::FromTo(moves) => of_pairs(moves),
        Vocabulary::List(list) => of_pairs(&list.moves),
        Vocabulary::Planes(moves) => {
            let entry = &moves.entries()[index];
            format!("{} {}", moves.classes[usize::from(entry.class)], entry.to)
        }
    }
}

fn planes(moves: &Planes) -> String {
    let mut table = String::from("index\tclass\tto\n");
    for (i, entry) in moves.entries().iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(table, "{i}\t{}\t{}", moves.classes[usize::from(entry.class)], entry.to);
    }
    table
}

/// Index, kind, from (empty for a drop), to, and the promotion or the dropped piece.
fn pairs(moves: &FromTo) -> String {
    let mut table = String::from("index\tkind\tfrom\tto\tpiece\n");
    for (i, entry) in moves.entries().iter().enumerate() {
        let (kind, from, to, piece) = match *entry {
            Entry::Plain { from, to } => ("plain", from.to_string(), to, ""),
            Entry::Promotion { from, to, kind } => {
                ("promotion", from.to_string(), to, moves.promotions[usize::from(kind)])
            }
            Entry::Drop { kind, to } => ("drop", String::new(), to, moves.drops[usize::from(kind)]),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(table, "{i}\t{kind}\t{from}\t{to}\t{piece}");
    }
    table
}
