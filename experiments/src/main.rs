//! `posenc`: trains and compares position encodings on boards.

use std::process::ExitCode;

fn main() -> ExitCode {
    // This file is all that cargo compiles again after a commit.
    experiments::commands::start(revision::revision!())
}
