//! Compares a cell with a file written from it, on the same positions.

use crate::cell::loaded;
use crate::{Imported, NetError};
use tch::{Kind, Tensor};
use train::TrainError;
use train::inference::{Loaded, Request, outputs};

/// The largest differences of a cell's outputs and those of a file, over all positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Differences {
    /// Of a policy logit; moves that are not legal count too.
    pub logit: f64,
    /// The largest size of a policy logit.
    pub largest_logit: f64,
    /// Of q, the probability of a win less that of a loss.
    pub q: f64,
}

impl Differences {
    /// Both networks compute in f32 on the cell's device.
    pub fn of(cell: &Loaded, imported: &Imported, asked: &[Request]) -> Result<Self, NetError> {
        let file = loaded(imported, cell.arena.device())?;
        let logits_and_q = |network: &Loaded| -> Result<[Tensor; 2], NetError> {
            let answers = outputs(network, asked)?;
            let output = |name: &str| {
                let found = answers.iter().find(|answer| answer.name() == name);
                found.map(|answer| answer.tensor.shallow_clone()).ok_or_else(|| NetError::tensor(name, "is missing"))
            };
            let shares = output("result")?.softmax(-1, Kind::Float);
            Ok([output("policy")?, shares.select(1, 0) - shares.select(1, 2)])
        };
        let ([own_logits, own_q], [logits, q]) = (logits_and_q(cell)?, logits_and_q(&file)?);
        let largest = |tensor: &Tensor| -> Result<f64, NetError> {
            let largest = tensor.abs().max();
            Ok(f64::try_from(largest).map_err(TrainError::from)?)
        };
        Ok(Self {
            logit: largest(&(&own_logits - logits))?,
            largest_logit: largest(&own_logits)?,
            q: largest(&(own_q - q))?,
        })
    }

    /// Whether rounding to 16 bits explains them: logits differ by at most 1 % of the largest one, q by at most 0.01. False
    /// for numbers that are not finite.
    pub fn are_rounding(&self) -> bool {
        self.logit <= 0.01 * self.largest_logit && self.q <= 0.01
    }
}
