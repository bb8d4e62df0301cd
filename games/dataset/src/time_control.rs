//! The players' time in a record.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeControl {
    /// Seconds at the start (of the first period, where there are several).
    pub base_s: f64,
    /// Seconds added with each move; byoyomi counts as such.
    pub increment_s: f64,
}

/// The time control among a record's header fields, as written: PGN's `TimeControl`, CSA's `$TIME` (version 3) or
/// `$TIME_LIMIT`.
pub fn written(tags: &[(String, String)]) -> Option<&str> {
    let known = |name: &str| matches!(name, "TimeControl" | "$TIME" | "$TIME_LIMIT" | "TIME" | "TIME_LIMIT");
    let (_, value) = tags.iter().find(|(name, value)| known(name) && !matches!(value.trim(), "" | "-" | "?"))?;
    Some(value.trim())
}

impl TimeControl {
    /// Reads `300+3`, `600`, `40/5400+30:1800` (PGN: the first period), `900+0+10` (CSA 3: base, byoyomi, increment)
    /// and `00:15+10` (CSA 2: hours and minutes, byoyomi). `None` for other texts.
    pub fn read(text: &str) -> Option<Self> {
        let (base, rest) = text.split_once('+').map_or((text, None), |(base, rest)| (base, Some(rest)));
        if let Some((hours, minutes)) = base.split_once(':').filter(|(hours, _)| hours.len() == 2) {
            let base_s = 3600.0 * number(hours)? + 60.0 * number(minutes)?;
            return Some(Self { base_s, increment_s: rest.map_or(Some(0.0), number)? });
        }
        let first_period = |text: &str| text.split(':').next().map(str::to_owned);
        let base = first_period(base)?;
        let base_s = number(base.split_once('/').map_or(base.as_str(), |(_, seconds)| seconds))?;
        let increments = rest.map(first_period).unwrap_or_default().unwrap_or_default();
        let increment_s = increments.split('+').filter(|part| !part.is_empty()).map(number).sum::<Option<f64>>()?;
        Some(Self { base_s, increment_s })
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_to_write_a_time_control() {
        for (text, base_s, increment_s) in [
            ("300+3", 300.0, 3.0),
            ("600", 600.0, 0.0),
            ("40/5400+30:1800+30", 5400.0, 30.0),
            ("40/9000", 9000.0, 0.0),
            ("900+0+10", 900.0, 10.0),
            ("300+10+0", 300.0, 10.0),
            ("00:15+10", 900.0, 10.0),
            ("02:00+00", 7200.0, 0.0),
        ] {
            assert_eq!(TimeControl::read(text), Some(TimeControl { base_s, increment_s }), "{text}");
        }
        for text in ["", "-", "?", "blitz", "-5", "NaN", "5+x"] {
            assert_eq!(TimeControl::read(text), None, "{text}");
        }
    }
}
