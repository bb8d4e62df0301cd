//! −r1·ln(1 + r2·d) with r = e^s, or −r1·d^r2 with r2 = 2/(1 + e^−s).

use super::alibi::distance;
use super::*;
use encodings::kerple::{Config, Kernel};

impl Definition for Config {
    fn after_scale(&self, given: &Given<'_>, _: &Board) -> Vec<f64> {
        let (first, second) = (given.of_layer("first"), given.of_layer("second"));
        given.of_pairs(|head, i, j| {
            let Some(displacement) = displacement(given, i, j) else { return 0.0 };
            let (d, r1) = (distance(self.distance, displacement), first[head].exp());
            match self.kernel {
                Kernel::Log => -r1 * (1.0 + second[head].exp() * d).ln(),
                Kernel::Power => -r1 * d.powf(2.0 / (1.0 + (-second[head]).exp())),
            }
        })
    }
}
