//! `posenc predict`: the outputs of a cell's network for positions.

use super::devices::CellNetwork;
use config::RunConfig;
use dataset::{Manifest, MapInfo, bounded};
use games::chess::history::HistoryFill;
use games::map_labels::MapTask;
use models::HeadName;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Tensor;
use train::TrainError;
use train::inference::positions::{fill_history, read, read_lines};
use train::inference::predict::{Meaning, Prediction, predictions, predictions_of_all_moves};
use train::inference::tensors_file::{self, Named};
use train::inference::{Answers, Loaded, Request};

#[derive(Debug, clap::Args)]
#[command(override_usage = "posenc predict <CELL> [OPTIONS] --position <POSITION>
       posenc predict <CELL> [OPTIONS] --positions <FILE>")]
pub struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    #[command(flatten)]
    questions: Questions,
    /// Show only the K likeliest moves [default: 5 as text, all with --json].
    #[arg(long, value_name = "K")]
    top: Option<usize>,
    /// Show every entry of the move vocabulary, legal or not, with probabilities over all of them. Illegal moves have the
    /// numbers of their squares, as in an export's `moves.tsv`. Logits of illegal moves are trained with `mask: eval` or `none`
    /// only.
    #[arg(long)]
    all_moves: bool,
    /// Divide the policy's logits by this; 0 selects the likeliest move.
    #[arg(long, default_value_t = 1.0, value_parser = parse_temperature)]
    temperature: f64,
    /// The history of `lc0_112` and `lc0_112_en_passant` before a FEN, as in Lc0's option: `no` (empty, as in its
    /// training games) or `fen_only` (the FEN's position repeated, as in play).
    #[arg(long, value_name = "FILL", default_value = "no", value_parser = parse_fill)]
    history_fill: HistoryFill,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
    /// Also write inputs and outputs to a safetensors file with the names of an export; it must not exist yet.
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    #[command(flatten)]
    network: CellNetwork,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Questions {
    /// A position: FEN (chess), SFEN (shogi) or `startpos`, optionally followed by `moves …` for the history and by
    /// `ratings` and those of the first and the second player for a network that reads ratings.
    #[arg(long, visible_aliases = ["fen", "sfen"])]
    position: Option<String>,
    /// A file with one position per line; - for stdin.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
}

const SHOWN: usize = 5;

