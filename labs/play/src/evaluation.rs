//! Playing-strength evaluations of finished cells (`evaluate:` in experiment files). Answers are stored in the cell's folder.
//!
//! Each answer has the hash of everything that decides it. Stored answers are not computed again, so an evaluation that was killed
//! resumes, and a cell that was trained again is evaluated again.

use crate::agent::Agent;
use crate::error::PlayError;
use crate::matches::{ANSWER_TIMEOUT, Conditions, Contestant, GameLimits, Kind, MatchOptions, Scale, play_match};
use crate::player::Player;
use crate::puzzles::{self, PuzzleScore, Rule};
use crate::{mates, suites};
use config::Weights;
use config::evaluate::{Evaluations, MatchEntry, Opponent};
use dataset::{Manifest, bounded};
use games::{Referee, with_game};
use records::Strength;
use records::strength::{Evaluation, Measure};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use streams::Stream;
use tch::Device;
use train::inference::Loaded;
use train::inference::results::on_labels;

/// Increment when the same inputs give a different result.
const VERSION: u32 = 1;

#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub cell: &'a Path,
    /// The folder of the reference's cell of the same seed; none for the reference itself.
    pub reference: Option<&'a Path>,
    pub weights: Weights,
    pub device: Device,
}

enum Question<'a> {
    File(Measure, &'a Path),
    Games(&'a MatchEntry),
    Labels(&'a Path),
}

/// Computes the missing answers of a cell; `progress` receives each new one. The reference plays no
/// match against itself.
/// An error keeps finished answers.
pub fn evaluate(
    subject: Subject<'_>,
    evaluations: &Evaluations,
    progress: &mut dyn FnMut(&Evaluation),
) -> Result<(), PlayError> {
    let cell = Loaded::cell(subject.cell, subject.weights, subject.device)?;
    let mut known = Strength::read(subject.cell).map_err(|error| PlayError::file(subject.cell, error))?;
    let files = [
        (Measure::Puzzles, &evaluations.puzzles),
        (Measure::Suite, &evaluations.suites),
        (Measure::Mates, &evaluations.mates),
        (Measure::NoMates, &evaluations.no_mates),
    ];
    let files = files.into_iter().flat_map(|(measure, files)| files.iter().map(move |file| (measure, file)));
    let mut questions: Vec<Question<'_>> = files.map(|(measure, file)| Question::File(measure, file)).collect();
    questions.extend(evaluations.games.as_ref().map(Question::Games));
    let agents: Vec<Agent> = evaluations.agents.iter().map(|agent| agent.parse()).collect::<Result<_, _>>()?;
    let labels: Vec<Question<'_>> = evaluations.labels.iter().map(|folder| Question::Labels(folder)).collect();
    let of_agents = agents.iter().flat_map(|&agent| questions.iter().map(move |question| (agent, question)));
    for (agent, question) in of_agents.chain(labels.iter().map(|question| (Agent::POLICY, question))) {
        let Some(identity) = identity(subject, &cell, agent, question)? else { continue };
        if known.get(&identity).is_some() {
            continue;
        }
        let answer = answer(subject, &cell, agent, question, identity)?;
        progress(&answer);
        known.put(answer);
        known.write(subject.cell).map_err(|error| PlayError::file(subject.cell, error))?;
    }
    Ok(())
}

/// The hash of what decides an answer; none where the question is not one to this cell.
fn identity(
    subject: Subject<'_>,
    cell: &Loaded,
    agent: Agent,
    question: &Question<'_>,
) -> Result<Option<String>, PlayError> {
    let about = match question {
        Question::File(measure, file) => json!({"measure": measure, "file": hash(file)?}),
        Question::Labels(folder) => json!({"labels": Manifest::read(folder)?.content_hash}),
        Question::Games(games) => {
            let opponent = match (&games.against, subject.reference) {
                (Opponent::Reference, None) => return Ok(None),
                (Opponent::Reference, Some(other)) => {
                    json!({"weights": Loaded::cell(other, subject.weights, subject.device)?.weights_hash()?})
                }
                (Opponent::Engine(engine), _) => {
                    json!({"engine": engine.program, "nodes": engine.nodes, "options": engine.options})
                }
            };
            let book = games.openings.as_deref().map(hash).transpose()?;
            let plies = (games.random_plies, games.max_plies);
            // Answers without `counted` counted copies of games, too.
            json!({"opponent": opponent, "pairs": games.pairs, "book": book, "plies": plies, "counted": "distinct"})
        }
    };
    let all = json!({"version": VERSION, "weights": cell.weights_hash()?, "agent": agent.to_string(), "about": about});
    Ok(Some(blake3::hash(all.to_string().as_bytes()).to_hex().to_string()))
}

fn answer(
    subject: Subject<'_>,
    cell: &Loaded,
    agent: Agent,
    question: &Question<'_>,
    identity: String,
) -> Result<Evaluation, PlayError> {
    let (measure, name, found) = match question {
        Question::File(measure, file) => {
            let player = Player::new(cell, agent);
            let found = with_game!(cell.config.game, G => of_file::<G>(&player, *measure, file))?;
            (*measure, file_name(file), found)
        }
        Question::Labels(folder) => (Measure::Labels, file_name(folder), of_labels(cell, folder)?),
        Question::Games(games) => {
            let out = subject.cell.join(format!("match-{}", &identity[..SHORT]));
            (Measure::Match, opponent_name(games), of_games(subject, cell, agent, games, out)?)
        }
    };
    let (value, of, details) = found;
    Ok(Evaluation { identity, measure, name, agent: agent.to_string(), value, of, details })
}

/// Characters of an identity in a folder's name.
const SHORT: usize = 12;

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The policy loss on other labels than the cell's own.
fn of_labels(cell: &Loaded, folder: &Path) -> Result<Found, PlayError> {
    let found = on_labels(cell, folder)?;
    let loss = found.get("policy_loss").ok_or(PlayError::NoOutput {
        agent: "labels",
        needed: "a policy",
        remedy: "take a network with the output `policy`",
    })?;
    Ok((loss, found.get("policy_targets").unwrap_or_default() as u64, details(&found)))
}

/// A value, of how many, and the details.
type Found = (f64, u64, Value);

fn of_file<G: Referee>(player: &Player<'_>, measure: Measure, file: &Path) -> Result<Found, PlayError> {
    let mut stream = stream(measure);
    match measure {
        Measure::Puzzles => {
            let all = puzzles::read(file)?;
            let attempts = puzzles::attempts::<G>(player, &all, file, &mut stream)?;
            let score = PuzzleScore::of(&all, &attempts, Rule::AnyMate);
            Ok((score.solved.share(), score.solved.of, details(&score)))
        }
        Measure::Suite => {
            let problems = suites::read::<G>(file)?;
            let (_, score) = suites::score::<G>(player, &problems, &mut stream)?;
            let share = score.points.map_or_else(|| score.solved.share(), |[found, most]| found / most);
            Ok((share, score.solved.of, details(&score)))
        }
        Measure::Mates | Measure::NoMates => {
            let positions = mates::read::<G>(file)?;
            let score = mates::score::<G>(player, &positions, &mut stream)?;
            let share = if measure == Measure::Mates { score.mates } else { score.checks };
            Ok((share.share(), share.of, details(&score)))
        }
        Measure::Match | Measure::Labels => unreachable!("neither games nor labels are a file of problems"),
    }
}

fn of_games(
    subject: Subject<'_>,
    cell: &Loaded,
    agent: Agent,
    games: &MatchEntry,
    out: PathBuf,
) -> Result<Found, PlayError> {
    let averaged = subject.weights == Weights::Averaged;
    let network = |name: &str, cell: &Path| Contestant {
        name: name.to_owned(),
        kind: Kind::Network { cell: cell.to_owned(), averaged, agent: agent.to_string() },
    };
    let opponent = match (&games.against, subject.reference) {
        (Opponent::Engine(engine), _) => Contestant {
            name: opponent_name(games),
            kind: Kind::Engine {
                program: engine.program.clone(),
                nodes: engine.nodes,
                options: engine.named_options(),
            },
        },
        (Opponent::Reference, other) => network("reference", other.expect("the reference is not asked")),
    };
    let conditions = Conditions {
        game: cell.config.game,
        contestants: vec![network("cell", subject.cell), opponent],
        identities: Vec::new(),
        pairs: games.pairs,
        book: None,
        random_plies: games.random_plies,
        limits: GameLimits { plies: games.max_plies, win: None, draw: None },
        seed: 0,
    };
    let options = MatchOptions {
        openings: games.openings.clone(),
        out,
        jobs: 1,
        device: subject.device,
        timeout: ANSWER_TIMEOUT,
        scale: Scale::default(),
        sequential: None,
    };
    let standings = play_match(conditions, &options, &mut |_, _| {}, &AtomicBool::new(false))?;
    let pairing = standings.pairings.first().expect("two players are one pairing");
    let counted = 2 * pairing.pairs.iter().sum::<u64>();
    Ok((pairing.score.unwrap_or(f64::NAN), counted, details(&standings)))
}

fn opponent_name(games: &MatchEntry) -> String {
    match &games.against {
        Opponent::Reference => "reference".to_owned(),
        Opponent::Engine(engine) => {
            let program = engine.program.file_name().unwrap_or_default().to_string_lossy();
            let options: String = engine.options.iter().map(|option| format!(", {option}")).collect();
            format!("{program}@{}{options}", engine.nodes)
        }
    }
}

fn stream(measure: Measure) -> Stream {
    streams::stream(0, &["evaluate", measure.name()])
}

fn details(score: &impl Serialize) -> Value {
    serde_json::to_value(score).expect("scores are JSON")
}

fn hash(file: &Path) -> Result<String, PlayError> {
    let bytes = bounded::read(file, bounded::WEIGHTS).map_err(|error| PlayError::file(file, error))?;
    Ok(blake3::hash(&bytes).to_hex().to_string())
}
