//! `posenc watch` on the command line; labs/watch tests the page and the server.

use crate::cli::{posenc, run};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use testing::{assert_says, place, small};

#[test]
fn a_run_folder_is_written_as_a_page_and_served() {
    let dir = place(&small());
    run(&dir, "watch .").fails_with(&["holds no grid.json", "runs/NAME"]);
    run(&dir, "watch nowhere").fails_with(&["there is no folder nowhere", "runs/NAME"]);
    run(&dir, "run experiment.yaml").succeeds();
    let page = run(&dir, "watch runs/small --once").succeeds().stdout;
    assert_says(&page, &["<title>4/4 small", "<b>4 of 4 cells</b> done", "does it work?", "</html>\n"]);
    for once in ["--once", ""] {
        // Every cell has ended, so the file is written once in either case.
        run(&dir, &format!("watch runs/small --out page.html --every 1s {once}")).succeeds();
        assert!(fs::read_to_string(dir.path().join("page.html")).expect("a page").contains("4 of 4 cells"));
        fs::remove_file(dir.path().join("page.html")).expect("removed");
    }
    assert_eq!(run(&dir, "watch runs/small --out x --port 1").code, Some(2));

    let mut command = posenc(dir.path(), &["watch", "runs/small"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("posenc starts");
    let mut url = String::new();
    BufReader::new(child.stdout.take().expect("its output")).read_line(&mut url).expect("a line");
    let mut hint = String::new();
    BufReader::new(child.stderr.take().expect("its hints")).read_line(&mut hint).expect("a line");
    child.kill().expect("it runs until it is ended");
    child.wait().expect("it ends");
    let port = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split('/').next()).expect("an address");
    assert!(port.parse::<u16>().is_ok() && url.trim_end().len() > 50, "{url}");
    assert_says(&hint, &[&format!("ssh -N -L {port}:127.0.0.1:{port} ")]);
}
