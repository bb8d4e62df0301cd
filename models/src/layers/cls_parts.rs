//! The input `cls_tokens` by parts: its tokens, and the parts of each.
//!
//! The parts are those of two projects, Sid3024/Chess-AI and Heshtin/Chess-Transformer, as their texts describe them; the
//! defaults are the texts' and give 82 tokens (their "84" does not add up). Their code has fewer: `{turn: false, flags: raw,
//! repetition: false, half_move: none, full_move: none}` is the 78 tokens that were trained with a board that is turned,
//! and with `turn: true` the 79 with one that is not.
//!
//! Squares come first and keep the places that heads read; the summary token and the others follow in the texts' order.
//! (In the code the summary token is the first. No encoding sees the difference but those that go by the index.)
//!
//! Every vector starts normal with 1/√d; deviations from the code: it starts them uniform, and only the encoding
//! distinguishes squares.

use super::embedding::{Embeds, with_tokens};
use crate::config::ModelError;
use crate::config::cls_parts::{EnPassant, Flags, FullMove, HalfMove, PartsConfig, Pieces};
use encodings::{LayerContext, Role, Stack, Tokens};
use games::InputLayout;
use nn::{Constant, Init, ParamId, Scope, Views};
use std::sync::Arc;
use tch::{Kind, Tensor};

/// Degree of the polynomial; numbers of the small vector; symbols of a digit's place, the padding among them; places.
const DEGREE: i64 = 8;
const SMALL: i64 = 16;
const SYMBOLS: i64 = 11;
const PLACES: i64 = 3;
const REPETITIONS: i64 = 4;
/// Units of the clocks, and the largest half-move clock.
const HALF_MOVES: f64 = 50.0;
const FULL_MOVES: f64 = 100.0;
const MOST_HALF_MOVES: f64 = 100.0;

const HALF_MOVE_DIGITS: [&str; 3] = ["halfmove_clock.first", "halfmove_clock.second", "halfmove_clock.third"];
const FULL_MOVE_DIGITS: [&str; 3] = ["fullmove_number.first", "fullmove_number.second", "fullmove_number.third"];

impl PartsConfig {
    pub(crate) fn tokens(&self, input: &InputLayout) -> Result<Tokens, ModelError> {
        if input.byte_of(Tokens::CLS).is_none() {
            return Err(ModelError::NoParts(input.name.name()));
        }
        let squares = || (0..input.geometry.squares()).map(Role::Square);
        let owners = (self.pieces == Pieces::Apart).then(squares).into_iter().flatten();
        let aux = |name: &&'static str| Role::Aux(name);
        let roles = squares().chain(owners).chain([Role::Cls]);
        let roles = roles.chain(self.others(input).iter().map(aux)).collect();
        Ok(Tokens::new(input.geometry, roles))
    }

    /// The tokens after the summary token.
    fn others(&self, input: &InputLayout) -> Vec<&'static str> {
        let mut names = self.flags(input);
        names.extend(self.repetition.then_some("repetitions"));
        match self.half_move {
            HalfMove::None => {}
            HalfMove::Linear | HalfMove::Polynomial | HalfMove::PolynomialRelu => names.push("halfmove_clock"),
            HalfMove::Digits => names.extend(HALF_MOVE_DIGITS),
        }
        match self.full_move {
            FullMove::None => {}
            FullMove::Matrix => names.push("fullmove_number"),
            FullMove::Digits => names.extend(FULL_MOVE_DIGITS),
        }
        names
    }

    /// The tokens of yes and no.
    fn flags(&self, input: &InputLayout) -> Vec<&'static str> {
        let wanted = |name: &str| match name.split_once('.') {
            None if name == "turn" => self.turn,
            None => name == "en_passant" && self.en_passant == EnPassant::All,
            Some(("castling", _)) => self.castling,
            Some((first, _)) => first == "en_passant" && self.en_passant != EnPassant::None,
        };
        input.features.iter().map(|feature| feature.name).filter(|name| wanted(name)).collect()
    }
}

