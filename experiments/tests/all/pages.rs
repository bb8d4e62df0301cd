//! `posenc render`.

use crate::cli::run_args;
use bundle::collect::Content;
use bundle::{Limits, Publication, Unpacked, UnpackedPart};
use render::Renderer;
use std::fs;
use testing::root;

#[test]
fn a_page_of_a_stranger_is_rendered_checked_and_refused_with_what_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let bundles = root().join("runs/published").display().to_string();
    let render = |more: &[&str]| run_args(&folder, &[&["render", "--bundles", bundles.as_str()][..], more].concat());
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

    // The primary metric of this grid is an accuracy.
    let learnt = "{% set r = row(\"flip\", \"chess\", \"cls_tokens_white, steps 1000\") %}{% set g = game(\"flip\", \"chess\") %}\
                  {{ (r.learnt - (g.uniform - r.test.policy_loss.mean) / (g.uniform - g.floor)) | fixed(9) }}\n";
    write("learnt.md.jinja", learnt);
    render(&["learnt.md.jinja"]).succeeds();
    assert_eq!(read("learnt.md"), "0.000000000\n");

    write("page.md", "2.7\n");
    render(&["page.md.jinja", "--check"])
        .fails_with(&["page.md, line 1: the page has \"2.7\", its template gives \"2.6195"]);

    write("drawn.md.jinja", "{{ figure(\"study-moved-tables\", \"chess-forest\", \"of-chess.svg\") }}\n");
    render(&["drawn.md.jinja"]).succeeds();
    assert_eq!(read("drawn.md"), "of-chess.svg\n");
    assert!(read("of-chess.svg").starts_with("<svg "));
    write("of-chess.svg", "<svg/>\n");
    render(&["drawn.md.jinja", "--check"]).fails_with(&["of-chess.svg, line 1"]);

    let wrong = [
        ("figure(\"study-moved-tables\", \"chess-forest\", \"../forest.svg\")", "not a file below the page's folder"),
        ("figure(\"study-moved-tables\", \"chess-forest\", \"/tmp/forest.svg\")", "not a file below the page's folder"),
        ("figure(\"study-moved-tables\", \"chess-forest\", \"forest.sh\")", "not a file below the page's folder"),
        ("figure(\"study-moved-tables\", \"forest\", \"forest.svg\")", "no figure \"forest\"; it has: "),
        ("row(\"study-moved\", \"chess\", \"shaw\").mean", "no bundle \"study-moved\"; it has: board-"),
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

#[test]
fn a_page_shows_curves_over_budgets_and_what_a_bundle_predicted() {
    let path = root().join("runs/published/study-data-attacked-chess.tar.zst");
    let unpacked = Unpacked::of(&path, Limits::default(), UnpackedPart::Records).expect("a bundle");
    // A folder with the list of a bundle's hashes is taken for a bundle.
    fs::remove_file(unpacked.run_dir().join("BLAKE3SUMS")).expect("the list of hashes");
    let folder = tempfile::tempdir().expect("a folder");
    let template = folder.path().join("page.md.jinja");
    let shown = |renderer: &Renderer, expression: &str| {
        fs::write(&template, format!("{{{{ {expression} }}}}")).expect("written");
        let rendered = renderer.render(&template);
        rendered.map(|rendered| rendered.text).map_err(|error| error.to_string())
    };
    let gives = |renderer: &Renderer, expression: &str, expected: &str| {
        assert_eq!(shown(renderer, expression).as_deref(), Ok(expected), "{expression}");
    };
    let refuses = |renderer: &Renderer, expression: &str, reason: &str| {
        let said = shown(renderer, expression).expect_err(expression);
        assert!(said.contains(reason), "{expression}: {said}");
    };
    let renderer = Renderer::new(unpacked.folder());
    gives(&renderer, "scaling('run', 'chess').budgets", "[16000, 64000, 256000, 1024000, 4096000]");
    gives(&renderer, "scaling('run', 'chess').reference", "absolute");
    gives(&renderer, "budget('run', 'chess', 'absolute', 256000).shown", "0.031 [0.010, 0.098]");
    gives(&renderer, "multiplier('run', 'chess', 'shaw', 256000).at | fixed(4)", "5.4589");
    gives(&renderer, "multiplier('run', 'chess', 'shaw', 64000).bound", "at least");
    gives(&renderer, "exponent('run', 'chess', 'absolute', 'known').shown", "0.491 [0.428, 0.555]");
    gives(&renderer, "exponent('run', 'chess', 'relative_bias', 'known').exponent | fixed(3)", "0.899");
    gives(&renderer, "[grid('run').cells_done, grid('run').cells]", "[75, 75]");
    refuses(
        &renderer,
        "budget('run', 'chess', 'smolgen', 8000)",
        "no finished budget \"8000\"; it has: 16000; 64000; 256000; 1024000; 4096000",
    );
    refuses(&renderer, "multiplier('run', 'chess', 'absolute', 64000)", "it is a reference");
    refuses(&renderer, "multiplier('run', 'chess', 'lepe', 64000)", "no row \"lepe\"; it has: absolute; rope;");
    refuses(&renderer, "exponent('run', 'chess', 'shaw', 'free')", "\"known\" or \"fitted\", got \"free\"");
    let path = unpacked.run_dir().join("predictions.json");
    let published = fs::read(&path).expect("predictions");
    fs::remove_file(&path).expect("removed");
    // A renderer reads a run folder once.
    let anew = || Renderer::new(unpacked.folder());
    refuses(&anew(), "predicted('run', 'chess', 'shaw')", "run predicts nothing");

    let publication = Publication { partial: true, extrapolate: Some(4_096_000), ..Publication::default() };
    let contents = bundle::collect(unpacked.run_dir(), &publication).expect("a collection");
    let Content::Bytes(predictions) = &contents.files["predictions.json"] else { panic!("a text") };
    assert_eq!(predictions, &published, "the predictions follow from the cells of the bundle");
    fs::write(&path, predictions).expect("written");
    let renderer = anew();
    gives(&renderer, "predicted('run', 'chess', 'relative_bias').known.loss | fixed(4)", "0.0008");
    gives(&renderer, "predicted('run', 'chess', 'relative_bias').positions | grouped", "4,096,000");
    refuses(
        &renderer,
        "predicted('run', 'chess', 'shaw').fitted",
        "no field \"fitted\"; it has: blake3; cells; known;",
    );
}
