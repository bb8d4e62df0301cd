//! Checks that the finished cells of a bundle and of its trials are those that the names of their folders stand for.

use super::unpacked::Unpacked;
use anyhow::ensure;
use config::tuning;
use grid::genuine;
use records::plan::{self, Plan};

/// Returns the number of finished cells, which all have the hashes and seeds of their folders.
pub fn check(bundle: &Unpacked) -> anyhow::Result<usize> {
    const SHOWN: usize = 3;
    let run_dir = bundle.run_dir();
    let (mut finished, mut different) = genuine::check(&bundle.verified().plan, run_dir);
    let trials = run_dir.join(tuning::FOLDER);
    if trials.join(plan::FILE).is_file() {
        let of_trials = genuine::check(&Plan::read(&trials)?, &trials);
        finished += of_trials.0;
        different.extend(of_trials.1);
    }
    let more = match different.len().saturating_sub(SHOWN) {
        0 => String::new(),
        others => format!("; and {others} more"),
    };
    ensure!(
        different.is_empty(),
        "{} of {finished} finished cells are not what their folders say: {}{more}",
        different.len(),
        different[..different.len().min(SHOWN)].join("; ")
    );
    Ok(finished)
}
