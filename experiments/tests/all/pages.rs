//! Pages are what their templates give, whose numbers come from the published bundles, and they type no number in secret.

use crate::cli::run;
use render::{EXTENSION, Renderer, undeclared};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project").to_owned()
}

/// The templates of a folder and, below `docs`, of the folders in it.
fn templates() -> Vec<PathBuf> {
    let mut folders = vec![root().join("docs")];
    let mut entries = listed(&root());
    while let Some(folder) = folders.pop() {
        let inside = listed(&folder);
        folders.extend(inside.iter().filter(|path| path.is_dir()).cloned());
        entries.extend(inside);
    }
    entries.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    assert!(entries.len() >= 5, "{} templates", entries.len());
    entries
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect()
}

#[test]
fn every_page_is_what_its_template_gives() {
    let renderer = Renderer::new(&root().join("runs/published"));
    let mut wrong = Vec::new();
    for template in templates() {
        let rendered = match renderer.render(&template) {
            Ok(rendered) => rendered,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        let page = fs::read_to_string(&rendered.page).unwrap_or_default();
        if page != rendered.text {
            let line = page.lines().zip(rendered.text.lines()).take_while(|(own, wanted)| own == wanted).count();
            let of = |text: &str| text.lines().nth(line).unwrap_or_default().to_owned();
            let (own, wanted) = (of(&page), of(&rendered.text));
            wrong.push(format!("{}, line {}:\n  {own}\nand not\n  {wanted}", rendered.page.display(), line + 1));
        }
    }
    assert!(wrong.is_empty(), "`make pages` writes the pages from their templates:\n{}", wrong.join("\n"));
}

#[test]
fn pages_declare_every_number_that_they_type() {
    let mut typed = Vec::new();
    for template in templates() {
        let text = fs::read_to_string(&template).expect("a template");
        let page = template.with_extension("");
        typed.extend(undeclared(&page, &text).into_iter().map(|number| format!("{}:{number}", template.display())));
    }
    assert!(
        typed.is_empty(),
        "numbers that a template types: ask for them in an expression, or declare them with their source in a comment \
         (docs/metrics.md):\n{}",
        typed.join("\n")
    );
}

#[test]
fn a_page_of_a_stranger_is_rendered_checked_and_refused_with_what_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundles = root().join("runs/published").display().to_string();
    let render = |more: &[&str]| run(folder.path(), &[&["render", "--bundles", bundles.as_str()][..], more].concat());
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a page");

    write(
        "page.md.jinja",
        "{% set r = row(\"study-moved-tables\", \"chess\", \"shaw, tables shogi-shaw\") %}\n\
         {{ r.cell }}, {{ r.with_interval }}, {{ r.difference | size(3) }}\n",
    );
    let latex = "\\VAR{ row(\"study-moved-tables\", \"chess\", \"shaw, tables shogi-shaw\").value } {{1}} 5\\%\n";
    write("paper.tex.jinja", latex);
    render(&["page.md.jinja", "paper.tex.jinja"]).succeeds();
    assert_eq!(read("page.md"), "2.6195 ± 0.0052 (▲), −0.0055 [−0.0096, −0.0014], 0.006\n");
    assert_eq!(read("paper.tex"), "2.6195 $\\pm$ 0.0052 {{1}} 5\\%\n");

    write("page.md", "2.7\n");
    render(&["page.md.jinja", "--check"])
        .fails_with(&["page.md, line 1: the page has \"2.7\", its template gives \"2.6195"]);

    let wrong = [
        ("row(\"study-moved\", \"chess\", \"shaw\").mean", "no bundle \"study-moved\"; it has: strength; "),
        ("row(\"study-moved-tables\", \"go\", \"shaw\").mean", "no game \"go\"; it has: chess; shogi"),
        ("row(\"study-moved-tables\", \"chess\", \"lepe\").mean", "no row \"lepe\"; it has: shaw; shaw, tables"),
        ("row(\"study-moved-tables\", \"chess\", \"shaw\").median", "no field \"median\"; it has: cell; choice; "),
        (
            "came_first(committed(\"721e454\", \"2026-11-24 04:47:52\"), trained(\"study-moved-tables\").began)",
            "2026-11-24 04:47:52 came first, but the other began at ",
        ),
    ];
    let renderer = Renderer::new(&root().join("runs/published"));
    for (expression, expected) in wrong {
        write("wrong.md.jinja", &format!("{{{{ {expression} }}}}\n"));
        let said = renderer.render(&folder.path().join("wrong.md.jinja")).expect_err(expression).to_string();
        assert!(said.contains(expected) && said.contains("wrong.md.jinja:1"), "{expression}: {said}");
    }
}
