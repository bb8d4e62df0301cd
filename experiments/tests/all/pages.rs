//! `posenc render`.

use crate::cli::run;
use render::Renderer;
use std::fs;
use testing::root;

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
