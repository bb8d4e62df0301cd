//! Random tokens that cannot be guessed. Experiments draw their randomness from `streams`; this one must not repeat.

use anyhow::Context as _;
use std::fs::File;
use std::io::Read as _;

/// 128 random bits of the system in hexadecimal digits.
pub(crate) fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    let source = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    source.context("cannot read /dev/urandom")?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// Whether two texts are equal, in a time that depends on their lengths only.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
    one.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert!(same(&one, &one) && !same(&one, &other) && !same(&one, &one[1..]));
    }
}
