//! Dropout: in training a number is 0 with a probability, and the others are divided by that of staying, as in
//! `torch.nn.Dropout` (Srivastava et al. 2014).
//!
//! A mask is a function of the run's seed, the step, the turn of the layer in the forward pass, and the position's place in
//! the batch. Resumed runs, other micro-batches, ranks, threads and devices see the same masks.

use std::cell::Cell;
use tch::Tensor;

/// Which masks a forward pass draws.
#[derive(Debug, Clone, Copy)]
pub struct DropoutKey {
    /// The run's seed.
    pub seed: u64,
    /// Tells A/A controls from their originals; otherwise empty.
    pub salt: &'static str,
    /// The training step.
    pub step: u64,
    /// The place of the pass' first position in the batch.
    pub first: u64,
}

#[derive(Debug)]
pub(crate) struct Masks {
    key: DropoutKey,
    /// Masks drawn so far.
    turn: Cell<u64>,
}

impl Masks {
    pub(crate) fn new(key: DropoutKey) -> Self {
        Self { key, turn: Cell::new(0) }
    }

    /// `x` `[b,…]` with each number dropped with probability `share`.
    pub(crate) fn apply(&self, x: &Tensor, share: f64) -> Tensor {
        let size = x.size();
        let (rows, row) = (size[0], size[1..].iter().product::<i64>() as usize);
        let turn = self.turn.replace(self.turn.get() + 1);
        let [step, turn] = [self.key.step, turn].map(|number| number.to_string());
        let (limit, kept) = ((share * 2f64.powi(32)) as u32, (1.0 - share).recip() as f32);
        let mut mask = Vec::with_capacity(rows as usize * row);
        for place in self.key.first..self.key.first + rows as u64 {
            let place = place.to_string();
            let purpose = ["dropout", self.key.salt, &step, &turn, &place];
            let mut stream = streams::stream(self.key.seed, &purpose);
            let halves = (0..row.div_ceil(2)).flat_map(|_| {
                let bits = streams::bits(&mut stream);
                [bits as u32, (bits >> 32) as u32]
            });
            mask.extend(halves.take(row).map(|bits| if bits < limit { 0.0 } else { kept }));
        }
        x * Tensor::from_slice(&mask).view(&size[..]).to_device(x.device()).to_kind(x.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tch::{Device, Kind};

    const KEY: DropoutKey = DropoutKey { seed: 3, salt: "", step: 7, first: 0 };

    fn masked(key: DropoutKey, rows: i64) -> Vec<f32> {
        let ones = Tensor::ones([rows, 50, 21], (Kind::Float, Device::Cpu));
        Vec::try_from(Masks::new(key).apply(&ones, 0.25).flatten(0, -1)).expect("numbers")
    }

    #[test]
    fn a_share_is_dropped_and_the_mean_stays() {
        let numbers = masked(KEY, 40);
        let kept = 4.0 / 3.0;
        assert!(numbers.iter().all(|&number| number == 0.0 || (number - kept).abs() < 1e-6));
        let dropped = numbers.iter().filter(|&&number| number == 0.0).count() as f64 / numbers.len() as f64;
        assert!((dropped - 0.25).abs() < 0.01, "{dropped}");
    }

    #[test]
    fn a_mask_depends_on_seed_salt_step_turn_and_place_only() {
        let whole = masked(KEY, 6);
        let parts = [masked(KEY, 4), masked(DropoutKey { first: 4, ..KEY }, 2)].concat();
        assert_eq!(whole, parts, "two micro-batches");
        let others = [DropoutKey { seed: 4, ..KEY }, DropoutKey { salt: "twin", ..KEY }, DropoutKey { step: 8, ..KEY }];
        assert!(others.into_iter().all(|key| masked(key, 6) != whole));
        let masks = Masks::new(KEY);
        let ones = Tensor::ones([6, 50, 21], (Kind::Float, Device::Cpu));
        assert_ne!(masks.apply(&ones, 0.25), masks.apply(&ones, 0.25), "the next layer");
    }
}
