//! `posenc data generate`: datasets without records.

use super::display::shown;
use super::info::by_split;
use super::split::NewDataset;
use crate::commands::options::print;
use crate::commands::show::parse_listed;
use crate::labs::GenerateCommand;
use clap::{Subcommand, ValueEnum};
use config::{counted, grouped};
use dataset::Manifest;
use games::GameKind;
use games::chess::endgame::Ending;
use games::map_labels::MapTask;
use generate::probe::{ProbeSettings, Task, Unseen, UnseenKind, probe};
use std::num::{NonZeroU16, NonZeroU64};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: GenerateTask,
}

#[derive(Debug, Subcommand)]
enum GenerateTask {
    /// Generate positions with exact labels from the rules: small tasks that separate encodings.
    Probe(ProbeArgs),
    #[command(flatten)]
    Lab(GenerateCommand),
}

#[derive(Debug, clap::Args)]
struct ProbeArgs {
    /// The task.
    #[arg(value_name = "TASK")]
    task: TaskName,
    /// The ending, for the task `endgame`.
    #[arg(long, value_name = "ENDING", required_if_eq("task", "endgame"))]
    ending: Option<EndingName>,
    /// Test on positions of a kind that training does not have, for tasks that are maps of the board.
    #[arg(long, value_name = "KIND")]
    unseen: Option<UnseenName>,
    /// Make the control of --unseen: nearly the same test positions, and training positions that do have it.
    #[arg(long, requires = "unseen")]
    control: bool,
    /// Take a position every N plies of a random game; by default a game gives one position.
    #[arg(long, value_name = "N")]
    every: Option<NonZeroU16>,
    /// The game, or a board for probes, such as board5: `posenc list games` has all.
    #[arg(long, value_parser = parse_listed)]
    game: GameKind,
    /// Number of different positions.
    #[arg(long, value_name = "N")]
    positions: NonZeroU64,
    /// The seed of all random choices.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    new: NewDataset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TaskName {
    /// Which moves mate? Not on boards for probes.
    MateInOne,
    /// Which moves are legal? All games; meant for runs with `mask: none`.
    LegalMoves,
    /// Who wins a small ending, and which moves keep the result? Chess.
    Endgame,
    /// Which side attacks each square? All games.
    AttackedSquares,
    /// To how many squares can each piece of the side to move go? All games.
    Mobility,
    /// Which piece attacks which square? All games.
    Attackers,
    /// Which pieces are pinned to their king? Not on boards for probes.
    Pins,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EndingName {
    /// King and pawn against king.
    Kpk,
    /// King and rook against king.
    Krk,
    /// King and queen against king.
    Kqk,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UnseenName {
    /// Sliders on the first and last file: taken from the board in training.
    EdgeSliders,
    /// Boards moved two files to the right; training has pieces on the leftmost files only, all but two.
    TranslatedBoards,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        GenerateTask::Probe(args) => print(&run_probe(args)?),
        GenerateTask::Lab(command) => command.run(),
    }
}

fn run_probe(args: &ProbeArgs) -> anyhow::Result<String> {
    let settings = settings(args)?;
    let manifest = shown(|progress| probe(&settings, progress))?;
    let games = manifest.sampled.map_or_else(String::new, |sampled| format!(" of {}", counted(sampled.games, "game")));
    Ok(format!(
        "{}: {} positions{games} ({})\n{}\n",
        settings.output.display(),
        grouped(manifest.counts.positions),
        by_split(&manifest.split.positions),
        labels(&manifest)
    ))
}

/// What the labels are, in a line.
fn labels(manifest: &Manifest) -> String {
    let (what, counts) = match &manifest.map {
        Some(map) => ("labels by class", map.counted(&manifest.counts.map_classes)),
        None => {
            let results = manifest.counts.results.iter();
            ("results", results.map(|(name, &count)| (name.clone(), count)).collect())
        }
    };
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    format!("{what}: {}", counts.join(", "))
}

fn settings(args: &ProbeArgs) -> anyhow::Result<ProbeSettings> {
    let ending = args.ending.map(|ending| match ending {
        EndingName::Kpk => Ending::Kpk,
        EndingName::Krk => Ending::Krk,
        EndingName::Kqk => Ending::Kqk,
    });
    let task = match (args.task, ending) {
        (TaskName::MateInOne, None) => Task::MateInOne,
        (TaskName::LegalMoves, None) => Task::LegalMoves,
        (TaskName::Endgame, Some(ending)) => Task::Endgame(ending),
        (TaskName::AttackedSquares, None) => Task::Map(MapTask::AttackedSquares),
        (TaskName::Mobility, None) => Task::Map(MapTask::Mobility),
        (TaskName::Attackers, None) => Task::Map(MapTask::Attackers),
        (TaskName::Pins, None) => Task::Map(MapTask::Pins),
        (TaskName::Endgame, None) => anyhow::bail!("the task endgame needs --ending kpk, krk or kqk"),
        (_, Some(_)) => anyhow::bail!("--ending belongs to the task endgame: leave it out"),
    };
    let kind = args.unseen.map(|unseen| match unseen {
        UnseenName::EdgeSliders => UnseenKind::EdgeSliders,
        UnseenName::TranslatedBoards => UnseenKind::TranslatedBoards,
    });
    let unseen = kind.map(|kind| Unseen { kind, control: args.control });
    Ok(ProbeSettings {
        task,
        unseen,
        every: args.every,
        game: args.game,
        positions: args.positions.get(),
        seed: args.seed,
        output: args.new.out.clone(),
        name: args.new.name().unwrap_or_else(|| task.name().to_owned()),
        made_by: line(args, task, unseen),
        split: args.new.split.plan()?,
    })
}

/// The command line that makes the same dataset again; its folder belongs to this machine.
fn line(args: &ProbeArgs, task: Task, unseen: Option<Unseen>) -> String {
    let ending = match task {
        Task::Endgame(ending) => format!(" --ending {}", ending.name()),
        Task::MateInOne | Task::LegalMoves | Task::Map(_) => String::new(),
    };
    let unseen = unseen.map_or_else(String::new, |Unseen { kind, control }| {
        format!(" --unseen {}{}", kind.name(), if control { " --control" } else { "" })
    });
    let every = args.every.map_or_else(String::new, |every| format!(" --every {every}"));
    format!(
        "posenc data generate probe {}{ending}{unseen}{every} --game {} --positions {} --seed {} {}",
        task.name(),
        args.game.name(),
        args.positions,
        args.seed,
        args.new.split.words()
    )
}
