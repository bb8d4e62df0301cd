//! Test suites: positions with moves that are best, to be avoided, or worth points.
//!
//! EPD for chess (Edwards 1994, the standard of PGN, section 16.2): `bm`, `am`, `id`, and for points `c8` (numbers) with `c9` (moves in
//! UCI), as the Strategic Test Suite has them. For shogi the same with SFEN and moves in USI, or CSA records whose first move is the
//! answer.

use crate::error::{PlayError, Wrong};
use crate::player::Player;
use crate::share::Share;
use games::shogi::csa;
use games::{Position, Record, Referee};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use streams::Stream;

#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its name; its place in the file if it has none.
    pub id: String,
    pub start: String,
    /// The moves that solve it, in UCI or USI; if empty, every move that is not to be avoided.
    pub best: Vec<String>,
    pub avoid: Vec<String>,
    /// Moves and their points, if it has any.
    pub points: Vec<(String, f64)>,
}

/// Fields of a position before its operations.
const FIELDS: usize = 4;

const MOST_POINTS: f64 = 1e6;

/// Reads a suite, plain or compressed: EPD, or SFEN with operations, or CSA.
pub fn read<G: Referee>(path: &Path) -> Result<Vec<Problem>, PlayError> {
    let bytes = dataset::unpacked(path)?;
    let is_csa = G::RECORD == Record::Csa && is_named_csa(path);
    let problems = if is_csa { of_csa(&bytes) } else { of_lines(&String::from_utf8_lossy(&bytes), of_line::<G>) };
    let problems = problems.map_err(|wrong| PlayError::at(path, wrong))?;
    if problems.is_empty() {
        return Err(PlayError::file(path, "it has no position"));
    }
    Ok(problems)
}

fn is_named_csa(path: &Path) -> bool {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase().contains(".csa")
}

fn of_csa(bytes: &[u8]) -> Result<Vec<Problem>, Wrong> {
    let problem = |(number, record): (u64, std::io::Result<Vec<u8>>)| {
        let wrong = |reason: String| (format!(", record {number}"), reason);
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let game = csa::parse(&record, number).map_err(|rejected| wrong(rejected.reason))?;
        let answer = game.moves.first().ok_or_else(|| wrong("it has no move, the answer".to_owned()))?;
        let start = game.start.unwrap_or_else(|| games::shogi::ShogiPosition::start().to_text());
        let best = vec![String::from(*answer)];
        Ok(Problem { id: number.to_string(), start, best, avoid: Vec::new(), points: Vec::new() })
    };
    (1..).zip(csa::records(bytes)).map(problem).collect()
}

/// What `read` makes of the lines of a list that are not empty and not comments (`#`), trimmed, with their numbers from 1.
pub(crate) fn of_lines<T>(text: &str, read: impl Fn(usize, &str) -> Result<T, String>) -> Result<Vec<T>, Wrong> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(number, line)| read(number, line).map_err(|reason| (format!(", line {number}"), reason))).collect()
}

fn of_line<G: Referee>(number: usize, line: &str) -> Result<Problem, String> {
    let mut rest = line;
    for _ in 0..FIELDS {
        rest = rest.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
    }
    let start = line[..line.len() - rest.len()].trim();
    let position = G::Position::parse(start).map_err(|error| error.to_string())?;
    let operations = operations(rest);
    let operand = |name: &str| operations.get(name).map(String::as_str).unwrap_or_default();
    let moves = |text: &str| -> Result<Vec<String>, String> {
        let read = |text: &str| {
            position.parse_written(text).map(|mv| position.move_text(mv)).map_err(|error| error.to_string())
        };
        text.split([' ', ',']).filter(|text| !text.is_empty()).map(read).collect()
    };
    let (best, avoid) = (moves(operand("bm"))?, moves(operand("am"))?);
    let worth = operand("c8").split_ascii_whitespace().map(|number| {
        let points = number.parse::<f64>().ok().filter(|points| (0.0..=MOST_POINTS).contains(points));
        points.ok_or_else(|| format!("`c8` has \"{number}\", not a number of points from 0 to {MOST_POINTS}"))
    });
    let worth: Vec<f64> = worth.collect::<Result<_, String>>()?;
    if !worth.is_empty() && worth.iter().all(|&points| points == 0.0) {
        return Err("`c8` gives no move a point".to_owned());
    }
    let of_worth = moves(operand("c9"))?;
    if worth.len() != of_worth.len() {
        return Err(format!(
            "`c8` has {} numbers and `c9` {} moves; each move has its points",
            worth.len(),
            of_worth.len()
        ));
    }
    if best.is_empty() && avoid.is_empty() && of_worth.is_empty() {
        return Err("expected `bm`, `am`, or `c8` with `c9`; found none of them".to_owned());
    }
    let id = operations.get("id").cloned().unwrap_or_else(|| number.to_string());
    Ok(Problem { id, start: start.to_owned(), best, avoid, points: of_worth.into_iter().zip(worth).collect() })
}

