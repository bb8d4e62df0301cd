//! A vector per token, added to (or gating) the stream of tokens.
//!
//! | `at` | definition | source |
//! |---|---|---|
//! | `input` | x_i + c_i once, after the input embedding | dlshogi's transformer, chess transformers |
//! | `every_layer` | x_i + c_i at the input of every attention layer, not in the residual | Chessformer (arXiv 2409.12272) eq. 4; Ergodice/lczero-training `use_absolute_pe` |
//! | `gate` | x_i · relu(m_i) + a_i once | the same paper, A.1; Lc0's `ma_gating` |
//!
//! Eq. 4 adds c_i for queries and keys only; its code for values too. `values` chooses (default: the code's form).
//!
//! Parameters on l tokens of width d: l·d for a learned table, (ranks + files + aux)·d for a factorised one, once or
//! per layer; 2·l·d for the gate. Learned tables start at zero, or normal with `init_std`; the gate at m = 1, a = 0.
//!
//! Deviation: Lc0's TensorFlow code keeps m ≥ 0 by projecting it after each step; here it passes through relu in the
//! forward, as in Lc0's JAX code, so that a gate which reached zero stays closed.

use crate::prelude::*;
use crate::rows::{Rows, Table};

const NAME: &str = "absolute";

/// Where the vectors enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Once, after the input embedding.
    Input,
    /// At the input of every attention layer, each with its own table.
    EveryLayer,
    /// Once, after the input embedding, as a factor and a summand per token and channel.
    Gate,
}

/// The options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the vectors enter; the input by default.
    pub at: Place,
    /// How they are made; learned by default.
    pub table: Table,
    /// Whether values see them too; true by default. Only with [`Place::EveryLayer`].
    pub values: bool,
    /// Standard deviation of their first values; 0 by default.
    pub init_std: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { at: Place::Input, table: Table::Learned, values: true, init_std: 0.0 }
    }
}

impl Config {
    /// A learned table at `at`, everything else by default.
    pub fn new(at: Place) -> Self {
        Self { at, ..Self::default() }
    }

    fn check(&self) -> Result<(), EncodingError> {
        let no_effect =
            |option: &str, setting: &str, remedy| Err(EncodingError::no_effect(NAME, option, setting, remedy));
        EncodingError::check_init_std(NAME, self.init_std)?;
        let (at, table) = (format!("at: {}", word(&self.at)), format!("table: {}", word(&self.table)));
        if self.at == Place::Gate && self.table != Table::Learned {
            return no_effect(&table, &at, "the gate is always learned: leave the table out");
        }
        if !self.values && self.at != Place::EveryLayer {
            return no_effect("values: false", &at, "only at: every_layer tells values from queries");
        }
        if self.init_std > 0.0 && (self.at == Place::Gate || !self.table.is_learned()) {
            let setting = if self.at == Place::Gate { &at } else { &table };
            return no_effect(&format!("init_std: {}", self.init_std), setting, "leave it out");
        }
        Ok(())
    }

    fn init(&self) -> Init {
        if self.init_std == 0.0 { Init::ZEROS } else { Init::Normal { std: self.init_std } }
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees {
            identity_at_start: self.table.is_learned() && self.init_std == 0.0,
            pairwise: true,
            auxiliary: if self.table.is_learned() { Auxiliary::OwnParameters } else { Auxiliary::Untouched },
            ..Guarantees::NONE
        }
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "a vector per token: added at the input or at every layer, or a gate; learned, factorised or sines",
        source: "Chessformer eq. 4 and A.1 (arXiv 2409.12272); Ergodice/lczero-training; searchless_chess",
        example: "absolute: {at: every_layer, table: learned, values: true, init_std: 0.0}",
    };

    fn options(&self) -> Vec<String> {
        let mut options = vec![word(&self.at)];
        options.extend((self.table != Table::Learned).then(|| word(&self.table)));
        options.extend((!self.values).then(|| "q,k only".to_owned()));
        options.extend(changed("init_std", self.init_std, 0.0));
        options
    }

    /// The place is part of the key: the paper's absolute network carries the gate and a table in every layer.
    fn key(&self) -> String {
        format!("{NAME}.{}", word(&self.at))
    }

    fn act(&self) -> Act {
        match self.at {
            Place::Input => Act::Sum,
            Place::Gate => Act::Gate,
            Place::EveryLayer => Act::Free,
        }
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        let rows = |scope: &mut Scope<'_>| Rows::declare(scope, self.table, &self.init(), dims, tokens);
        Ok(match self.at {
            Place::Input => Box::new(Input { rows: rows(scope)?, guarantees: self.guarantees() }),
            Place::EveryLayer => Box::new(EveryLayer {
                rows: dims.per_layer(scope, rows).into_iter().collect::<Result<_, _>>()?,
                values: self.values,
                guarantees: self.guarantees(),
            }),
            Place::Gate => {
                let shape = [tokens.len() as i64, dims.width as i64];
                Box::new(Gate {
                    factor: scope.f32_param("factor", &shape, Init::ONES),
                    summand: scope.f32_param("summand", &shape, Init::ZEROS),
                })
            }
        })
    }

    fn examples() -> Vec<Self> {
        let at_every_layer = |table| Self { table, ..Self::new(Place::EveryLayer) };
        let at_input = |table| Self { table, ..Self::new(Place::Input) };
        let mut all = vec![Self::new(Place::Gate)];
        all.extend(Table::ALL.map(at_input));
        all.extend(Table::ALL.map(at_every_layer));
        all.push(Self { values: false, ..at_every_layer(Table::Learned) });
        all.push(Self { init_std: 0.02, ..at_input(Table::Learned) });
        all.push(Self { init_std: 0.02, ..at_input(Table::Factorised) });
        all
    }
}

#[derive(Debug)]
struct Input {
    rows: Rows,
    guarantees: Guarantees,
}

impl Encoding for Input {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::EMBED
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn square_tables(&self) -> Vec<ParamId> {
        self.rows.by_token().into_iter().collect()
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let rows = self.rows.at(at.views).to_kind(x_bld.kind());
        x_bld + rows
    }
}

#[derive(Debug)]
struct EveryLayer {
    rows: Vec<Rows>,
    values: bool,
    guarantees: Guarantees,
}

impl Encoding for EveryLayer {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::ATTEND
    }

    fn guarantees(&self) -> Guarantees {
        self.guarantees
    }

    fn square_tables(&self) -> Vec<ParamId> {
        self.rows.iter().filter_map(Rows::by_token).collect()
    }

    fn attend(&self, at: LayerContext<'_>, x_bld: &Tensor) -> Option<AttendInput> {
        let qk_bld = x_bld + self.rows[at.layer].at(at.views).to_kind(x_bld.kind());
        let v_bld = (!self.values).then(|| x_bld.shallow_clone());
        Some(AttendInput { qk_bld, v_bld })
    }
}

#[derive(Debug)]
struct Gate {
    factor: ParamId,
    summand: ParamId,
}

impl Encoding for Gate {
    fn injection_points(&self) -> InjectionPoints {
        InjectionPoints::EMBED
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: true, pairwise: true, auxiliary: Auxiliary::OwnParameters, ..Guarantees::NONE }
    }

    fn square_tables(&self) -> Vec<ParamId> {
        vec![self.factor, self.summand]
    }

    fn embed(&self, at: LayerContext<'_>, x_bld: Tensor) -> Tensor {
        let kind = x_bld.kind();
        x_bld * at.views[self.factor].relu().to_kind(kind) + at.views[self.summand].to_kind(kind)
    }
}
