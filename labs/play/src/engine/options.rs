//! An engine's options and its output about moves.

use crate::agent::Agent;
use crate::decision::Decision;
use crate::score::{centipawns, permille};
use games::Notation;

/// Settings before the engine starts, and by `setoption`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub agent: Agent,
    pub lines: usize,
    pub shows_wdl: bool,
    /// Of the draws at a temperature.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { agent: Agent::POLICY, lines: 1, shows_wdl: false, seed: 0 }
    }
}

/// The most moves that can be shown.
const MOST_LINES: usize = 500;

impl Settings {
    /// The options' lines in the answer to `uci` or `usi`. Hash and threads are listed because programs set them; they change
    /// nothing.
    pub(super) fn options(&self, notation: Notation) -> Vec<String> {
        let Self { agent, lines, shows_wdl, seed } = self;
        let mut all = vec![
            format!("option name Agent type string default {agent}"),
            format!("option name MultiPV type spin default {lines} min 1 max {MOST_LINES}"),
            format!("option name Seed type spin default {seed} min 0 max {}", u32::MAX),
        ];
        match notation {
            Notation::Uci => all.extend([
                format!("option name UCI_ShowWDL type check default {shows_wdl}"),
                "option name Ponder type check default false".to_owned(),
                "option name Hash type spin default 1 min 1 max 1048576".to_owned(),
                "option name Threads type spin default 1 min 1 max 1024".to_owned(),
            ]),
            Notation::Usi => all.extend([
                "option name USI_Ponder type check default false".to_owned(),
                "option name USI_Hash type spin default 1 min 1 max 1048576".to_owned(),
            ]),
        }
        all
    }

    /// Sets an option: `name N value V`. Returns N in small letters.
    pub(super) fn set(&mut self, words: &[&str]) -> Result<String, String> {
        let ["name", rest @ ..] = words else { return Err("setoption is `setoption name N value V`".to_owned()) };
        let at = rest.iter().position(|&word| word == "value").unwrap_or(rest.len());
        let (name, value) = (rest[..at].join(" "), rest.get(at + 1..).unwrap_or_default().join(" "));
        let wrong = |expected: &str| format!("option {name}: expected {expected}, found \"{value}\"");
        let known = name.to_ascii_lowercase();
        match known.as_str() {
            "agent" => self.agent = value.parse().map_err(|error: crate::PlayError| error.to_string())?,
            "multipv" => {
                let lines = value.parse().ok().filter(|lines| (1..=MOST_LINES).contains(lines));
                self.lines = lines.ok_or_else(|| wrong("a number from 1 to 500"))?;
            }
            "seed" => self.seed = value.parse().map_err(|_| wrong("a number, 0 or more"))?,
            "uci_showwdl" => self.shows_wdl = value.parse().map_err(|_| wrong("true or false"))?,
            "ponder" | "hash" | "threads" | "usi_ponder" | "usi_hash" => {}
            _ => return Err(format!("there is no option {name}")),
        }
        Ok(known)
    }

    /// The `info` lines of a decision, the best move first.
    pub(super) fn info(&self, notation: Notation, decision: &Decision) -> Vec<String> {
        let line = |(place, mv): (usize, &crate::WeightedMove)| {
            let mut text = format!("info depth 1 multipv {}", place + 1);
            // A policy knows no points of a move, so the position's are shown.
            if let Some(points) = mv.points.or(decision.points) {
                text.push_str(&format!(" score cp {}", centipawns(points)));
            }
            if let Some(result) = decision.result.filter(|_| self.shows_wdl && notation == Notation::Uci) {
                let [win, draw, loss] = permille(result);
                text.push_str(&format!(" wdl {win} {draw} {loss}"));
            }
            text + &format!(" nodes {} pv {}", decision.nodes, mv.text)
        };
        decision.moves.iter().take(self.lines).enumerate().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::WeightedMove;

    fn set(options: &mut Settings, line: &str) -> Result<String, String> {
        options.set(&line.split_ascii_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn options_are_set_by_their_names_and_wrong_values_are_said() {
        let mut options = Settings::default();
        for line in
            ["name multipv value 3", "name Agent value value", "name UCI_ShowWDL value true", "name Hash value 16"]
        {
            set(&mut options, line).expect("a good option");
        }
        let expected = Settings { agent: Agent::Value, lines: 3, shows_wdl: true, seed: 0 };
        assert_eq!(options, expected);
        for (line, part) in [
            ("name MultiPV value 0", "expected a number from 1 to 500, found \"0\""),
            ("name Agent value oracle", "the agents are `policy`, `value` and `search`"),
            ("name Contempt value 1", "there is no option Contempt"),
            ("value 3", "setoption is"),
        ] {
            let error = set(&mut options, line).expect_err("wrong");
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(options, expected, "wrong values change nothing");
    }

    #[test]
    fn moves_are_shown_with_score_and_shares() {
        let options = Settings { lines: 2, shows_wdl: true, ..Settings::default() };
        let moves = [("e2e4", 0.7), ("d2d4", 0.3)];
        let moves = moves.map(|(text, weight)| WeightedMove { text: text.to_owned(), weight, points: None }).to_vec();
        let (points, result) = (Some(0.625), Some([0.5, 0.25, 0.25]));
        let decision = Decision { points, result, ..Decision::of(moves) };
        let expected = [
            "info depth 1 multipv 1 score cp 37 wdl 500 250 250 nodes 1 pv e2e4",
            "info depth 1 multipv 2 score cp 37 wdl 500 250 250 nodes 1 pv d2d4",
        ];
        assert_eq!(options.info(Notation::Uci, &decision), expected);
        let of_win_rate = Decision { result: None, ..decision.clone() };
        let expected = "info depth 1 multipv 1 score cp 37 nodes 1 pv e2e4";
        assert_eq!(options.info(Notation::Uci, &of_win_rate)[0], expected, "a win rate has no draws");
        let mut of_values = Decision { result: None, nodes: 2, ..decision };
        of_values.moves[1].points = Some(0.3);
        let lines = options.info(Notation::Uci, &of_values);
        assert_eq!(lines[1], format!("info depth 1 multipv 2 score cp {} nodes 2 pv d2d4", centipawns(0.3)));
    }
}
