//! One learned parameter per head and bucket of the displacement along each axis: e_ij/√k + b_h[bucket(Δrank)] +
//! c_h[bucket(Δfile)].
//!
//! Source: T5's relative position buckets (arXiv 1910.10683; mesh_tensorflow `_relative_position_bucket`), one table per
//! axis. Of the absolute displacement n along an axis with N squares, the first `exact` values have a bucket each; the others
//! share logarithmic ones: bucket(n) = n for n < E, and else min(E + ⌊ln(n/E) / ln(N/E) · (B − E)⌋, B − 1) with E = `exact`
//! and B = `buckets`. A displacement and its negative have different buckets. By default, 5 and 3, the absolute
//! displacements {0} {1} {2} {3, 4} {5, 6, 7} of 8 squares share, and {0} {1} {2} {3, 4, 5} {6, 7, 8} of 9.
//!
//! With `exact` at the number of squares or above, nothing is merged: an axis-factorised bias (2R−1 and 2F−1 parameters per
//! head), the size control of `relative_bias`.
//!
//! Deviations: T5 counts both directions in its number of buckets, and has a bucket for −0 that nothing falls into; its
//! largest distance is an option, here it is the number of squares of the axis. Buckets that no displacement of the board
//! falls into have no parameter: the others are numbered in their order. T5 shares one table among all layers, here each
//! layer has its own, as in `relative_bias`. Tables start at zero (T5: normal).
//!
//! Pairs with auxiliary tokens have three further parameters: square → auxiliary, auxiliary → square, auxiliary → auxiliary.
//!
//! Parameters per layer: `rank [h, 2·M_R − 1]` and `file [h, 2·M_F − 1]`, M being the buckets of absolute displacements that
//! are in use, and `aux [h,3]` if there are auxiliary tokens. 18h by default on 5×5, 8×8 and 9×9.

use crate::displacement_bias::{self, AddedByDisplacement, DisplacementBias};
use crate::prelude::*;

const NAME: &str = "log_buckets";

/// Added before rounding down, so that the logarithms of whole powers are not just below a whole number.
const ROUNDING: f64 = 1e-9;

/// Settings of the buckets: their number, and how many hold one displacement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Buckets of the absolute displacement along an axis, 0 included; 5 by default.
    pub buckets: usize,
    /// How many of them hold one value; 3 by default.
    pub exact: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { buckets: 5, exact: 3 }
    }
}

impl Config {
    fn check(&self) -> Result<(), EncodingError> {
        EncodingError::check_size(NAME, "buckets", self.buckets)?;
        if !(1..=self.buckets).contains(&self.exact) {
            return Err(EncodingError::out_of_range(NAME, "exact", "1 or more and at most `buckets`", self.exact));
        }
        Ok(())
    }

    /// The buckets along an axis of this many squares.
    fn axis(&self, squares: usize) -> Axis {
        let mut last = None;
        let of_magnitude = |magnitude: usize| {
            let bucket = self.bucket(magnitude, squares);
            let number = match last {
                Some((previous, number)) if previous == bucket => number,
                Some((_, number)) => number + 1,
                None => 0,
            };
            last = Some((bucket, number));
            number
        };
        Axis { of_magnitude: (0..squares).map(of_magnitude).collect() }
    }

    /// T5's bucket of an absolute displacement.
    fn bucket(&self, magnitude: usize, squares: usize) -> usize {
        if magnitude < self.exact {
            return magnitude;
        }
        let [magnitude, squares, exact] = [magnitude, squares, self.exact].map(|n| n as f64);
        let share = (magnitude / exact).ln() / (squares / exact).ln();
        let further = (share * (self.buckets - self.exact) as f64 + ROUNDING).floor();
        (self.exact + further as usize).min(self.buckets - 1)
    }
}

/// The buckets of one axis that are in use.
#[derive(Debug)]
struct Axis {
    /// The bucket of each absolute displacement.
    of_magnitude: Vec<i64>,
}

impl Axis {
    /// Buckets of displacements with their signs.
    fn count(&self) -> i64 {
        2 * self.largest() + 1
    }

    fn largest(&self) -> i64 {
        *self.of_magnitude.last().expect("a board has squares")
    }

    fn of(&self, displacement: i64) -> i64 {
        self.largest() + displacement.signum() * self.of_magnitude[displacement.unsigned_abs() as usize]
    }

