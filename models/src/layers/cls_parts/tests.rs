//! Every token by plain loops, and how many numbers each part learns.

use super::*;
use games::GameKind;
use games::InputName::ClsTokens;
use nn::{Arena, LayoutBuilder, Part};
use tch::Device;

const WIDTH: usize = 6;

struct Declared {
    parts: Parts,
    arena: Arena,
    tokens: Tokens,
}

fn declared(config: &PartsConfig) -> Declared {
    let input = GameKind::Chess.input(ClsTokens);
    let mut builder = LayoutBuilder::default();
    let parts = Parts::declare(&mut builder.scope("embedding", Part::Trunk), config, input, WIDTH);
    let layout = Arc::new(builder.finish().expect("no name occurs twice"));
    let count = layout.len();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37 % 101) as f32 - 50.0) / 40.0).collect();
    let arena = Arena::from_values(layout, &values, Device::Cpu).expect("memory");
    Declared { parts, arena, tokens: config.tokens(input).expect("the input has parts") }
}

/// Two positions: an empty board but for a few pieces, with everything set, and with nothing.
fn rows() -> Vec<Vec<u8>> {
    let mut first: Vec<u8> = (0..64).map(|square| if square % 7 == 0 { square as u8 % 13 } else { 0 }).collect();
    let mut second = vec![0; 64];
    first.extend([0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 2, 73, 140]);
    second[63] = 12;
    second.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);
    vec![first, second]
}

impl Declared {
    fn found(&self, rows: &[Vec<u8>]) -> Vec<f64> {
        let packed = Tensor::from_slice(&rows.concat()).view([rows.len() as i64, -1]);
        let x = self.parts.forward(&self.arena.frozen_views(), &packed);
        assert_eq!(x.size(), [rows.len() as i64, self.tokens.len() as i64, WIDTH as i64]);
        Vec::try_from(x.to_kind(Kind::Double).flatten(0, -1)).expect("numbers")
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let id = self.arena.layout().find(&format!("embedding.{name}")).unwrap_or_else(|| panic!("{name} is learnt"));
        Vec::try_from(self.arena.frozen_views()[id].to_kind(Kind::Double).flatten(0, -1)).expect("numbers")
    }

    fn row(&self, name: &str, row: usize) -> Vec<f64> {
        self.numbers(name)[row * WIDTH..][..WIDTH].to_vec()
    }
}

