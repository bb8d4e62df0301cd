//! How a network chooses a move, and how people write it: `policy:temperature=0.5`, `value`, `search:visits=100`.

use crate::error::PlayError;
use crate::search::Search;
use std::fmt;
use std::str::FromStr;

const TEMPERATURE_ERROR: &str = "a temperature is 0 or more";

/// How a network chooses a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Agent {
    /// By its policy among the legal moves.
    Policy {
        /// Logits are divided by it; at 0 the likeliest move is played, otherwise a move is drawn.
        temperature: f64,
        /// Only the likeliest moves are drawn, as few as have this share together; 1 for all.
        top_p: f64,
    },
    /// The move after which the opponent's expected points are fewest. Every successor is evaluated in one batch; where the rules
    /// end the game, repetitions included, their result counts.
    Value,
    /// The most visited move of a tree search by policy and values.
    Search(Search),
}

impl Agent {
    /// The likeliest move of the policy.
    pub const POLICY: Self = Self::Policy { temperature: 0.0, top_p: 1.0 };

    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy { .. } => "policy",
            Self::Value => "value",
            Self::Search(_) => "search",
        }
    }

    /// The same agent with this many visits, at most [`Search::MOST_VISITS`]; agents that do not search stay as they are.
    #[must_use]
    pub fn with_visits(self, visits: u32) -> Self {
        match self {
            Self::Search(search) => Self::Search(Search { visits: visits.clamp(1, Search::MOST_VISITS), ..search }),
            other => other,
        }
    }

    /// How many positions the network evaluates for a move: 1 for the policy; for values the paper counts 20, the average of
    /// legal moves in its games; at most its visits for a search.
    pub(crate) fn evaluations(self) -> u64 {
        match self {
            Self::Policy { .. } => 1,
            Self::Value => 20,
            Self::Search(search) => search.visits.into(),
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy { temperature, .. } if *temperature == 0.0 => f.write_str("policy"),
            Self::Policy { temperature, top_p } if *top_p < 1.0 => {
                write!(f, "policy:temperature={temperature},top_p={top_p}")
            }
            Self::Policy { temperature, .. } => write!(f, "policy:temperature={temperature}"),
            Self::Value => f.write_str("value"),
            Self::Search(search) => {
                let usual = Search::default();
                write!(f, "search:visits={}", search.visits)?;
                let options = [
                    ("cpuct", search.cpuct, usual.cpuct),
                    ("fpu", search.fpu, usual.fpu),
                    ("batch", search.batch.into(), usual.batch.into()),
                    ("temperature", search.temperature, usual.temperature),
                ];
                options
                    .iter()
                    .filter(|(_, own, usual)| own != usual)
                    .try_for_each(|(key, own, _)| write!(f, ",{key}={own}"))
            }
        }
    }
}

impl FromStr for Agent {
    type Err = PlayError;

    fn from_str(text: &str) -> Result<Self, PlayError> {
        let wrong = |reason: &str| PlayError::Agent(format!("agent `{text}`: {reason}"));
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let options: Vec<(&str, f64)> = options
            .split(',')
            .filter(|option| !option.is_empty())
            .map(|option| {
                let (key, value) = option.split_once('=').ok_or_else(|| wrong("an option is `name=number`"))?;
                let value: f64 = value.parse().map_err(|_| wrong("an option's value is a number"))?;
                Ok((key, value))
            })
            .collect::<Result<_, PlayError>>()?;
        let at_least_0 = |value: f64, reason: &str| {
            if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(wrong(reason)) }
        };
        let whole = |value: f64, most: u32, reason: &str| {
            let is_right = value.fract() == 0.0 && (1.0..=f64::from(most)).contains(&value);
            if is_right { Ok(value as u32) } else { Err(wrong(reason)) }
        };
        match name {
            "value" if options.is_empty() => Ok(Self::Value),
            "value" => Err(wrong("`value` has no options")),
            "policy" => {
                let (mut temperature, mut top_p) = (0.0, 1.0);
                for (key, value) in options {
                    match key {
                        "temperature" => temperature = at_least_0(value, TEMPERATURE_ERROR)?,
                        "top_p" if value > 0.0 && value <= 1.0 => top_p = value,
                        "top_p" => return Err(wrong("top_p is above 0 and at most 1")),
                        _ => return Err(wrong("the options are `temperature` and `top_p`")),
                    }
                }
                Ok(Self::Policy { temperature, top_p })
            }
            "search" => {
                let mut search = Search::default();
                for (key, value) in options {
                    match key {
                        "visits" => search.visits = whole(value, Search::MOST_VISITS, "visits are 1 to 100000")?,
                        "cpuct" => search.cpuct = at_least_0(value, "cpuct is 0 or more")?,
                        "fpu" => search.fpu = at_least_0(value, "fpu is 0 or more")?,
                        "batch" => search.batch = whole(value, Search::LARGEST_BATCH, "a batch is 1 to 256")?,
                        "temperature" => search.temperature = at_least_0(value, TEMPERATURE_ERROR)?,
                        _ => {
                            return Err(wrong("the options are `visits`, `cpuct`, `fpu`, `batch` and `temperature`"));
                        }
                    }
                }
                Ok(Self::Search(search))
            }
            _ => Err(wrong("the agents are `policy`, `value` and `search`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_written_as_they_are_read() {
        for text in [
            "policy",
            "value",
            "policy:temperature=0.5",
            "policy:temperature=1,top_p=0.9",
            "search:visits=10",
            "search:visits=800,cpuct=2.5,fpu=0,batch=8,temperature=0.5",
        ] {
            assert_eq!(text.parse::<Agent>().expect("an agent").to_string(), text);
        }
        for wrong in [
            "oracle",
            "policy:temperature=-1",
            "policy:top_p=0",
            "policy:heat=1",
            "value:top_p=1",
            "policy:x",
            "search:visits=0",
            "search:visits=1.5",
            "search:visits=1e9",
            "search:cpuct=-1",
            "search:fpu=inf",
            "search:batch=257",
            "search:top_p=1",
        ] {
            let error = wrong.parse::<Agent>().expect_err("wrong").to_string();
            assert!(error.starts_with(&format!("agent `{wrong}`: ")), "{error}");
        }
    }

    #[test]
    fn visits_change_a_search_alone() {
        let search: Agent = "search:cpuct=3".parse().expect("an agent");
        assert_eq!(search.with_visits(7).to_string(), "search:visits=7,cpuct=3");
        assert_eq!(search.with_visits(0).to_string(), "search:visits=1,cpuct=3");
        assert_eq!(search.with_visits(u32::MAX).to_string(), "search:visits=100000,cpuct=3");
        assert_eq!(Agent::Value.with_visits(7), Agent::Value);
    }
}
