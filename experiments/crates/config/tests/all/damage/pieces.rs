//! Bytes that are cut, have flipped bits, or are any at all.

use super::counts::Counts;
use super::seeded;
use std::fs;
use std::path::Path;

const USUAL: u32 = 2_000;

/// Holds `law` on damaged copies of `piece`, which `POSENC_SEEDS`, a folder, gets as a sample for the fuzz target of this
/// name.
pub fn damage(name: &str, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    if let Some(samples) = std::env::var_os("POSENC_SEEDS") {
        let dir = Path::new(&samples).join(name);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("sample-fixture"), &piece).expect("written");
    }
    let places = seeded::anywhere(piece.len());
    seeded::hold(name, USUAL, &seeded::damaged(piece, places), law);
}
