//! What the reader of experiment files says about a document, taken apart.

/// A word that nothing is called.
pub(super) const ODD: &str = "\u{1}";

/// What is wrong with a document, as far as it is about its form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Complaint {
    /// Nothing that is about the form.
    None,
    /// A map has no such key; those that it has.
    UnknownKey(Vec<String>),
    /// There is no such word, of those that there are.
    UnknownWord(Vec<String>),
    /// A key is missing, somewhere on the way to the odd value.
    Missing(String),
    /// The value is of another type; words that would do, if the message names some.
    Type(Vec<String>),
}

impl Complaint {
    pub(super) fn of(message: Option<String>) -> Self {
        let Some(message) = message else { return Self::None };
        // What a variant or a key is called comes first, then what it could be called.
        let names = |from: &str| quoted(from).into_iter().skip(1).collect();
        let found = |start: &str| message.find(start).map(|at| &message[at..]);
        if let Some(rest) = found("unknown field ") {
            Self::UnknownKey(names(rest))
        } else if let Some(rest) = found("unknown variant ") {
            Self::UnknownWord(names(rest))
        } else if let Some(rest) = found("missing field ") {
            quoted(rest).into_iter().next().map_or(Self::None, Self::Missing)
        } else if message.contains("invalid type: ")
            || message.contains("invalid value: ")
            || message.contains("invalid length ")
        {
            Self::Type(message.split_once(", expected ").map_or_else(Vec::new, |(_, expected)| quoted(expected)))
        } else {
            // Of the right form, with a meaning that is refused.
            Self::None
        }
    }

    /// Whether the form is right.
    pub(super) fn accepts(&self) -> bool {
        matches!(self, Self::None | Self::Missing(_))
    }

    /// Words that would do.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::UnknownWord(names) | Self::Type(names) => names,
            _ => &[],
        }
    }
}

/// The words between backticks.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_serde_are_understood() {
        let of = |text: &str| Complaint::of(Some(text.to_owned()));
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(of("unknown field `x`, expected `a` or `b`"), Complaint::UnknownKey(names(&["a", "b"])));
        assert_eq!(of("unknown field `x`, there are no fields"), Complaint::UnknownKey(vec![]));
        assert_eq!(of("unknown variant `x`, expected one of `a`, `b`, `c`").names(), names(&["a", "b", "c"]));
        assert_eq!(of("missing field `seeds`"), Complaint::Missing("seeds".to_owned()));
        assert_eq!(of("invalid value: string \"x\", expected `auto` or a number").names(), names(&["auto"]));
        assert!(of("0 is too few").accepts() && !of("invalid type: map, expected u64").accepts());
    }
}
