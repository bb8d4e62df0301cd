//! Decodes tensors, from the four encodings of a weights file, and encodes them in 16 bits.

use super::error::NetError;
use prost::Message;
use tch::{Kind, Tensor};
use train::TrainError;

/// A tensor as a message of Lc0's `proto/net.proto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Layer {
    #[prost(float, optional, tag = "1")]
    pub(super) min_val: Option<f32>,
    #[prost(float, optional, tag = "2")]
    pub(super) max_val: Option<f32>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(super) params: Option<Vec<u8>>,
    /// The encoding of the values, one of those below.
    #[prost(int32, optional, tag = "4")]
    pub(super) encoding: Option<i32>,
}

/// 16 bits, scaled between the smallest and the largest value of the tensor; the default encoding.
pub(super) const LINEAR_16: i32 = 1;
const FLOAT_16: i32 = 2;
const BFLOAT_16: i32 = 3;
const FLOAT_32: i32 = 4;

/// A tensor's values; `name` is for errors.
pub(super) fn numbers(layer: &Layer, name: &str) -> Result<Vec<f32>, NetError> {
    let bytes = layer.params.as_deref().unwrap_or_default();
    let numbers: Vec<f32> = match layer.encoding.unwrap_or(LINEAR_16) {
        // 0 means unset.
        0 | LINEAR_16 => {
            let (min, max) = (layer.min_val.unwrap_or_default(), layer.max_val.unwrap_or_default());
            check_whole(bytes, 2, name)?;
            let words = bytes.as_chunks::<2>().0.iter();
            words.map(|word| linear(min, max, u16::from_le_bytes(*word))).collect()
        }
        FLOAT_16 => floats(bytes, Kind::Half, name)?,
        BFLOAT_16 => floats(bytes, Kind::BFloat16, name)?,
        FLOAT_32 => floats(bytes, Kind::Float, name)?,
        other => return Err(NetError::unknown(format!("{name} in encoding {other}"), "encodings 1 to 4")),
    };
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(NetError::tensor(name, format!("holds {number}"))),
        None => Ok(numbers),
    }
}

/// The number of rows of a matrix with `columns` columns.
pub(super) fn rows(numbers: &[f32], columns: usize, name: &str) -> Result<usize, NetError> {
    if columns == 0 || numbers.is_empty() || !numbers.len().is_multiple_of(columns) {
        let what = format!("holds {} numbers, which is not a multiple of {columns}", numbers.len());
        return Err(NetError::tensor(name, what));
    }
    Ok(numbers.len() / columns)
}

/// `min` at 0, `max` at the largest u16.
fn linear(min: f32, max: f32, value: u16) -> f32 {
    let share = f32::from(value) / f32::from(u16::MAX);
    min * (1.0 - share) + max * share
}

/// A tensor in [`LINEAR_16`], and its largest rounding error. The encoding is not stated: it is the default.
pub(super) fn to_linear_16(numbers: &[f32]) -> (Layer, f32) {
    let min = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let max = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = f64::from(max) - f64::from(min);
    let word = |number: f32| {
        let share = if range > 0.0 { (f64::from(number) - f64::from(min)) / range } else { 0.0 };
        (share * f64::from(u16::MAX)).round() as u16
    };
    let words: Vec<u16> = numbers.iter().map(|number| word(*number)).collect();
    let errors = numbers.iter().zip(&words).map(|(number, word)| (number - linear(min, max, *word)).abs());
    let rounding = errors.fold(0.0, f32::max);
    let params = words.into_iter().flat_map(u16::to_le_bytes).collect();
    (Layer { min_val: Some(min), max_val: Some(max), params: Some(params), encoding: None }, rounding)
}

/// Numbers of a type that LibTorch has.
fn floats(bytes: &[u8], kind: Kind, name: &str) -> Result<Vec<f32>, NetError> {
    let each = kind.elt_size_in_bytes();
    check_whole(bytes, each, name)?;
    let tensor = Tensor::f_from_data_size(bytes, &[(bytes.len() / each) as i64], kind).map_err(TrainError::from)?;
    Ok(Vec::<f32>::try_from(tensor).map_err(TrainError::from)?)
}

fn check_whole(bytes: &[u8], each: usize, name: &str) -> Result<(), NetError> {
    let is_whole = bytes.len().is_multiple_of(each);
    if is_whole { Ok(()) } else { Err(NetError::tensor(name, "ends in the middle of a number")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(encoding: Option<i32>, params: &[u8]) -> Layer {
        Layer { min_val: Some(-1.0), max_val: Some(3.0), params: Some(params.to_vec()), encoding }
    }

    #[test]
    fn the_four_encodings_are_read() {
        let of = |encoding, params: &[u8]| numbers(&layer(encoding, params), "w").expect("numbers");
        // 0, 65535 and 13107 = 65535 / 5: the ends, and a fifth of the way from −1 to 3.
        let linear = of(None, &[0, 0, 0xff, 0xff, 0x33, 0x33]);
        assert_eq!(linear[..2], [-1.0, 3.0]);
        assert!((linear[2] + 0.2).abs() < 1e-6);
        // Binary16 by hand: 1, −2, 65504, the smallest subnormal number 2^-24.
        assert_eq!(of(Some(2), &[0, 0x3c, 0, 0xc0, 0xff, 0x7b, 1, 0]), [1.0, -2.0, 65504.0, 2f32.powi(-24)]);
        assert_eq!(of(Some(3), &[0x80, 0x3f, 0x40, 0xc0]), [1.0, -3.0]);
        assert_eq!(of(Some(4), &0.1f32.to_le_bytes()), [0.1]);
    }

    #[test]
    fn sixteen_bits_keep_the_ends_and_round_the_rest() {
        let written = [-0.7, 0.0, 1e-3, 2.3];
        let (layer, rounding) = to_linear_16(&written);
        let read = numbers(&layer, "w").expect("numbers");
        assert_eq!([read[0], read[3]], [-0.7, 2.3]);
        let error = written.iter().zip(&read).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(error, rounding);
        assert!(error > 0.0 && error <= 0.5 * 3.0 / 65535.0 + 1e-7, "{error}");
        for same in [0.0, -4.5] {
            let (layer, rounding) = to_linear_16(&[same; 3]);
            assert_eq!((numbers(&layer, "w").expect("numbers"), rounding), (vec![same; 3], 0.0));
        }
    }

    #[test]
    fn what_is_no_tensor_is_refused_by_name() {
        let refused = |layer: Layer| numbers(&layer, "ip_pol_w").expect_err("no tensor").to_string();
        assert!(refused(layer(None, &[1, 2, 3])).contains("ip_pol_w ends in the middle of a number"));
        assert!(refused(layer(Some(2), &[0, 0x7c, 0, 0])).contains("ip_pol_w holds inf"));
        assert!(refused(layer(Some(9), &[])).contains("encoding 9"));
    }
}
