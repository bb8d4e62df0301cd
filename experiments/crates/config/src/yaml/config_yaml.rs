//! `config.yaml` of a cell: written by `serde_yaml`, read as experiment files are.

use super::parse::parse;
use super::reader::read;
use super::source::{ConfigError, Source};
use crate::settings::run::RunConfig;
use dataset::bounded;
use serde_yaml::with::singleton_map_recursive;
use std::fmt::Display;
use std::io;
use std::path::Path;

const MAX_BYTES: u64 = 1 << 20;

const HELP: &str = "`posenc run` with the experiment's file writes it again";

impl RunConfig {
    /// The run as the text of a `config.yaml`; enums are names, or maps of a name to its options. An error if the dataset's
    /// path is not UTF-8.
    pub fn to_yaml(&self) -> Result<String, serde_yaml::Error> {
        let mut text = Vec::new();
        singleton_map_recursive::serialize(self, &mut serde_yaml::Serializer::new(&mut text))?;
        Ok(String::from_utf8(text).expect("YAML is written in UTF-8"))
    }

    /// Reads the text of a `config.yaml`. An error if it is not a regular file, is longer than 1 MiB, or is not UTF-8.
    pub fn read_text(path: &Path) -> io::Result<String> {
        bounded::read_text(path, MAX_BYTES)
    }

    /// The run of a `config.yaml`; none if it cannot be read.
    pub fn read(path: &Path) -> Option<Self> {
        Self::from_yaml(&Self::read_text(path).ok()?).ok()
    }

    /// Reads what [`Self::to_yaml`] wrote.
    pub fn from_yaml(text: &str) -> Result<Self, ConfigError> {
        Self::from_source(&Source::new(Path::new("config.yaml"), text))
    }

    /// Reads a `config.yaml`. An error if it is not YAML, or a key is unknown, missing or of a wrong type; or if its game
    /// does not have its input or its moves.
    pub fn from_source(source: &Source) -> Result<Self, ConfigError> {
        let tree = parse(source)?;
        let run: Self = read(&tree).map_err(|refusal| refusal.explain().help(HELP))?;
        let wrong = |key: &str, reason: &dyn Display| tree.nearest(&[key]).origin.refused(reason).help(HELP);
        run.game.offered(run.input).map_err(|error| wrong("input", &error))?;
        run.game.vocabulary(run.moves).map_err(|error| wrong("moves", &error))?;
        Ok(run)
    }
}