/// Operations by their names: `name operand;`, where an operand in quotes may hold semicolons.
fn operations(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let (mut quoted, mut operation) = (false, String::new());
    for character in text.chars().chain([';']) {
        match character {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                let (name, operand) = operation.trim().split_once(' ').unwrap_or((operation.trim(), ""));
                if !name.is_empty() {
                    found.insert(name.to_owned(), operand.trim().to_owned());
                }
                operation.clear();
            }
            _ => operation.push(character),
        }
    }
    found
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteScore {
    /// Solved problems: the move is a best one, and none to be avoided.
    pub solved: Share,
    /// Points and the most that there are, where moves have points.
    pub points: Option<[f64; 2]>,
    /// By part: the problem's name without what follows its last dot.
    pub parts: Vec<SuitePart>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuitePart {
    pub name: String,
    pub solved: Share,
    /// Points and the most that there are.
    pub points: Option<[f64; 2]>,
}

/// The player's moves, in UCI or USI, and its score.
pub fn score<G: Referee>(
    player: &Player<'_>,
    problems: &[Problem],
    stream: &mut Stream,
) -> Result<(Vec<String>, SuiteScore), PlayError> {
    let position = |problem: &Problem| G::Position::parse(&problem.start).expect("`read` has parsed it");
    let positions: Vec<G::Position> = problems.iter().map(position).collect();
    let decisions = player.decide_in::<G>(&positions, stream)?;
    let answers: Vec<String> = decisions.iter().map(|found| found.text().unwrap_or_default().to_owned()).collect();
    let mut parts: BTreeMap<&str, Vec<(&Problem, &str)>> = BTreeMap::new();
    for (problem, answer) in problems.iter().zip(&answers) {
        let part = problem.id.rsplit_once('.').map_or("", |(part, _)| part);
        parts.entry(part).or_default().push((problem, answer));
    }
    let part = |(name, tried): (&str, Vec<(&Problem, &str)>)| {
        let (solved, points) = count(&tried);
        SuitePart { name: name.to_owned(), solved, points }
    };
    let all: Vec<(&Problem, &str)> = problems.iter().zip(answers.iter().map(String::as_str)).collect();
    let (solved, points) = count(&all);
    let parts = if parts.len() > 1 { parts.into_iter().map(part).collect() } else { Vec::new() };
    Ok((answers.clone(), SuiteScore { solved, points, parts }))
}

fn count(tried: &[(&Problem, &str)]) -> (Share, Option<[f64; 2]>) {
    let solved = Share::of(tried.iter().map(|(problem, answer)| problem.is_solved_by(answer)));
    let have_points = tried.iter().any(|(problem, _)| !problem.points.is_empty());
    let sum = |of: &dyn Fn(&Problem, &str) -> f64| tried.iter().map(|(problem, answer)| of(problem, answer)).sum();
    let points = have_points.then(|| [sum(&Problem::points_of), sum(&|problem, _| problem.most_points())]);
    (solved, points)
}

impl Problem {
    /// Whether a move solves it. Where it has points only, the move with the most of them does.
    pub fn is_solved_by(&self, answer: &str) -> bool {
        let is_among = |moves: &[String]| moves.iter().any(|mv| mv == answer);
        let is_best = match (self.best.is_empty(), self.avoid.is_empty()) {
            (false, _) => is_among(&self.best),
            (true, false) => true,
            (true, true) => self.points_of(answer) == self.most_points(),
        };
        is_best && !is_among(&self.avoid)
    }

    fn points_of(&self, answer: &str) -> f64 {
        self.points.iter().find(|(mv, _)| mv == answer).map_or(0.0, |&(_, points)| points)
    }

    fn most_points(&self) -> f64 {
        self.points.iter().map(|&(_, points)| points).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::chess::Chess;
    use games::shogi::Shogi;

    #[test]
    fn a_line_of_the_strategic_test_suite_is_read() {
        let line = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"STS(v1.0) Undermine.001\"; \
                    c0 \"f5=10; Be5+=2\"; c8 \"10 2\"; c9 \"f4f5 d4e5\";";
        let problem = of_line::<Chess>(1, line).expect("a problem");
        assert_eq!((problem.id.as_str(), &problem.best[..]), ("STS(v1.0) Undermine.001", &["f4f5".to_owned()][..]));
        assert_eq!(problem.points, [("f4f5".to_owned(), 10.0), ("d4e5".to_owned(), 2.0)]);
        assert!(problem.is_solved_by("f4f5") && !problem.is_solved_by("d4e5"));
        assert_eq!(problem.points_of("d4e5"), 2.0);
    }

    #[test]
    fn what_is_to_be_avoided_solves_nothing() {
        let start = "4k3/8/8/8/8/8/4P3/4K3 w - -";
        let problem = of_line::<Chess>(3, &format!("{start} am e4 Kd1;")).expect("a problem");
        assert_eq!(problem.id, "3");
        assert!(problem.is_solved_by("e2e3") && !problem.is_solved_by("e2e4") && !problem.is_solved_by("e1d1"));
        let wrong = |rest: &str| of_line::<Chess>(1, &format!("{start} {rest}")).expect_err("wrong");
        assert!(wrong("id \"x\";").contains("expected `bm`, `am`"));
        assert!(wrong("bm Qd8;").contains("Qd8"));
        assert!(wrong("c8 \"10 2\"; c9 \"e2e4\";").contains("2 numbers and `c9` 1 moves"));
        for number in ["x", "inf", "NaN", "-1", "1e300"] {
            let expected = format!("`c8` has \"{number}\", not a number of points from 0 to 1000000");
            assert_eq!(wrong(&format!("c8 \"{number}\"; c9 \"e2e4\";")), expected);
        }
        assert_eq!(wrong("c8 \"0 0\"; c9 \"e2e4 e2e3\";"), "`c8` gives no move a point");
    }

    #[test]
    fn shogi_has_the_same_operations_and_csa() {
        let problem = of_line::<Shogi>(1, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1 bm G*5b; id \"head\";").expect("a problem");
        assert_eq!((problem.id.as_str(), problem.is_solved_by("G*5b")), ("head", true));
        let empty = |rank: usize| format!("P{rank} *  *  *  *  *  *  *  *  * \n");
        let with = |rank: usize, piece: &str| format!("P{rank} *  *  *  * {piece} *  *  *  * \n");
        let ranks = (1..=9).map(|rank| match rank {
            1 => with(rank, "-OU"),
            3 => with(rank, "+FU"),
            9 => with(rank, "+OU"),
            _ => empty(rank),
        });
        let csa = ranks.collect::<String>() + "P+00KI\n+\n+0052KI\n";
        let problems = of_csa(csa.as_bytes()).expect("a record");
        assert_eq!((problems.len(), problems[0].best[0].as_str()), (1, "G*5b"));
        assert!(is_named_csa(Path::new("suites/mates.CSA.zst")) && !is_named_csa(Path::new("a.csa/mates.sfen")));
    }
}
