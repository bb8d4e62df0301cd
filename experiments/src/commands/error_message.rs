//! The message of an error: its chain of causes, each cause once.

use config::columns::wrapped;
use config::printable_lines;
use console::Term;
use train::error::without_backtrace;

/// The text of an error and of its causes, without control characters. Errors of some libraries contain the text of their cause, which
/// is not repeated.
pub(crate) fn error_message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        let text = without_backtrace(&text);
        if message.contains(text) {
            continue;
        }
        if !message.is_empty() {
            message.push_str(": ");
        }
        message.push_str(text);
    }
    printable_lines(&message)
}

/// The text with its lines wrapped at words, if stderr is a terminal.
pub(super) fn for_stderr(text: &str) -> String {
    let stderr = Term::stderr();
    if !stderr.is_term() {
        return text.to_owned();
    }
    let columns = usize::from(stderr.size().1);
    text.split('\n').map(|line| wrapped(line, columns, "  ")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;
    use std::io;
    use tch::TchError;
    use train::TrainError;

    #[test]
    fn a_cause_is_said_once() {
        let error = TrainError::Io { action: "write", path: "runs/a".into(), cause: io::Error::other("no room") };
        assert!(std::error::Error::source(&error).is_none(), "what the text says is not chained again");
        let message = error_message(&Err::<(), _>(error).context("while training").unwrap_err());
        assert!(message.starts_with("while training: cannot write runs/a: no room; the last checkpoint"), "{message}");
        assert_eq!(message.matches("no room").count(), 1, "{message}");
    }

    #[test]
    fn names_in_an_error_command_no_terminal() {
        let error = anyhow::anyhow!("cannot read a\u{1b}[2Jb\r:\nremove it");
        assert_eq!(error_message(&error), "cannot read a\u{fffd}[2Jb :\nremove it");
    }

    #[test]
    fn what_libtorch_says_ends_where_its_backtrace_begins() {
        let text = "cannot reshape\nException raised from infer_size at InferSize.h:88\nframe #0: c10::Error";
        let message = error_message(&TrainError::from(TchError::Torch(text.to_owned())).into());
        assert!(message.starts_with("LibTorch: ") && message.ends_with("cannot reshape"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
