//! Nothing.

use super::*;
use encodings::none::Config;

impl Definition for Config {}