const BATCH: usize = 256;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(dump) = args.dump.as_ref().filter(|dump| dump.symlink_metadata().is_ok()) {
        return Err(TrainError::Exists(dump.clone()).into());
    }
    let cell = args.network.load(&args.cell)?;
    let mut requests = args.questions.read(&cell)?;
    if args.history_fill == HistoryFill::FenOnly {
        fill_history(&mut requests, cell.config.input)?;
    }
    if !args.json && !cell.config.model.heads().contains(&HeadName::Policy) {
        for (option, is_given) in [("--top", args.top.is_some()), ("--all-moves", args.all_moves)] {
            if is_given {
                eprintln!("{option} has no effect: this network has no policy, so no moves are listed");
            }
        }
    }
    let legend = if args.json { None } else { legend(&cell.config) };
    let mut dumped = Vec::new();
    let mut out = io::stdout().lock();
    for batch in requests.chunks(BATCH) {
        let answers = Answers::of(&cell, batch)?;
        let predictions = if args.all_moves {
            predictions_of_all_moves(batch, &answers.outputs, args.temperature, cell.config.spec().moves)?
        } else {
            predictions(batch, &answers.outputs, args.temperature)?
        };
        for prediction in predictions {
            let text = if args.json {
                format!("{}\n", prediction.json(args.top))
            } else {
                text(&prediction, args.top.unwrap_or(SHOWN), &cell.config, legend.as_deref())
            };
            match out.write_all(text.as_bytes()) {
                // The reader of the text, such as `head`, has closed it; the dump is still asked for.
                Err(error) if args.dump.is_some() && error.kind() == ErrorKind::BrokenPipe => break,
                written => written?,
            }
        }
        if args.dump.is_some() {
            dumped.push(answers.named());
        }
    }
    if let Some(path) = &args.dump {
        tensors_file::write(path, &joined(dumped)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Questions {
    fn read(&self, cell: &Loaded) -> anyhow::Result<Vec<Request>> {
        let (game, input, moves) = (cell.config.game, cell.config.input, cell.config.moves);
        match (&self.position, &self.positions) {
            (Some(text), _) => Ok(vec![read(text, "", game, input, moves)?]),
            (None, Some(path)) => {
                let (text, name) = if path.as_os_str() == "-" {
                    (bounded::read_stream(io::stdin().lock(), bounded::TEXT)?, "stdin".to_owned())
                } else {
                    (super::export::read(path)?, path.display().to_string())
                };
                Ok(read_lines(&text, &name, game, input, moves)?)
            }
            (None, None) => Ok(Vec::new()),
        }
    }
}

fn joined(batches: Vec<Vec<Named>>) -> Result<Vec<Named>, TrainError> {
    let mut columns: Vec<(String, Vec<Tensor>)> = Vec::new();
    for batch in batches {
        if columns.is_empty() {
            columns = batch.into_iter().map(|named| (named.name, vec![named.tensor])).collect();
        } else {
            columns.iter_mut().zip(batch).for_each(|((_, rows), named)| rows.push(named.tensor));
        }
    }
    let join = |(name, rows): (String, Vec<Tensor>)| Ok(Named::new(name, Tensor::f_cat(&rows, 0)?));
    columns.into_iter().map(join).collect()
}

/// What the labels of the cell's map mean; `None` if its dataset is not there, or its classes are numbers.
fn legend(run: &RunConfig) -> Option<String> {
    let computed = run.view.map.or_else(|| MapTask::named(&run.generate.as_ref()?.probe));
    let MapInfo { task, names, .. } = match computed {
        Some(task) => MapInfo::of(task, run.game),
        None => Manifest::read(&run.data).ok()?.map?,
    };
    let classes = names.iter().enumerate().map(|(class, name)| format!("{class} {name}"));
    (!names.is_empty()).then(|| format!("{task}: {}", joined_by(classes, ", ")))
}

fn text(prediction: &Prediction, top: usize, run: &RunConfig, legend: Option<&str>) -> String {
    let mut text = format!("{}\n", prediction.position);
    for (name, meaning) in &prediction.others {
        let said = match meaning {
            Meaning::Wdl([win, draw, loss]) => {
                format!("win {:.1} %, draw {:.1} %, loss {:.1} %", win * 100.0, draw * 100.0, loss * 100.0)
            }
            Meaning::Number(number) | Meaning::WinRate(number) => format!("{number:.3}"),
            Meaning::Intervals(shares) | Meaning::Answers(shares) => {
                joined_by(shares.iter().map(|share| format!("{:.0}", share * 100.0)), " ") + " %"
            }
            Meaning::Labels(labels) => {
                let board = board(labels, run.game.geometry().files(), run.input.frame().viewer());
                board + &legend.map(|legend| format!("\n    {legend}")).unwrap_or_default()
            }
            Meaning::Pairs(pairs) => joined_by(pairs.iter().map(|[from, to]| format!("{from}-{to}")), " "),
        };
        // A String takes every character.
        let _ = writeln!(text, "  {name}: {said}");
    }
    // Without a policy they are in the order of the rules, which answers nothing.
    for mv in prediction.moves.iter().filter(|mv| mv.policy.is_some()).take(top) {
        let share = mv.policy.map(|share| format!(" {:>5.1} %", share.probability * 100.0)).unwrap_or_default();
        let refined = mv.refined.map(|share| format!("  refined {:>5.1} %", share * 100.0)).unwrap_or_default();
        let illegal = if mv.is_legal { "" } else { "  illegal" };
        let _ = writeln!(text, "  {:<6}{share}{refined}{illegal}", mv.text);
    }
    if prediction.moves.is_empty() {
        text.push_str("  no legal move\n");
    }
    text
}

/// The labels of all squares, rank by rank, on the board that the network sees.
fn board(labels: &[usize], files: usize, viewer: &str) -> String {
    let rank = |labels: &[usize]| joined_by(labels.iter().map(|label| format!("{label:>3}")), "");
    let ranks = labels.chunks(files).rev().map(|labels| format!("\n  {}", rank(labels)));
    format!("{viewer} below{}", joined_by(ranks, ""))
}

fn joined_by(words: impl Iterator<Item = String>, between: &str) -> String {
    words.collect::<Vec<_>>().join(between)
}

fn parse_fill(text: &str) -> Result<HistoryFill, String> {
    match text {
        "no" => Ok(HistoryFill::No),
        "fen_only" => Ok(HistoryFill::FenOnly),
        _ => Err("it is `no` or `fen_only`".to_owned()),
    }
}

fn parse_temperature(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "a temperature is a number".to_owned())?;
    (value.is_finite() && value >= 0.0).then_some(value).ok_or_else(|| "a temperature is 0 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::board;

    #[test]
    fn a_map_of_squares_is_a_board_with_its_own_back_rank_below() {
        let shown = board(&[0, 1, 2, 3, 1, 10], 3, "the side to move");
        assert_eq!(shown, "the side to move below\n    3  1 10\n    0  1  2");
    }
}
