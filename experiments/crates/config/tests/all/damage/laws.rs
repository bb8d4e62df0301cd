//! What holds of every reader of settings, whatever bytes it gets; a law panics where it is broken. The seeded tests of this
//! folder, those of bundles and the targets in `fuzz/` call it.

use super::counts::Counts;
use config::identity::hash;
use config::{NetworkCost, RunConfig};

/// `config.yaml`: what is accepted is the same once it was written.
pub fn run_config(bytes: &[u8]) -> Counts {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let read = text.and_then(|text| RunConfig::from_yaml(text).map_err(|error| error.to_string()));
    Counts::of(read, |run| {
        let written = run.to_yaml().expect("a text");
        let again = RunConfig::from_yaml(&written).unwrap_or_else(|error| panic!("{error} in\n{written}"));
        assert_eq!(again.to_yaml().expect("a text"), written);
        assert_eq!(hash(&again, "content"), hash(&run, "content"));
        if let Err(error) = NetworkCost::of(&run) {
            assert!(!error.to_string().is_empty());
        }
    })
}
