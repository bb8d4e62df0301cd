//! Reproducible randomness: named ChaCha8 streams, and sampling functions pinned by golden tests.
//!
//! Every random choice of posenc draws from a stream that is derived by hashing a seed and a purpose, so two cells
//! share randomness only if they share the purpose. `rand`'s own sampling (`random_range`, `shuffle`) changed between
//! releases; the functions here are written out and their output is pinned.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The generator of every stream: ChaCha with 8 rounds; its output is the same on every platform.
pub type Stream = ChaCha8Rng;

/// The stream for `(seed, purpose…)`.
///
/// `purpose` is a path, e.g. `["init", "layer.0.attention.query"]`; parts are length-prefixed before hashing, so
/// `["ab", "c"]` and `["a", "bc"]` are different streams.
///
/// ```
/// let first = || streams::bits(&mut streams::stream(7, &["order", "0"]));
/// assert_eq!(first(), first());
/// ```
pub fn stream(seed: u64, purpose: &[&str]) -> Stream {
    let mut hasher = blake3::Hasher::new_derive_key("posenc 2026 random streams v1");
    hasher.update(&seed.to_le_bytes());
    for part in purpose {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    ChaCha8Rng::from_seed(*hasher.finalize().as_bytes())
}

/// 64 uniform bits.
pub fn bits(stream: &mut Stream) -> u64 {
    use rand::Rng as _;
    stream.next_u64()
}

/// A uniform integer in `0..n`, without bias (Lemire's multiply-and-reject). Panics if `n` is zero.
pub fn below(stream: &mut Stream, n: u64) -> u64 {
    assert!(n > 0, "below(0) has no value to return");
    let threshold = n.wrapping_neg() % n;
    loop {
        let product = u128::from(bits(stream)) * u128::from(n);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

/// A uniform number in `[0, 1)` with 53 random bits.
pub fn uniform(stream: &mut Stream) -> f64 {
    (bits(stream) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// A standard normal number (Box–Muller, cosine branch; two uniforms per number).
pub fn normal(stream: &mut Stream) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(stream)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(stream)).cos()
}

/// Fisher–Yates shuffle, from the last element down.
pub fn shuffle<T>(stream: &mut Stream, items: &mut [T]) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(stream, i as u64 + 1) as usize);
    }
}
