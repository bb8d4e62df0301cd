//! A cell's parameters on their way to Lc0's names.

use crate::error::NetError;
use nn::Layout;
use std::collections::{BTreeMap, BTreeSet};

/// The parameters under both names.
pub(super) struct Parameters<'a> {
    own: BTreeMap<&'a str, &'a [f32]>,
    used: BTreeSet<&'a str>,
    /// The tensors written so far, by Lc0's names.
    pub(super) renamed: BTreeMap<String, Vec<f32>>,
}

impl<'a> Parameters<'a> {
    pub(super) fn of(layout: &'a Layout, weights: &'a [f32]) -> Self {
        let of = |param: &'a nn::ParamSpec| (param.name.as_str(), &weights[param.offset..][..param.len()]);
        Self { own: layout.params().iter().map(of).collect(), used: BTreeSet::new(), renamed: BTreeMap::new() }
    }

    pub(super) fn take(&mut self, name: &str) -> Result<&'a [f32], NetError> {
        let (name, numbers) = self.own.get_key_value(name).ok_or_else(|| NetError::tensor(name, "is missing"))?;
        self.used.insert(name);
        Ok(numbers)
    }

    pub(super) fn put(&mut self, name: impl Into<String>, numbers: Vec<f32>) {
        self.renamed.insert(name.into(), numbers);
    }

    pub(super) fn matrix(&mut self, from: &str, to: impl Into<String>) -> Result<(), NetError> {
        let numbers = self.take(&format!("{from}.weight"))?;
        self.put(to, numbers.to_vec());
        Ok(())
    }

    /// A dense layer with `outputs` outputs: `to_w` and `to_b`.
    pub(super) fn dense(&mut self, from: &str, to: &str, outputs: usize) -> Result<(), NetError> {
        self.matrix(from, format!("{to}_w"))?;
        let bias = self.bias(from, outputs)?;
        self.put(format!("{to}_b"), bias);
        Ok(())
    }

    /// A layer's bias, or zeros.
    pub(super) fn bias(&mut self, from: &str, outputs: usize) -> Result<Vec<f32>, NetError> {
        let name = format!("{from}.bias");
        let is_there = self.own.contains_key(&name[..]);
        if is_there { self.take(&name).map(<[f32]>::to_vec) } else { Ok(vec![0.0; outputs]) }
    }

    /// A layer normalisation: `to_gammas` and `to_betas`.
    pub(super) fn norm(&mut self, from: &str, to: &str) -> Result<(), NetError> {
        for (own, other) in [("gain", "gammas"), ("bias", "betas")] {
            let numbers = self.take(&format!("{from}.{own}"))?;
            self.put(format!("{to}_{other}"), numbers.to_vec());
        }
        Ok(())
    }

    pub(super) fn unused(&self) -> Vec<&'a str> {
        self.own.keys().filter(|name| !self.used.contains(*name)).copied().collect()
    }
}