/// Tables for each part, from the packed bytes.
#[derive(Debug)]
pub(crate) struct Parts {
    /// One for each token that a square has.
    pieces: Vec<Lookup>,
    cls: ParamId,
    flags: FlagTokens,
    repetition: Option<Lookup>,
    counters: Vec<Counter>,
    width: i64,
}

impl Parts {
    pub(crate) fn declare(scope: &mut Scope<'_>, config: &PartsConfig, input: &InputLayout, width: usize) -> Self {
        let width = width as i64;
        let squares = input.geometry.squares() as i64;
        let byte = |name: &str| input.byte_of(name).map_or(0, |byte| byte as i64);
        let init = normal(width);
        let pieces = declare_pieces(scope, config.pieces, input.piece_codes, squares, width);
        let cls = scope.f32_param("cls", &[width], init.clone());
        let names = config.flags(input);
        let bytes: Vec<i64> = names.iter().map(|name| byte(name)).collect();
        let count = bytes.len() as i64;
        let learned = config.flags == Flags::Learned && count > 0;
        let flags = FlagTokens {
            bytes: Constant::indices(&bytes, &[count]),
            vectors: learned.then(|| scope.f32_param("flags", &[count, 2, width], init.clone())),
            count,
        };
        let repetition = config
            .repetition
            .then(|| Lookup::declare(scope, "repetition", REPETITIONS, width, byte("repetitions"), 1, None));
        let half = Counter::half_move(scope, config.half_move, byte("halfmove_clock"), width);
        let full = Counter::full_move(scope, config.full_move, byte("fullmove_number"), width);
        Self { pieces, cls, flags, repetition, counters: half.into_iter().chain(full).collect(), width }
    }

    /// The table of repetitions, which others may look into.
    pub(crate) fn repetitions(&self) -> Option<ParamId> {
        self.repetition.as_ref().map(|lookup| lookup.table)
    }

    /// Packed rows → `[b,l,d]`, f32.
    fn forward(&self, views: &Views, packed: &Tensor) -> Tensor {
        let batch = packed.size()[0];
        let mut tokens: Vec<Tensor> = self.pieces.iter().map(|lookup| lookup.forward(views, packed)).collect();
        tokens.push(views[self.cls].view([1, 1, self.width]).expand([batch, 1, self.width], false));
        if self.flags.count > 0 {
            tokens.push(self.flags.forward(views, packed, self.width));
        }
        tokens.extend(self.repetition.iter().map(|lookup| lookup.forward(views, packed)));
        tokens.extend(self.counters.iter().map(|counter| counter.forward(views, packed)));
        Tensor::cat(&tokens, 1)
    }
}

impl Embeds for Parts {
    fn embed(&self, at: LayerContext<'_>, stack: &Stack, added: Option<Tensor>) -> Tensor {
        stack.embed(at, with_tokens(self.forward(at.views, at.packed), added))
    }

