//! Σ_t m_ht·Re(Σ_f conj(Q_tf(i))·K_f(j)) after the scale: complex convolutions square by square.

use super::gab_templates::{mixture, mixture_macs};
use super::smolgen::activate;
use super::*;
use encodings::tab::{Config, Rotations};

type Number = [f64; 2];

fn times([a, b]: Number, [c, d]: Number) -> Number {
    [a * c - b * d, a * d + b * c]
}

/// The states of all squares for one frequency, `[square][channel]`.
type State = Vec<Vec<Number>>;

struct Field<'a> {
    config: &'a Config,
    given: &'a Given<'a>,
    /// e^{iφ} of every square.
    turns: Vec<Number>,
}

impl Field<'_> {
    fn sides(&self) -> [i64; 2] {
        let geometry = self.given.tokens.geometry();
        [geometry.ranks() as i64, geometry.files() as i64]
    }

    fn activated(&self, state: &State, share: usize) -> State {
        let part = |x: f64| activate(self.config.activation, x / (share as f64).sqrt());
        state.iter().map(|square| square.iter().map(|z| z.map(part)).collect()).collect()
    }

    fn turned(&self, state: State, back: bool) -> State {
        let turn = |([cos, sin], square): (&Number, Vec<Number>)| -> Vec<Number> {
            let by = [*cos, if back { -sin } else { *sin }];
            square.into_iter().map(|z| times(z, by)).collect()
        };
        self.turns.iter().zip(state).map(turn).collect()
    }

    /// Σ over channels and the squares of the kernel, at the distance of the dilation; nothing beyond the edge.
    fn convolved(&self, state: &State, name: &str, side: i64, dilation: i64) -> State {
        let [real, imaginary] =
            ["real", "imaginary"].map(|part| self.given.parameter(&format!("templates.{name}.{part}")));
        let ([ranks, files], inputs) = (self.sides(), self.config.channels);
        let window = (side * side) as usize;
        let outputs = real.len() / inputs / window;
        let at_square = |square: i64| -> Vec<Number> {
            let mut sums = vec![[0.0; 2]; outputs];
            for (place, [up, right]) in (0..side * side).map(|place| [place / side, place % side]).enumerate() {
                let (rank, file) =
                    (square / files + dilation * (up - side / 2), square % files + dilation * (right - side / 2));
                if !(0..ranks).contains(&rank) || !(0..files).contains(&file) {
                    continue;
                }
                for (output, sum) in sums.iter_mut().enumerate() {
                    for (input, z) in state[(rank * files + file) as usize].iter().enumerate() {
                        let weight = (output * inputs + input) * window + place;
                        let [a, b] = times(*z, [real[weight], imaginary[weight]]);
                        *sum = [sum[0] + a, sum[1] + b];
                    }
                }
            }
            sums
        };
        (0..ranks * files).map(at_square).collect()
    }

    /// K and Q of every square.
    fn keys_and_queries(&self, mut state: State) -> [State; 2] {
        let inside = self.config.rotations == Rotations::All;
        let passed = |state: &State, share: usize, name: &str, dilation: i64| {
            let activated = self.activated(state, share);
            let turned = if inside { self.turned(activated, false) } else { activated };
            let found = self.convolved(&turned, name, 3, dilation);
            if inside { self.turned(found, true) } else { found }
        };
        for block in 0..self.config.blocks {
            let first = passed(&state, block + 1, &format!("block.{block}.first"), self.config.dilation as i64);
            let second = passed(&first, 1, &format!("block.{block}.second"), 1);
            for (z, added) in state.iter_mut().flatten().zip(second.into_iter().flatten()) {
                *z = [z[0] + added[0], z[1] + added[1]];
            }
        }
        let last = self.turned(self.activated(&state, self.config.blocks + 1), false);
        ["key", "query"].map(|name| self.convolved(&last, name, 1, 1))
    }
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let squares = tokens.geometry().files() * tokens.geometry().ranks();
        let (f, c, all_heads) = (self.frequencies, self.channels, dims.heads * self.templates);
        let mixing = mixture_macs(dims, [self.compress, self.summary, self.templates]);
        // A complex product is four real ones.
        let complex = self.blocks * 2 * 9 * c * c + c + c * self.templates;
        let made = squares * (2 * f * c * dims.width + f * 4 * complex);
        dims.layers * (mixing + made + 2 * f * squares * all_heads + 2 * f * squares * squares * dims.heads)
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let (f, c, t) = (self.frequencies, self.channels, self.templates);
        let mixture = mixture(self.activation, given, board);
        let (start, frequencies) =
            (given.parameter("templates.start.weight"), given.parameter("templates.frequencies"));
        let files = given.tokens.geometry().files();
        let mut squares: Vec<(usize, usize)> = given.tokens.squares().map(|(token, square)| (square, token)).collect();
        squares.sort_unstable();
        let starts: Vec<Vec<f64>> = squares
            .iter()
            .map(|&(_, token)| affine(&start, None, given.row(&board.x_ld, token, given.width())))
            .collect();
        let made: Vec<[State; 2]> = (0..f)
            .map(|frequency| {
                let turn = |&(square, _): &(usize, usize)| {
                    let [along_files, along_ranks] = [frequencies[2 * frequency], frequencies[2 * frequency + 1]];
                    let angle = along_files * (square % files) as f64 + along_ranks * (square / files) as f64;
                    [angle.cos(), angle.sin()]
                };
                let channel =
                    |start: &[f64], channel: usize| [0, 1].map(|part| start[(2 * frequency + part) * c + channel]);
                let state = starts.iter().map(|start| (0..c).map(|i| channel(start, i)).collect()).collect();
                let field = Field { config: self, given, turns: squares.iter().map(turn).collect() };
                field.keys_and_queries(state)
            })
            .collect();
        let scale = ((f * t) as f64).sqrt();
        given.of_pairs(|head, i, j| {
            let (Some(i), Some(j)) = (given.tokens.square(i), given.tokens.square(j)) else { return 0.0 };
            let of_template = |template: usize| -> f64 {
                let of_frequency = |[keys, queries]: &[State; 2]| {
                    let ([a, b], [c, d]) = (queries[i][template], keys[j][0]);
                    a * c + b * d
                };
                mixture[head * t + template] * made.iter().map(of_frequency).sum::<f64>()
            };
            (0..t).map(of_template).sum::<f64>() / scale
        })
    }
}
