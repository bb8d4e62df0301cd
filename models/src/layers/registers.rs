//! Registers: learned tokens beside those of the input, in which a network can keep what belongs to no square.
//!
//! Source: Darcet et al. 2024 (arXiv 2309.16588); facebookresearch/dinov2 `register_tokens`. They follow the input's tokens,
//! attend and are attended to like these, and no head reads them. Encodings treat them as auxiliary tokens.
//! Deviation: they start normal with a standard deviation of 1/√d, as wide as the other tokens of posenc that are learned
//! vectors; DINOv2 starts them almost at zero.
//!
//! Parameters: n·d.

use crate::config::MOST_REGISTERS;
use encodings::{Role, Tokens};
use nn::{Init, LayoutBuilder, ParamId, Part, Views};
use tch::Tensor;

macro_rules! names {
    ($($number:literal)+) => {
        [$(concat!("register.", $number)),+]
    };
}

const NAMES: [&str; MOST_REGISTERS] = names!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);

/// The registers of a network, at least one.
#[derive(Debug)]
pub(crate) struct Registers {
    /// `[n,d]`.
    vectors: ParamId,
    count: usize,
}

impl Registers {
    /// Declares `registers.vectors`; `None` for no register.
    pub(crate) fn declare(builder: &mut LayoutBuilder, count: usize, width: usize) -> Option<Self> {
        let init = Init::Normal { std: (width as f64).sqrt().recip() };
        (count > 0).then(|| {
            let scope = &mut builder.scope("registers", Part::Trunk);
            Self { vectors: scope.f32_param("vectors", &[count as i64, width as i64], init), count }
        })
    }

    pub(crate) fn extend(&self, tokens: &Tokens) -> Tokens {
        let own = NAMES.iter().take(self.count).map(|&name| Role::Aux(name));
        Tokens::new(tokens.geometry(), tokens.roles().iter().copied().chain(own).collect())
    }

    pub(crate) fn tokens(&self, views: &Views, batch: i64) -> Tensor {
        let vectors = &views[self.vectors];
        vectors.unsqueeze(0).expand([batch, vectors.size()[0], vectors.size()[1]], false)
    }

    pub(crate) fn count(&self) -> u64 {
        self.count as u64
    }
}
