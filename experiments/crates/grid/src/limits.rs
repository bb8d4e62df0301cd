//! Limits of a run: time and attempts.

use records::UserError;
use std::str::FromStr;
use std::time::Duration;

/// Limits of a run. Default: no time limit, one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLimits {
    /// The run's time limit; its cells then stop at checkpoints.
    pub run: Option<Duration>,
    /// The time limit of an attempt at a cell; it then stops at a checkpoint and counts as failed.
    pub cell: Option<Duration>,
    /// How often a cell is retried after a temporary failure ([`is_transient`](records::FailureKind::is_transient)).
    pub retries: u32,
}

impl RunLimits {
    /// How long a cell may take for its checkpoint after its time limit: it checks for signals between two steps, and
    /// an evaluation may come first.
    pub const GRACE: Duration = Duration::from_secs(300);
}

/// A duration: `90s`, `30m`, `1h30m`, `2d`, a number of seconds, or Slurm's `[D-]HH:MM:SS`, `D-HH:MM` and `D-HH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HumanDuration(pub Duration);

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

impl FromStr for HumanDuration {
    type Err = UserError;

    fn from_str(text: &str) -> Result<Self, UserError> {
        if let Some((first, second)) = text.split_once(':')
            && [first, second].iter().all(|part| part.parse::<u64>().is_ok())
        {
            let message = format!("\"{text}\" could be hours and minutes, or minutes and seconds as for sbatch");
            return Err(UserError::new(message, format!("write {first}h{second}m or {first}m{second}s")));
        }
        let seconds = if text.contains([':', '-']) { clock(text) } else { units(text) };
        let wrong = || UserError::new(format!("\"{text}\" is not a duration"), "write 90s, 30m, 1h30m, 2d or 04:00:00");
        Ok(Self(Duration::from_secs(seconds.filter(|&seconds| seconds > 0).ok_or_else(wrong)?)))
    }
}

fn clock(text: &str) -> Option<u64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<u64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match parts[..] {
        [hours] => (hours, 0, 0),
        [hours, minutes] => (hours, minutes, 0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    let below_an_hour = (minutes < 60 && seconds < 60).then(|| minutes * MINUTE + seconds)?;
    let hours = hours.checked_mul(HOUR)?.checked_add(below_an_hour)?;
    days.parse::<u64>().ok()?.checked_mul(DAY)?.checked_add(hours)
}

/// `1h30m`, or a number of seconds.
fn units(text: &str) -> Option<u64> {
    if let Ok(seconds) = text.parse() {
        return Some(seconds);
    }
    let mut total: u64 = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..end].parse().ok()?;
        let unit = match rest[end..].chars().next()? {
            's' => 1,
            'm' => MINUTE,
            'h' => HOUR,
            'd' => DAY,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[end + 1..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_and_slurm_write_them() {
        let plain = [("90", 90), ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800)];
        let slurm = [("04:00:00", 14_400), ("1-00:01", 86_460), ("1-00:00:10", 86_410), ("2-0", 172_800)];
        for (text, seconds) in plain.into_iter().chain(slurm) {
            assert_eq!(text.parse::<HumanDuration>().map(|span| span.0.as_secs()), Ok(seconds), "{text}");
        }
        for text in ["", "0", "m", "5x", "1h-", "10:99", "1:2:3:4", "-5", "99999999999999999999d"] {
            assert!(text.parse::<HumanDuration>().is_err(), "{text}");
        }
        // To sbatch half an hour.
        let refused = "30:00".parse::<HumanDuration>().expect_err("two readings").to_string();
        assert!(refused.ends_with("; write 30h00m or 30m00s"), "{refused}");
    }
}
