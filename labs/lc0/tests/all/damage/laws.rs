//! What holds of the reader of networks, whatever bytes it gets; the law panics where it is broken.

use super::counts::Counts;
use std::path::Path;
use train::setup::declare;

/// Lc0's weights files: finite weights that are those of the network that they declare.
pub fn network(bytes: &[u8]) -> Counts {
    let read = || -> Result<_, String> {
        let imported = lc0::of_bytes(bytes, &[]).map_err(|error| error.to_string())?;
        let run = lc0::cell::run_of(&imported, Path::new("net.pb.gz"), None).expect("a run");
        let (_, layout) = declare(&run).map_err(|error| error.to_string())?;
        let weights = lc0::cell::in_layout_order(&imported, &layout).map_err(|error| error.to_string())?;
        Ok((layout, weights))
    };
    Counts::of(read(), |(layout, weights)| {
        assert_eq!(weights.len(), layout.len());
        assert!(weights.iter().all(|weight| weight.is_finite()));
    })
}
