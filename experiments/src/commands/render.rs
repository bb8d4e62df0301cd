//! `posenc render`: pages and papers whose numbers come from bundles and run folders.

use records::atomic;
use render::{Rendered, Renderer};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Templates, each named after its page: page.md.jinja becomes page.md beside it.
    #[arg(required = true)]
    templates: Vec<PathBuf>,
    /// The folder of the bundles and run folders that templates name.
    #[arg(long, value_name = "DIR", default_value = "runs/published")]
    bundles: PathBuf,
    /// Write nothing; fail if a page is not what its template gives.
    #[arg(long)]
    check: bool,
}

/// Renders every template, and writes its page or compares it with the page that is there.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let renderer = Renderer::new(&args.bundles);
    for template in &args.templates {
        let Rendered { page, text, figures, remarks } = renderer.render(template)?;
        for remark in remarks {
            eprintln!("posenc: {}: {remark}", template.display());
        }
        if args.check {
            check(&page, &text, template, &args.bundles)?;
            figures.iter().try_for_each(|(path, svg)| check(path, svg, template, &args.bundles))?;
            continue;
        }
        for (path, text) in std::iter::once((page, text)).chain(figures) {
            write(template, &path, &text)
                .map_err(|cause| anyhow::anyhow!("cannot write {}: {cause}", path.display()))?;
            writeln!(std::io::stdout().lock(), "{}", path.display())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a page or a figure below the template's folder. Templates may come from others, and so may links beside them.
fn write(template: &Path, path: &Path, text: &str) -> io::Result<()> {
    let folder = |path: &Path| {
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")).canonicalize()
    };
    if !folder(path)?.starts_with(folder(template)?) {
        return Err(io::Error::other("a link leads out of the template's folder"));
    }
    atomic::replace(path, text.as_bytes())
}

/// Refuses a page or a figure that is not what its template gives.
fn check(page: &Path, text: &str, template: &Path, bundles: &Path) -> anyhow::Result<()> {
    let own = fs::read_to_string(page).unwrap_or_default();
    if own == text {
        return Ok(());
    }
    let place = own.lines().zip(text.lines()).take_while(|(own, wanted)| own == wanted).count();
    let line = |text: &str| text.lines().nth(place).unwrap_or("(the end of the page)").to_owned();
    anyhow::bail!(
        "{}, line {}: the page has {:?}, its template gives {:?}; edit the template, and write the page with posenc render {} \
         --bundles {}",
        page.display(),
        place + 1,
        line(&own),
        line(text),
        template.display(),
        bundles.display()
    )
}
