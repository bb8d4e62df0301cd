//! Each pair of channels as a complex number, times e^{iφ}.

use super::*;
use encodings::rope::{Aux, Config, Layout, Theta};

/// Radians a square of pair i of an axis of n squares, with p pairs an axis.
fn along(theta: Theta, n: usize, i: usize, p: usize) -> f64 {
    match theta {
        Theta::Base(base) => base.powf(-(i as f64) / p as f64),
        Theta::Board => {
            let share = if p == 1 { 0.0 } else { i as f64 / (p - 1) as f64 };
            let waves = (1.0 + (n - 1) as f64 * share).round();
            std::f64::consts::PI * waves / n as f64
        }
    }
}

pub(super) fn angle(config: &Config, given: &Given<'_>, [head, token, pair]: [usize; 3]) -> f64 {
    let (k, pairs) = (given.head_width() as f64, given.head_width() / 2);
    let place = given.place(token);
    if place.is_none() && (config.layout != Layout::Flat1d || config.aux == Some(Aux::Unrotated)) {
        return 0.0;
    }
    let [rank, file] = place.map_or([0.0; 2], |place| place.map(|coordinate| coordinate as f64));
    let (ranks, files) = (given.tokens.geometry().ranks(), given.tokens.geometry().files());
    let axis = pairs / 2;
    match config.layout {
        Layout::Flat1d => {
            let Theta::Base(base) = config.theta else { panic!("a sequence has no sides") };
            token as f64 / base.powf(2.0 * pair as f64 / k)
        }
        Layout::Axial2d if pair < axis => rank * along(config.theta, ranks, pair, axis),
        Layout::Axial2d => file * along(config.theta, files, pair - axis, axis),
        Layout::Mixed2d => {
            let frequency = given.of_layer("frequencies");
            let along = |axis: usize| frequency[(axis * given.heads() + head) * pairs + pair];
            file * along(0) + rank * along(1)
        }
    }
}

impl Definition for Config {
    fn rotate(&self, given: &Given<'_>, x_hlk: &[f64]) -> Vec<f64> {
        let (pairs, l) = (given.head_width() / 2, given.len());
        let rotate = |(place, x): (usize, &[f64])| {
            let (sin, cos) = angle(self, given, [place / pairs / l, place / pairs % l, place % pairs]).sin_cos();
            [x[0] * cos - x[1] * sin, x[0] * sin + x[1] * cos]
        };
        x_hlk.chunks(2).enumerate().flat_map(rotate).collect()
    }
}
