//! `posenc schema`: the JSON Schema of experiment files.

use config::schema::schema;
use std::io::Write as _;
use std::process::ExitCode;

pub fn run() -> anyhow::Result<ExitCode> {
    writeln!(std::io::stdout().lock(), "{:#}", schema())?;
    Ok(ExitCode::SUCCESS)
}
