//! Where a new dataset is written and how it is split, on the command line.

use dataset::{PerSplit, SplitBy, SplitPlan};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct NewDataset {
    /// The new dataset's folder; it must not exist yet.
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Its name; its folder's name by default.
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    pub(super) split: SplitArgs,
}

impl NewDataset {
    /// Its name, if one is given or the folder has one.
    pub(super) fn name(&self) -> Option<String> {
        self.name.clone().or_else(|| Some(file_name(&self.out)).filter(|name| !name.is_empty()))
    }
}

/// The last part of a path; empty for a path without one, such as `..`.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Shares, seed, and what is kept together.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct SplitArgs {
    #[command(flatten)]
    shares: ShareArgs,
    /// Keep games with the same position after N plies together, instead of splitting game by game.
    #[arg(long, value_name = "PLIES", help_heading = "Split")]
    split_by_opening: Option<u16>,
}

impl SplitArgs {
    pub(super) fn plan(&self) -> anyhow::Result<SplitPlan> {
        let (seed, fractions) = (self.shares.split_seed, self.shares.fractions()?);
        Ok(match self.split_by_opening {
            None => SplitPlan::by_game(seed, fractions),
            Some(opening_plies) => SplitPlan { by: SplitBy::Opening, opening_plies, seed, fractions },
        })
    }

    /// The same as words of a command line.
    pub(super) fn words(&self) -> String {
        let opening = self.split_by_opening.map_or_else(String::new, |plies| format!(" --split-by-opening {plies}"));
        format!("{}{opening}", self.shares.words())
    }
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Split")]
pub(crate) struct ShareArgs {
    /// Share of the games for the test split; with 1 it takes all.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    test: f64,
    /// Share of the games for the validation split.
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    validation: f64,
    /// Seed of the split.
    #[arg(long, default_value_t = 0, value_name = "SEED")]
    pub(crate) split_seed: u64,
}

impl ShareArgs {
    pub(crate) fn fractions(&self) -> anyhow::Result<PerSplit<f64>> {
        if self.takes_all() {
            return Ok(PerSplit { train: 0.0, validation: 0.0, test: 1.0 });
        }
        for (option, share) in [("--test", self.test), ("--validation", self.validation)] {
            anyhow::ensure!(
                (0.0..1.0).contains(&share),
                "{option} {share}: a share is 0 or more and below 1 (--test 1 takes all games)"
            );
        }
        // Rounded, so that dataset.yaml says 0.7 and not 0.7000000000000001.
        let train = ((1.0 - self.test - self.validation) * 1e12).round() / 1e12;
        anyhow::ensure!(
            train > 0.0,
            "--test and --validation leave no games to train on; they must add up to less than 1"
        );
        Ok(PerSplit { train, validation: self.validation, test: self.test })
    }

    /// Whether every game is for tests.
    fn takes_all(&self) -> bool {
        self.test == 1.0
    }

    /// The same as words of a command line.
    pub(crate) fn words(&self) -> String {
        let Self { test, split_seed, .. } = self;
        let validation = if self.takes_all() { 0.0 } else { self.validation };
        format!("--test {test} --validation {validation} --split-seed {split_seed}")
    }
}
