//! Nothing.

use super::*;
use encodings::none::Config;

impl Definition for Config {
    fn parameters(&self, _: Dims, _: &Tokens) -> usize {
        0
    }
}