    /// The bucket of every class of displacements.
    fn of_classes(self, board: Geometry, along: fn(Displacement) -> i64) -> Constant {
        let classes = [board.displacement_classes() as i64];
        Constant::indices_from(&classes, move || {
            Displacement::all(board).into_iter().map(|displacement| self.of(along(displacement))).collect()
        })
    }
}

impl Configure for Config {
    const INFO: EncodingInfo = EncodingInfo {
        name: NAME,
        summary: "learned parameters per head for buckets of ranks and of files between two squares, far ones merged or not",
        source: "T5 (arXiv 1910.10683), one table per axis",
        example: "log_buckets: {buckets: 5, exact: 3}",
    };

    fn options(&self) -> Vec<String> {
        let default = Self::default();
        let buckets = changed("buckets", self.buckets, default.buckets);
        buckets.into_iter().chain(changed("exact", self.exact, default.exact)).collect()
    }

    fn declare(&self, scope: &mut Scope<'_>, dims: Dims, tokens: &Tokens) -> Result<Box<dyn Encoding>, EncodingError> {
        self.check()?;
        let board = tokens.geometry();
        let [ranks, files] = [board.ranks(), board.files()].map(|squares| self.axis(squares));
        let counts = [ranks.count(), files.count()];
        let ranks = ranks.of_classes(board, |displacement| displacement.ranks);
        let files = files.of_classes(board, |displacement| displacement.files);
        Ok(AddedByDisplacement::boxed(tokens, |pairs| {
            let layers = dims.per_layer(scope, |scope| LogBucketsLayer::declare(scope, dims.heads, counts, pairs));
            LogBuckets { layers, ranks, files }
        }))
    }

    fn examples() -> Vec<Self> {
        vec![Self::default(), Self { buckets: 4, exact: 2 }, Self { buckets: 16, exact: 16 }]
    }
}

#[derive(Debug)]
struct LogBucketsLayer {
    /// `[h, buckets]` of ranks.
    rank: ParamId,
    /// `[h, buckets]` of files.
    file: ParamId,
    /// `[h,3]`.
    aux: Option<ParamId>,
}

impl LogBucketsLayer {
    fn declare(scope: &mut Scope<'_>, heads: usize, [ranks, files]: [i64; 2], pairs: &ByDisplacement) -> Self {
        let mut table = |name, buckets| scope.f32_param(name, &[heads as i64, buckets], Init::ZEROS);
        let (rank, file) = (table("rank", ranks), table("file", files));
        Self { rank, file, aux: pairs.declare_aux(scope, heads) }
    }
}

#[derive(Debug)]
struct LogBuckets {
    layers: Vec<LogBucketsLayer>,
    /// The bucket of each class of displacements, by its ranks.
    ranks: Constant,
    /// The same by its files.
    files: Constant,
}

impl DisplacementBias for LogBuckets {
    fn guarantees(&self) -> Guarantees {
        Guarantees { identity_at_start: true, ..displacement_bias::ANY }
    }

    fn by_class(&self, at: LayerContext<'_>) -> Tensor {
        let (layer, device) = (&self.layers[at.layer], at.views.device());
        let along = |table: ParamId, buckets: &Constant| at.views[table].index_select(1, &buckets.on(device));
        along(layer.rank, &self.ranks) + along(layer.file, &self.files)
    }

    fn of_aux(&self, at: LayerContext<'_>) -> Option<Tensor> {
        self.layers[at.layer].aux.map(|aux| at.views[aux].shallow_clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand from T5's formula.
    #[test]
    fn far_displacements_share_buckets_and_empty_ones_are_left_out() {
        for (buckets, exact, squares, wanted) in [
            (5, 3, 8, vec![0, 1, 2, 3, 3, 4, 4, 4]),
            (5, 3, 9, vec![0, 1, 2, 3, 3, 3, 4, 4, 4]),
            // 4 is halfway between 2 and 8 in logarithms.
            (4, 2, 8, vec![0, 1, 2, 2, 3, 3, 3, 3]),
            (3, 3, 8, vec![0, 1, 2, 2, 2, 2, 2, 2]),
            // The second logarithmic bucket is empty: 2 is in the third.
            (8, 1, 8, vec![0, 1, 2, 3, 4, 5, 6, 6]),
        ] {
            assert_eq!(Config { buckets, exact }.axis(squares).of_magnitude, wanted, "{buckets}, {exact} of {squares}");
        }
    }
}
