//! Bytes that are damaged.

use super::laws;
use super::pieces::damage;
use testing::CONFIG;

#[test]
fn run_config_is_safe() {
    damage("run_config", CONFIG.into(), laws::run_config);
}
