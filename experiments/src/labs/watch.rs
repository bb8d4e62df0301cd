//! `posenc watch`: a run folder as a live page.

use anyhow::Context as _;
use grid::limits::HumanDuration;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use watch::{Server, Watch, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    /// Write the page to this file, again and again until every cell has ended, instead of serving it.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the page once, to --out or stdout.
    #[arg(long)]
    once: bool,
    /// How often the page is made and loaded again.
    #[arg(long, value_name = "TIME", default_value = "5s")]
    every: HumanDuration,
    /// Serve the page on this port of 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 0, conflicts_with_all = ["out", "once"])]
    port: u16,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut watch = Watch::new(&args.run_dir)?;
    let every = args.every.0;
    let mut stdout = std::io::stdout().lock();
    match &args.out {
        None if args.once => stdout.write_all(watch.page(None)?.as_bytes())?,
        Some(out) if args.once => {
            let page = watch.page(None)?;
            records::atomic::replace(out, page.as_bytes())
                .with_context(|| format!("cannot write {}", out.display()))?;
        }
        Some(out) => write(&mut watch, out, every, &mut |text| eprintln!("{text}"))?,
        None => {
            let server = Server::bind(args.port)?;
            let port = server.address().port();
            writeln!(stdout, "{}", server.url())?;
            stdout.flush()?;
            eprintln!("from another machine: ssh -N -L {port}:127.0.0.1:{port} HOST, then open the same address");
            eprintln!("Ctrl-C ends this page; the run continues");
            server.serve(&mut watch, every)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
