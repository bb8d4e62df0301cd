//! A cell's parameters on their way to Lc0's names.

use crate::error::NetError;
use nn::Layout;
use std::collections::BTreeMap;

pub(super) struct Parameters<'a> {
    /// Those that nothing has taken yet, by posenc's names.
    own: BTreeMap<&'a str, &'a [f32]>,
    /// The tensors written so far, by Lc0's names.
    pub(super) renamed: BTreeMap<String, Vec<f32>>,
}

impl<'a> Parameters<'a> {
    pub(super) fn of(layout: &'a Layout, weights: &'a [f32]) -> Self {
        let of = |param: &'a nn::ParamSpec| (param.name.as_str(), &weights[param.offset..][..param.len()]);
        Self { own: layout.params().iter().map(of).collect(), renamed: BTreeMap::new() }
    }

    pub(super) fn take(&mut self, name: &str) -> Result<&'a [f32], NetError> {
        self.own.remove(name).ok_or_else(|| NetError::tensor(name, "is missing"))
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
        let bias = self.bias(from, outputs);
        self.put(format!("{to}_b"), bias);
        Ok(())
    }

    pub(super) fn bias(&mut self, from: &str, outputs: usize) -> Vec<f32> {
        self.own.remove(&format!("{from}.bias")[..]).map_or_else(|| vec![0.0; outputs], <[f32]>::to_vec)
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
        self.own.keys().copied().collect()
    }
}