    fn position_sources(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn macs(&self, _length: u64) -> u64 {
        let matrix = |counter: &Counter| matches!(counter.encoding, CounterEncoding::Matrix { .. });
        self.counters.iter().filter(|counter| matrix(counter)).map(|_| (SMALL * self.width) as u64).sum()
    }
}

fn normal(width: i64) -> Init {
    Init::Normal { std: (width as f64).sqrt().recip() }
}

fn declare_pieces(scope: &mut Scope<'_>, pieces: Pieces, codes: usize, squares: i64, width: i64) -> Vec<Lookup> {
    let kinds = (codes - 1) / 2;
    // Code 0 is empty; then the viewer's pieces by kind, then the opponent's.
    let kind = |code: usize| if code == 0 { 0 } else { 1 + (code - 1) % kinds };
    let owner = |code: usize| if code == 0 { 0 } else { 1 + (code - 1) / kinds };
    let mut table = |name, rows: usize, picked: &dyn Fn(usize) -> Vec<usize>| {
        let mut picks = vec![0f32; codes * rows];
        (0..codes).for_each(|code| picked(code).into_iter().for_each(|row| picks[code * rows + row] = 1.0));
        let picks = Constant::floats(&picks, &[codes as i64, rows as i64]);
        Lookup::declare(scope, name, rows as i64, width, 0, squares, Some((picks, codes as i64)))
    };
    match pieces {
        Pieces::Thirteen => vec![table("pieces", codes, &|code| vec![code])],
        Pieces::Nine => vec![table("pieces", kinds + 3, &|code| match code {
            0 => vec![0],
            _ => vec![kind(code), kinds + owner(code)],
        })],
        Pieces::Ten => vec![table("pieces", kinds + 4, &|code| vec![kind(code), kinds + 1 + owner(code)])],
        Pieces::Apart => {
            vec![table("kinds", kinds + 1, &|code| vec![kind(code)]), table("owners", 3, &|code| vec![owner(code)])]
        }
    }
}

/// Bytes become rows of a table. As a product with zeros and ones, not a gather: its gradient adds up in a fixed order.
#[derive(Debug)]
struct Lookup {
    table: ParamId,
    start: i64,
    count: i64,
    /// Which rows a byte adds up, `[bytes, rows]`, where it is not the row of its number.
    picks: Option<Constant>,
    bytes: Constant,
}

impl Lookup {
    /// For `count` bytes from `start` on; `picks` with the number of its bytes.
    fn declare(
        scope: &mut Scope<'_>,
        name: &str,
        rows: i64,
        width: i64,
        start: i64,
        count: i64,
        picks: Option<(Constant, i64)>,
    ) -> Self {
        let (picks, known) = picks.map_or((None, rows), |(picks, known)| (Some(picks), known));
        let bytes: Vec<i64> = (0..known).collect();
        let table = scope.matrix(name, &[rows, width], normal(width));
        Self { table, start, count, picks, bytes: Constant::indices(&bytes, &[known]) }
    }

    /// `[b,count,d]`, f32.
    fn forward(&self, views: &Views, packed: &Tensor) -> Tensor {
        let bytes = packed.narrow(1, self.start, self.count).unsqueeze(-1);
        let one_hot = bytes.eq_tensor(&self.bytes.on(packed.device())).to_kind(Kind::Float);
        let picked = match &self.picks {
            None => one_hot,
            Some(picks) => one_hot.matmul(&picks.on(packed.device())),
        };
        picked.to_kind(views.kind()).matmul(&views[self.table]).to_kind(Kind::Float)
    }
}

/// The tokens of yes and no.
#[derive(Debug)]
struct FlagTokens {
    bytes: Constant,
    /// `[flags, 2, d]`; `None` where the byte itself fills the token.
    vectors: Option<ParamId>,
    count: i64,
}

impl FlagTokens {
    fn forward(&self, views: &Views, packed: &Tensor, width: i64) -> Tensor {
        let flags = packed.index_select(1, &self.bytes.on(packed.device())).to_kind(Kind::Float).unsqueeze(-1);
        match self.vectors {
            None => flags.expand([-1, -1, width], false),
            Some(vectors) => {
                let (no, yes) = (views[vectors].select(1, 0), views[vectors].select(1, 1));
                &flags * yes + (flags.ones_like() - &flags) * no
            }
        }
    }
}

#[derive(Debug)]
struct Counter {
    byte: i64,
    encoding: CounterEncoding,
}

/// How a counter becomes tokens, with its parameters.
#[derive(Debug)]
enum CounterEncoding {
    Scaled { vector: ParamId, polynomial: Option<ParamId>, cut: bool },
    Matrix { small: ParamId, matrix: ParamId },
    Digits { symbols: ParamId, places: ParamId, read: Constant, known: Constant },
}

impl Counter {
    fn half_move(scope: &mut Scope<'_>, kind: HalfMove, byte: i64, width: i64) -> Option<Self> {
        let scope = &mut scope.sub("half_move");
        let polynomial = matches!(kind, HalfMove::Polynomial | HalfMove::PolynomialRelu);
        let encoding = match kind {
            HalfMove::None => return None,
            HalfMove::Digits => CounterEncoding::digits(scope, width),
            HalfMove::Linear | HalfMove::Polynomial | HalfMove::PolynomialRelu => CounterEncoding::Scaled {
                vector: scope.f32_param("vector", &[width], normal(width)),
                polynomial: polynomial.then(|| scope.f32_param("polynomial", &[DEGREE + 1], identity())),
                cut: kind == HalfMove::PolynomialRelu,
            },
        };
        Some(Self { byte, encoding })
    }

