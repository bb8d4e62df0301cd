//! Decodes tensors, from the four encodings of a weights file, and encodes them in 16 bits.

use super::error::NetError;
use prost::Message;

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
            u16_values(bytes, name)?.map(|value| linear(min, max, value)).collect()
        }
        FLOAT_16 => u16_values(bytes, name)?.map(half).collect(),
        BFLOAT_16 => u16_values(bytes, name)?.map(|value| f32::from_bits(u32::from(value) << u16::BITS)).collect(),
        FLOAT_32 => f32_values(bytes, name)?,
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
        let what = format!("holds {} numbers, which is no multiple of {columns}", numbers.len());
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

fn u16_values<'a>(bytes: &'a [u8], name: &str) -> Result<impl Iterator<Item = u16> + use<'a>, NetError> {
    let (values, rest) = bytes.as_chunks::<{ size_of::<u16>() }>();
    check_no_rest(rest, name)?;
    Ok(values.iter().map(|value| u16::from_le_bytes(*value)))
}

fn f32_values(bytes: &[u8], name: &str) -> Result<Vec<f32>, NetError> {
    let (values, rest) = bytes.as_chunks::<{ size_of::<f32>() }>();
    check_no_rest(rest, name)?;
    Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

fn check_no_rest(rest: &[u8], name: &str) -> Result<(), NetError> {
    if rest.is_empty() { Ok(()) } else { Err(NetError::tensor(name, "ends in the middle of a number")) }
}

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
fn half(value: u16) -> f32 {
    const FRACTION: u32 = 10;
    const BIAS: i32 = 15;
    let sign = if value >> (u16::BITS - 1) == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((value >> FRACTION) & 0x1f);
    let fraction = f32::from(value & 0x3ff) / f32::from(1u16 << FRACTION);
    match exponent {
        0 => sign * fraction * (1.0 - BIAS as f32).exp2(),
        0x1f if fraction == 0.0 => sign * f32::INFINITY,
        0x1f => f32::NAN,
        _ => sign * (1.0 + fraction) * ((exponent - BIAS) as f32).exp2(),
    }
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
