//! `--set`: settings of an experiment file that the command line overrides.

use config::{ConfigError, Experiment};
use std::path::Path;

/// What `posenc check`, `run` and `submit` can override.
#[derive(Debug, clap::Args)]
pub(crate) struct Sets {
    /// Give a setting this value in every row, as if the file said so: train.steps=500, 'encoding={rope: {layout: axial_2d,
    /// theta: 10}}'. An axis of that name is no longer varied. May be repeated.
    #[arg(long = "set", value_name = "SETTING=VALUE")]
    sets: Vec<String>,
}

impl Sets {
    /// Reads an experiment file with these settings.
    pub(crate) fn load(&self, file: &Path) -> Result<Experiment, ConfigError> {
        Experiment::load_with(file, &self.sets)
    }
}
