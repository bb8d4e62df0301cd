//! `posenc schema`: the JSON Schema of experiment files.

use spec::schema::schema;
use std::io::Write as _;
use std::process::ExitCode;

/// Prints it.
///
/// # Errors
/// If stdout cannot be written.
pub fn run() -> anyhow::Result<ExitCode> {
    writeln!(std::io::stdout().lock(), "{:#}", schema())?;
    Ok(ExitCode::SUCCESS)
}