    fn full_move(scope: &mut Scope<'_>, kind: FullMove, byte: i64, width: i64) -> Option<Self> {
        let scope = &mut scope.sub("full_move");
        let encoding = match kind {
            FullMove::None => return None,
            FullMove::Digits => CounterEncoding::digits(scope, width),
            FullMove::Matrix => CounterEncoding::Matrix {
                small: scope.f32_param("vector", &[SMALL], normal(SMALL)),
                matrix: scope.matrix("matrix", &[SMALL, width], normal(width)),
            },
        };
        Some(Self { byte, encoding })
    }

    /// `[b,tokens,d]`, f32.
    fn forward(&self, views: &Views, packed: &Tensor) -> Tensor {
        let byte = packed.narrow(1, self.byte, 1);
        let number = || byte.to_kind(Kind::Float).unsqueeze(-1);
        match &self.encoding {
            CounterEncoding::Scaled { vector, polynomial, cut } => {
                let x = number().clamp_max(MOST_HALF_MOVES) / HALF_MOVES;
                let scale =
                    polynomial.map_or_else(|| x.shallow_clone(), |coefficients| evaluate(&views[coefficients], &x));
                let scale = if *cut { scale.relu() } else { scale };
                scale * &views[*vector]
            }
            CounterEncoding::Matrix { small, matrix } => {
                let scaled = number() / FULL_MOVES * &views[*small];
                scaled.to_kind(views.kind()).matmul(&views[*matrix]).to_kind(Kind::Float)
            }
            CounterEncoding::Digits { symbols, places, read, known } => {
                let digits = read.on(packed.device()).index_select(0, &byte.squeeze_dim(1).to_kind(Kind::Int64));
                let one_hot = digits.unsqueeze(-1).eq_tensor(&known.on(packed.device())).to_kind(views.kind());
                one_hot.matmul(&views[*symbols]).to_kind(Kind::Float) + &views[*places]
            }
        }
    }
}

impl CounterEncoding {
    fn digits(scope: &mut Scope<'_>, width: i64) -> Self {
        let known: Vec<i64> = (0..SYMBOLS).collect();
        let read: Vec<i64> = (0..=u8::MAX).flat_map(symbols_of).collect();
        Self::Digits {
            symbols: scope.matrix("symbols", &[SYMBOLS, width], normal(width)),
            places: scope.f32_param("places", &[PLACES, width], normal(width)),
            read: Constant::indices(&read, &[i64::from(u8::MAX) + 1, PLACES]),
            known: Constant::indices(&known, &[SYMBOLS]),
        }
    }
}

/// The digits of a number, left-aligned; places after its end have the last symbol.
fn symbols_of(number: u8) -> [i64; PLACES as usize] {
    let mut symbols = [SYMBOLS - 1; PLACES as usize];
    for (symbol, digit) in symbols.iter_mut().zip(number.to_string().bytes()) {
        *symbol = i64::from(digit - b'0');
    }
    symbols
}

/// Coefficients from the constant up, of p(x) = x.
fn identity() -> Init {
    Init::Custom(Arc::new(|_, shape| (0..shape[0]).map(|power| if power == 1 { 1.0 } else { 0.0 }).collect()))
}

fn evaluate(coefficients: &Tensor, x: &Tensor) -> Tensor {
    let of_power = |power: i64| coefficients.select(0, power);
    (0..DEGREE).rev().fold(of_power(DEGREE) + x.zeros_like(), |sum, power| sum * x + of_power(power))
}

#[cfg(test)]
mod tests;
