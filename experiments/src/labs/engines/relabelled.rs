//! `posenc data generate relabelled`.

use crate::commands::data::display::Display;
use crate::commands::data::split::file_name;
use crate::commands::options::cores;
use anyhow::Context as _;
use config::{grouped, shell_word};
use dataset::{Manifest, WorkDone};
use engines::EngineSettings;
use engines::relabelled::{RelabelSettings, relabelled};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take test positions of this dataset that have a policy target.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// The engine's program (`scripts/engines` installs /usr/games/stockfish and /usr/games/fairy-stockfish).
    #[arg(long, value_name = "PATH")]
    engine: PathBuf,
    /// Nodes of each search.
    #[arg(long, value_name = "N")]
    nodes: NonZeroU64,
    /// Number of moves that each search compares.
    #[arg(long, value_name = "N", default_value = "5")]
    multipv: NonZeroUsize,
    /// Temperature of the policies in centipawns.
    #[arg(long, value_name = "CP", default_value_t = 60.0)]
    temperature: f64,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value = "2000")]
    positions: NonZeroU64,
    /// The seed of the choice of positions.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Number of engine processes [default: one per core]. The labels do not depend on it.
    #[arg(long, value_name = "N")]
    processes: Option<NonZeroUsize>,
    /// The licence of the labels.
    #[arg(long, value_name = "LICENCE", default_value = "unknown")]
    licence: String,
    /// The dataset's folder; it must not exist yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        args.temperature.is_finite() && args.temperature > 0.0,
        "--temperature {}: expected a number above 0 in centipawns, such as 60",
        args.temperature
    );
    let from = Manifest::read(&args.from).with_context(|| format!("--from {}", args.from.display()))?;
    let positions = args.positions.get();
    let settings = RelabelSettings {
        game: from.game,
        from: args.from.clone(),
        from_name: from.name.clone(),
        engine: EngineSettings::new(&args.engine, from.game, args.multipv.get(), Duration::from_secs(300)),
        nodes: args.nodes.get(),
        positions,
        temperature: args.temperature,
        seed: args.seed,
        processes: args.processes.map_or_else(cores, NonZeroUsize::get),
        output: args.out.clone(),
        name: file_name(&args.out),
        licence: args.licence.clone(),
        made_by: made_by(args, &from.name),
    };
    let display = Mutex::new(Display::new());
    let shown = |done| {
        if let Ok(mut display) = display.lock() {
            display.show_done(WorkDone { what: "positions", done, total: positions });
        }
    };
    let made = relabelled(&settings, &shown);
    if let Ok(display) = display.lock() {
        display.finish();
    }
    println!("{}: {} test positions", args.out.display(), grouped(made?.counts.positions));
    Ok(ExitCode::SUCCESS)
}

/// The command that makes the same labels again, for `dataset.yaml`; files by name, since their folders belong to this machine.
fn made_by(args: &Args, from: &str) -> String {
    let Args { nodes, multipv, temperature, positions, seed, .. } = args;
    let [from, engine] = [from, &file_name(&args.engine)[..]].map(shell_word);
    format!(
        "posenc data generate relabelled --from {from} --engine {engine} --nodes {nodes} --multipv {multipv} --temperature \
         {temperature} --positions {positions} --seed {seed}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_for_the_shell() {
        let args = Args {
            from: "set".into(),
            engine: "/opt/an engine".into(),
            nodes: NonZeroU64::MIN,
            multipv: NonZeroUsize::MIN,
            temperature: 60.0,
            positions: NonZeroU64::MIN,
            seed: 2,
            processes: None,
            licence: String::new(),
            out: "labels".into(),
        };
        let expected = "posenc data generate relabelled --from 'my games' --engine 'an engine' --nodes 1 --multipv 1 \
                        --temperature 60 --positions 1 --seed 2";
        assert_eq!(made_by(&args, "my games"), expected);
    }
}
