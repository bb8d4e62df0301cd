//! `evaluate:` of experiment files, in a program without the lab `play`.

use config::Experiment;
use grid::Prepared;
use tch::Device;

/// Refuses files that ask for evaluations.
pub(crate) fn check(experiment: &Experiment) -> anyhow::Result<()> {
    anyhow::ensure!(
        experiment.evaluate.is_empty(),
        "`evaluate` needs the lab `play`, which this program was built without: run `make build`, build with `--features play`, or \
         remove `evaluate` from the file"
    );
    Ok(())
}

/// Evaluates nothing, since [`check`] refuses files that ask for it.
pub(crate) fn run(_: &Experiment, _: &Prepared, _: usize, _: Device) -> usize {
    0
}
