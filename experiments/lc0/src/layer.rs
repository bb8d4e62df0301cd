//! Numbers out of bytes: the four ways in which a weights file writes a tensor.

use super::error::NetError;
use super::message::Layer;

/// 16 bits between the smallest and the largest number of the tensor: what every file has that says nothing else.
const LINEAR_16: i32 = 1;
const FLOAT_16: i32 = 2;
const BFLOAT_16: i32 = 3;
const FLOAT_32: i32 = 4;

/// A tensor's numbers; `name` is for errors.
pub(super) fn numbers(layer: Option<&Layer>, name: &str) -> Result<Vec<f32>, NetError> {
    let layer = layer.ok_or_else(|| NetError::tensor(name, "is missing"))?;
    let bytes = layer.params.as_deref().unwrap_or_default();
    let numbers: Vec<f32> = match layer.encoding.unwrap_or(LINEAR_16) {
        // 0 is "not said".
        0 | LINEAR_16 => {
            let (min, max) = (layer.min_val.unwrap_or_default(), layer.max_val.unwrap_or_default());
            words(bytes, name)?.map(|word| linear(min, max, word)).collect()
        }
        FLOAT_16 => words(bytes, name)?.map(half).collect(),
        BFLOAT_16 => words(bytes, name)?.map(|word| f32::from_bits(u32::from(word) << u16::BITS)).collect(),
        FLOAT_32 => singles(bytes, name)?,
        other => return Err(NetError::unknown(format!("{name} in encoding {other}"), "encodings 1 to 4")),
    };
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(NetError::tensor(name, format!("holds {number}"))),
        None => Ok(numbers),
    }
}

/// The same, where the network says how many there must be.
pub(super) fn sized(layer: Option<&Layer>, name: &str, len: usize) -> Result<Vec<f32>, NetError> {
    let numbers = numbers(layer, name)?;
    if numbers.len() != len {
        return Err(NetError::tensor(name, format!("holds {} numbers instead of {len}", numbers.len())));
    }
    Ok(numbers)
}

/// How many rows a matrix has whose rows have `columns` numbers.
pub(super) fn rows(numbers: &[f32], columns: usize, name: &str) -> Result<usize, NetError> {
    if columns == 0 || numbers.is_empty() || !numbers.len().is_multiple_of(columns) {
        let what = format!("holds {} numbers, which is no multiple of {columns}", numbers.len());
        return Err(NetError::tensor(name, what));
    }
    Ok(numbers.len() / columns)
}

/// `min` at 0, `max` at the largest word.
fn linear(min: f32, max: f32, word: u16) -> f32 {
    let share = f32::from(word) / f32::from(u16::MAX);
    min * (1.0 - share) + max * share
}

fn words<'a>(bytes: &'a [u8], name: &str) -> Result<impl Iterator<Item = u16> + use<'a>, NetError> {
    let (words, rest) = bytes.as_chunks::<{ size_of::<u16>() }>();
    whole(rest, name)?;
    Ok(words.iter().map(|word| u16::from_le_bytes(*word)))
}

fn singles(bytes: &[u8], name: &str) -> Result<Vec<f32>, NetError> {
    let (singles, rest) = bytes.as_chunks::<{ size_of::<f32>() }>();
    whole(rest, name)?;
    Ok(singles.iter().map(|single| f32::from_le_bytes(*single)).collect())
}

fn whole(rest: &[u8], name: &str) -> Result<(), NetError> {
    if rest.is_empty() { Ok(()) } else { Err(NetError::tensor(name, "ends in the middle of a number")) }
}

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits.
fn half(word: u16) -> f32 {
    const FRACTION: u32 = 10;
    const BIAS: i32 = 15;
    let sign = if word >> (u16::BITS - 1) == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from((word >> FRACTION) & 0x1f);
    let fraction = f32::from(word & 0x3ff) / f32::from(1u16 << FRACTION);
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
        let of = |encoding, params: &[u8]| numbers(Some(&layer(encoding, params)), "w").expect("numbers");
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
    fn what_is_no_tensor_is_refused_by_name() {
        let refused = |layer: Option<&Layer>| sized(layer, "ip_pol_w", 2).expect_err("no tensor").to_string();
        assert!(refused(None).contains("ip_pol_w is missing"));
        assert!(refused(Some(&layer(None, &[1, 2, 3]))).contains("ip_pol_w ends in the middle of a number"));
        assert!(refused(Some(&layer(None, &[1, 2]))).contains("ip_pol_w holds 1 numbers instead of 2"));
        assert!(refused(Some(&layer(Some(2), &[0, 0x7c, 0, 0]))).contains("ip_pol_w holds inf"));
        assert!(refused(Some(&layer(Some(9), &[]))).contains("encoding 9"));
    }
}
