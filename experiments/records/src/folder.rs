//! Names of the files in a run folder and in a cell's folder.

/// The experiment's file, copied into its run folder.
pub const EXPERIMENT_FILE: &str = "experiment.yaml";

/// A cell's resolved configuration.
pub const CONFIG_FILE: &str = "config.yaml";

/// A cell's metric lines.
pub const METRICS_FILE: &str = "metrics.jsonl";

/// What a cell's process wrote to stderr.
pub const LOG: &str = "log.txt";

/// The folder of a cell's checkpoints.
pub const CHECKPOINTS: &str = "checkpoints";

/// The final weights in it.
pub const FINAL: &str = "final.safetensors";

/// The final averaged weights in it.
pub const AVERAGED: &str = "final-averaged.safetensors";
