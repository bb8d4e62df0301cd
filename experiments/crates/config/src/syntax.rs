//! What is not YAML, said in words that help.

use super::source::{ConfigError, Source};

/// An error of the YAML parser.
pub(super) fn not_yaml(source: &Source, error: &serde_yaml::Error) -> ConfigError {
    let message = error.to_string();
    let Some(place) = error.location() else { return source.error(message) };
    let text = message.rfind(" at line ").map_or(&message[..], |end| &message[..end]);
    let is_indented_by_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    let tab = source.text().lines().position(is_indented_by_tab);
    if (text.contains("cannot start any token") || text.contains("a tab character"))
        && let Some(line) = tab
    {
        let column = source.text().lines().nth(line).and_then(|line| line.find('\t')).unwrap_or(0) + 1;
        let error = source.error_in_line(line + 1, column, "a tab stands in the indentation");
        return error.help("YAML indents with spaces: replace the tab");
    }
    // What is missing at the end of an option would be pointed at after its one line.
    let (line, column) = if source.is_option() { (1, place.column()) } else { (place.line(), place.column()) };
    let error = source.error_in_line(line, column, format!("this is not YAML: {text}"));
    error.help("check the indentation, brackets and quotes of this line and the one before")
}