fn sum(a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn scaled(a: &[f64], by: f64) -> Vec<f64> {
    a.iter().map(|a| a * by).collect()
}

/// The tokens of a row, as the texts describe them.
fn expected(of: &Declared, config: &PartsConfig, row: &[u8]) -> Vec<f64> {
    let kind = |code: u8| usize::from(if code > 6 { code - 6 } else { code });
    let owner = |code: u8| usize::from(code > 0) + usize::from(code > 6);
    let squares = &row[..64];
    let mut tokens: Vec<Vec<f64>> = match config.pieces {
        Pieces::Thirteen => squares.iter().map(|&code| of.row("pieces", code.into())).collect(),
        Pieces::Nine => squares
            .iter()
            .map(|&code| match code {
                0 => of.row("pieces", 0),
                _ => sum(of.row("pieces", kind(code)), &of.row("pieces", 6 + owner(code))),
            })
            .collect(),
        Pieces::Ten => {
            squares.iter().map(|&code| sum(of.row("pieces", kind(code)), &of.row("pieces", 7 + owner(code)))).collect()
        }
        Pieces::Apart => {
            let kinds = squares.iter().map(|&code| of.row("kinds", kind(code)));
            kinds.chain(squares.iter().map(|&code| of.row("owners", owner(code)))).collect()
        }
    };
    tokens.push(of.row("cls", 0));
    let [turn, castling, en_passant] = [65, 66, 70];
    let mut flags: Vec<u8> = Vec::new();
    flags.extend(config.turn.then_some(row[turn]));
    flags.extend(config.castling.then_some(&row[castling..castling + 4]).into_iter().flatten());
    flags.extend(match config.en_passant {
        EnPassant::All => &row[en_passant..en_passant + 9],
        EnPassant::Files => &row[en_passant + 1..en_passant + 9],
        EnPassant::None => &[],
    });
    for (i, &flag) in flags.iter().enumerate() {
        tokens.push(match config.flags {
            Flags::Raw => vec![flag.into(); WIDTH],
            Flags::Learned => of.row("flags", 2 * i + usize::from(flag)),
        });
    }
    if config.repetition {
        tokens.push(of.row("repetition", row[79].into()));
    }
    let x = f64::from(row[80]) / 50.0;
    let polynomial = || {
        let coefficients = of.numbers("half_move.polynomial");
        assert_eq!(coefficients.len(), 9);
        coefficients.iter().enumerate().map(|(power, c)| c * x.powi(power as i32)).sum::<f64>()
    };
    let digits = |name: &str, number: u8| -> Vec<Vec<f64>> {
        let text = format!("{number:.<3}");
        let symbol = |c: char| c.to_digit(10).map_or(10, |digit| digit as usize);
        let token = |(place, c): (usize, char)| {
            sum(of.row(&format!("{name}.symbols"), symbol(c)), &of.row(&format!("{name}.places"), place))
        };
        text.chars().enumerate().map(token).collect()
    };
    match config.half_move {
        HalfMove::None => {}
        HalfMove::Linear => tokens.push(scaled(&of.row("half_move.vector", 0), x)),
        HalfMove::Polynomial => tokens.push(scaled(&of.row("half_move.vector", 0), polynomial())),
        HalfMove::PolynomialRelu => tokens.push(scaled(&of.row("half_move.vector", 0), polynomial().max(0.0))),
        HalfMove::Digits => tokens.extend(digits("half_move", row[80])),
    }
    match config.full_move {
        FullMove::None => {}
        FullMove::Matrix => {
            let (small, matrix) = (of.numbers("full_move.vector"), of.numbers("full_move.matrix"));
            let entry = |i: usize| (0..16).map(|j| f64::from(row[81]) / 100.0 * small[j] * matrix[j * WIDTH + i]).sum();
            tokens.push((0..WIDTH).map(entry).collect());
        }
        FullMove::Digits => tokens.extend(digits("full_move", row[81])),
    }
    tokens.concat()
}

/// Each value of each part, the others as in the texts.
fn choices() -> Vec<PartsConfig> {
    let usual = PartsConfig::default();
    let mut all = vec![usual];
    all.extend([Pieces::Nine, Pieces::Ten, Pieces::Apart].map(|pieces| PartsConfig { pieces, ..usual }));
    all.extend([EnPassant::Files, EnPassant::None].map(|en_passant| PartsConfig { en_passant, ..usual }));
    all.extend(
        [HalfMove::None, HalfMove::Linear, HalfMove::PolynomialRelu, HalfMove::Digits]
            .map(|half_move| PartsConfig { half_move, ..usual }),
    );
    all.extend([FullMove::None, FullMove::Digits].map(|full_move| PartsConfig { full_move, ..usual }));
    all.push(PartsConfig { turn: false, ..usual });
    all.push(PartsConfig { castling: false, repetition: false, ..usual });
    all.push(PartsConfig { flags: Flags::Raw, ..usual });
    all.push(published(false));
    all
}

/// The formula of the projects' code; without a turn where the board is rotated.
fn published(turn: bool) -> PartsConfig {
    let (half_move, full_move) = (HalfMove::None, FullMove::None);
    PartsConfig { turn, flags: Flags::Raw, repetition: false, half_move, full_move, ..PartsConfig::default() }
}

#[test]
fn tokens_are_those_of_plain_loops() {
    for config in choices() {
        let of = declared(&config);
        let rows = rows();
        let found = of.found(&rows);
        let expected: Vec<f64> = rows.iter().flat_map(|row| expected(&of, &config, row)).collect();
        assert_eq!(found.len(), expected.len(), "{config:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{config:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn there_are_as_many_tokens_as_the_texts_parts_add_up_to() {
    let usual = PartsConfig::default();
    let count = |config: PartsConfig| declared(&config).tokens.len();
    // CLS, 64 squares, turn, 4 castling, 9 en passant, repetition, half and full moves.
    assert_eq!(count(usual), 1 + 64 + 1 + 4 + 9 + 1 + 1 + 1);
    assert_eq!((count(published(false)), count(published(true))), (78, 79));
    assert_eq!(count(PartsConfig { en_passant: EnPassant::Files, ..usual }), 81);
    assert_eq!(count(PartsConfig { pieces: Pieces::Apart, ..usual }), 82 + 64);
    assert_eq!(count(PartsConfig { half_move: HalfMove::Digits, full_move: FullMove::Digits, ..usual }), 86);
    let tokens = declared(&PartsConfig { pieces: Pieces::Apart, ..usual }).tokens;
    assert_eq!((tokens.cls(), tokens.square(64), tokens.square(63)), (Some(128), Some(0), Some(63)));
}

#[test]
fn each_part_learns_as_many_numbers_as_its_formula_says() {
    let count = |config: PartsConfig| declared(&config).arena.layout().total();
    let (d, usual) = (WIDTH, PartsConfig::default());
    let pieces = |pieces| count(PartsConfig { pieces, ..usual }) as i64 - count(usual) as i64;
    // 13 pieces, CLS, two for each of 14 flags, 4 repetitions, a vector and 9 coefficients, 16 and a matrix.
    assert_eq!(count(usual), d * (13 + 1 + 2 * 14 + 4 + 1) + 9 + 16 + 16 * d);
    assert_eq!([Pieces::Nine, Pieces::Ten, Pieces::Apart].map(pieces), [-4, -3, -3].map(|rows| rows * d as i64));
    assert_eq!(count(published(false)), d * (13 + 1));
    let digits = PartsConfig { half_move: HalfMove::Digits, full_move: FullMove::None, ..usual };
    assert_eq!(count(digits), d * (13 + 1 + 2 * 14 + 4 + 11 + 3));
}

#[test]
fn the_polynomial_starts_as_the_identity() {
    let input = GameKind::Chess.input(ClsTokens);
    let first = |config: PartsConfig| {
        let mut builder = LayoutBuilder::default();
        let parts = Parts::declare(&mut builder.scope("embedding", Part::Trunk), &config, input, WIDTH);
        let layout = Arc::new(builder.finish().expect("no name occurs twice"));
        let arena = Arena::initialise(layout, 1, "", Device::Cpu).expect("memory");
        let packed = Tensor::from_slice(&rows().concat()).view([2, -1]);
        parts.forward(&arena.frozen_views(), &packed)
    };
    let usual = PartsConfig::default();
    let linear = first(PartsConfig { half_move: HalfMove::Linear, ..usual });
    for half_move in [HalfMove::Polynomial, HalfMove::PolynomialRelu] {
        let off = (first(PartsConfig { half_move, ..usual }) - &linear).abs().max().double_value(&[]);
        assert!(off < 1e-6, "{off}");
    }
}

#[test]
fn another_input_has_no_parts() {
    for input in GameKind::ALL.into_iter().flat_map(GameKind::inputs).filter(|input| input.byte_of("cls").is_none()) {
        let error = PartsConfig::default().tokens(input).expect_err("it has no summary token").to_string();
        assert!(error.contains(input.name.name()) && error.contains("cls_tokens"), "{error}");
    }
}
