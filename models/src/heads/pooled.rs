//! The position as one vector, which the value heads and moves-left start from.

use super::head::{DeclaredHead, Head, HeadContext};
use super::output::{Output, Reading};
use crate::config::{ChessformerConfig, InitKind, ModelError, Pool, ValueConfig};
use crate::layers::{self, dense};
use crate::macs::HeadMacs;
use encodings::Tokens;
use facts::HeadName;
use nn::{Activation, Linear, Part, Scope, Views};
use tch::{Kind, Tensor};

/// The board as one vector, from the last block's tokens.
pub(crate) trait BoardVector: std::fmt::Debug + Send {
    /// The trunk's output `[b,l,d]` → `[b,hidden]`.
    fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor;

    /// Declares a layer that reads it.
    fn output(&self, scope: &mut Scope<'_>, name: &str, outputs: i64) -> Linear;

    /// `source` if a weight per square makes it one.
    fn position_sources(&self, source: &'static str) -> Vec<&'static str>;

    /// Multiplications for a position, all of them by weights.
    fn macs(&self) -> u64;
}

/// A head of one dense layer that reads the board as one vector.
#[derive(Debug)]
pub(crate) struct VectorHead<V> {
    pooled: V,
    layer: Linear,
    form: VectorForm,
}

/// What the numbers of a [`VectorHead`] are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VectorForm {
    pub(crate) head: HeadName,
    /// The name of its scope.
    pub(crate) scope: &'static str,
    /// The name and the outputs of its layer.
    pub(crate) layer: (&'static str, i64),
    /// From the layer's outputs `[b,outputs]` to the answer.
    pub(crate) answer: fn(Tensor) -> Tensor,
    pub(crate) reading: Reading,
    /// What the head is called as a source of positional information, where it has a weight per square.
    pub(crate) source: &'static str,
}

impl<V: BoardVector> VectorHead<V> {
    pub(crate) fn declare(scope: &mut Scope<'_>, pooled: V, form: VectorForm) -> Self {
        let (name, outputs) = form.layer;
        Self { layer: pooled.output(scope, name, outputs), pooled, form }
    }
}

impl<V: BoardVector> Head for VectorHead<V> {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let numbers = self.layer.forward(views, &self.pooled.forward(views, x_bld));
        output.set(self.form.head, self.form.reading, (self.form.answer)(numbers));
    }

    fn macs(&self) -> Vec<HeadMacs> {
        vec![HeadMacs::of_weights(self.form.scope, self.pooled.macs() + self.layer.macs())]
    }

    fn position_sources(&self) -> Vec<&'static str> {
        self.pooled.position_sources(self.form.source)
    }
}

/// Each square reduced to a few channels, then flattened (or averaged), and a hidden layer; or the vector of one token.
///
/// Every weight starts from Glorot's normal initialiser, as in Lc0's training code (`tf/tfprocess.py`, `value_head`).
#[derive(Debug)]
pub(crate) struct Pooled {
    source: PooledTokens,
    width: i64,
}

#[derive(Debug)]
enum PooledTokens {
    Squares(Squares),
    Token(i64),
}

#[derive(Debug)]
struct Squares {
    embedding: Linear,
    hidden: Linear,
    activation: Activation,
    pool: Pool,
    first: i64,
    squares: i64,
}

impl Pooled {
    /// Declares `embedding` and `hidden` in `scope`, where there are any.
    fn declare(
        scope: &mut Scope<'_>,
        config: &ChessformerConfig,
        sizes: ValueConfig,
        tokens: &Tokens,
    ) -> Result<Self, ModelError> {
        let squares = tokens.geometry().squares() as i64;
        let (d, e, hidden) = (config.width as i64, sizes.embedding as i64, sizes.hidden as i64);
        let pooled = match sizes.pool {
            Pool::Flatten => squares * e,
            Pool::Mean => e,
            Pool::Token => {
                let token = tokens.cls().ok_or(ModelError::NoSummaryToken)? as i64;
                return Ok(Self { source: PooledTokens::Token(token), width: d });
            }
        };
        let source = PooledTokens::Squares(Squares {
            embedding: dense(scope, "embedding", [d, e], InitKind::Glorot),
            hidden: dense(scope, "hidden", [pooled, hidden], InitKind::Glorot),
            activation: config.activation,
            pool: sizes.pool,
            first: tokens.first_square() as i64,
            squares,
        });
        Ok(Self { source, width: hidden })
    }
}

impl HeadContext<'_> {
    /// Declares a head that reads the position as one vector, in a scope.
    pub(super) fn on_vector<H: Head + 'static>(
        &mut self,
        scope: &str,
        sizes: ValueConfig,
        declare: impl FnOnce(&mut Scope<'_>, Pooled) -> H,
    ) -> DeclaredHead {
        let scope = &mut self.builder.scope(scope, Part::Head);
        let pooled = Pooled::declare(scope, self.config, sizes, self.tokens)?;
        Ok(Box::new(declare(scope, pooled)))
    }

    /// Declares a [`VectorHead`] in its scope.
    pub(super) fn vector_head(&mut self, sizes: ValueConfig, form: VectorForm) -> DeclaredHead {
        self.on_vector(form.scope, sizes, |scope, pooled| VectorHead::declare(scope, pooled, form))
    }
}

impl Squares {
    fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        let squares = layers::tokens(x_bld, self.first, self.squares);
        let embedded = self.activation.apply(&self.embedding.forward(views, &squares));
        let pooled = match self.pool {
            Pool::Mean => embedded.mean_dim([1i64].as_slice(), false, Kind::Float),
            Pool::Flatten | Pool::Token => embedded.flatten(1, 2),
        };
        self.activation.apply(&self.hidden.forward(views, &pooled))
    }
}

impl BoardVector for Pooled {
    fn output(&self, scope: &mut Scope<'_>, name: &str, outputs: i64) -> Linear {
        dense(scope, name, [self.width, outputs], InitKind::Glorot)
    }

    fn forward(&self, views: &Views, x_bld: &Tensor) -> Tensor {
        match &self.source {
            PooledTokens::Squares(squares) => squares.forward(views, x_bld),
            PooledTokens::Token(token) => x_bld.select(1, *token),
        }
    }

    fn position_sources(&self, source: &'static str) -> Vec<&'static str> {
        match &self.source {
            PooledTokens::Squares(Squares { pool: Pool::Flatten, .. }) => vec![source],
            PooledTokens::Squares(_) | PooledTokens::Token(_) => Vec::new(),
        }
    }

    fn macs(&self) -> u64 {
        match &self.source {
            PooledTokens::Squares(own) => own.squares as u64 * own.embedding.macs() + own.hidden.macs(),
            PooledTokens::Token(_) => 0,
        }
    }
}

/// The source of the board's summary: the CLS token, or, where the input has none, the mean of the squares.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Summary {
    Cls(i64),
    /// The mean of this number of first tokens.
    Mean(i64),
}

impl Summary {
    pub(crate) fn of(tokens: &Tokens) -> Self {
        match tokens.cls() {
            Some(token) => Self::Cls(token as i64),
            None => Self::Mean(tokens.geometry().squares() as i64),
        }
    }

    pub(crate) fn read(self, x_bld: &Tensor) -> Tensor {
        match self {
            Self::Cls(token) => x_bld.select(1, token),
            Self::Mean(squares) => layers::tokens(x_bld, 0, squares).mean_dim([1i64].as_slice(), false, Kind::Float),
        }
    }
}
