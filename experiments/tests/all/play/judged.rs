//! `posenc eval --judged`: a network beside an engine's scores of every move.

use crate::cli::{posenc, run};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use testing::Finished;

/// A program that is `posenc play` of this cell with the value agent.
fn engine(finished: &Finished, cell: &str) -> String {
    let script = finished.path().join("engine");
    let program = posenc(finished.path(), &[]).get_program().to_string_lossy().into_owned();
    fs::write(&script, format!("#!/bin/sh\nexec '{program}' play {cell} --agent value\n")).expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    "./engine".to_owned()
}

#[test]
fn a_network_agrees_with_its_own_values_as_an_engine() {
    let finished = Finished::new();
    let positions = [
        (
            "chess",
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
        ),
        ("shogi", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n"),
    ];
    for (game, text) in positions {
        fs::write(finished.path().join("positions"), text).expect("written");
        let cell = finished.cell(game);
        let judge = engine(&finished, &cell) + "@1";
        let command = format!("eval {cell} --judged positions --judge {judge} --json --agent value --agent policy");
        let told = run(finished.path(), &command).json_lines();
        let [own, policy] = [0, 1].map(|i| &told[i]["score"]);
        assert_eq!((&own["positions"], &policy["positions"]), (&2.into(), &2.into()));
        // Scores are whole centipawns, which tie moves of nearly one value.
        assert!(own["tau"][0].as_f64().expect("τ") > 0.8, "{game}: {own}");
        assert_eq!(own["loss"][0], 0.0, "{game}: {own}");
        assert_eq!(own["best"], 1.0);
        assert!(policy["loss"][0].as_f64().expect("a loss") >= 0.0 && policy["tau"][0].as_f64().expect("τ") < 0.8);
    }
    let cell = finished.cell("shogi");
    run(finished.path(), &format!("eval {cell} --judged positions --judge ./none@1")).fails_with(&["./none"]);
    run(finished.path(), &format!("eval {cell} --judged positions")).misused_with(&["--judge"]);
}
