//! Bundles and run folders that strangers made: whatever stands in them, nothing changes outside the folder that a command
//! is given, and a cell that is not what it says is not taken.

#[path = "../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;

use crate::bundles::{better, change, contents, relist};
use crate::by_hand;
use crate::cli::{cell_of, run, small_run};
use bundle::{Limits, Unpacked, UnpackedPart};
use grid::prune::{PruneOptions, prune};
use grid::retry::{self, RetryFilter};
use proptest::prelude::*;
use report::{Report, csv};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use testing::{flip, place, small};

/// The name of a forgery, the forgery, and what its refusal says.
type Forgery<'a> = (&'a str, &'a dyn Fn(&Path), &'a str);

/// Where hostile names lead: files of somebody else.
const VICTIM: &str = "victim";

fn row(folder: &str, role: &str) -> Value {
    let mut row = by_hand::row(folder, folder, role, 1);
    row["matched"] = json!({"quantity": "params", "goal": "chess-none-0"});
    row
}

fn plan() -> Value {
    let rows = [row("chess-none-0", "reference"), row("chess-shaw-1", "compared")];
    let mut plan = by_hand::plan(&[0, 1], &rows);
    plan["question"] = json!("?");
    plan["interactions"] = json!([{
        "game": "chess", "gap": ["a", "b"], "by": ["c", "d"],
        "rows": [["chess-none-0", "chess-shaw-1"], ["chess-none-0", "chess-shaw-1"]],
    }]);
    plan
}

/// A run folder with this plan, or a bundle with it, whose cells look finished.
fn write(dir: &Path, plan: &Value, cells: &str) {
    for row in ["chess-none-0", "chess-shaw-1"] {
        for seed in [0, 1] {
            let cell = dir.join(cells).join(row).join(format!("seed-{seed}"));
            fs::create_dir_all(cell.join("checkpoints")).expect("a folder");
            fs::write(cell.join("status.json"), r#"{"state":"done","step":1,"steps":1}"#).expect("written");
            fs::write(cell.join("checkpoints/final.safetensors"), "weights").expect("written");
        }
    }
    fs::write(dir.join("ro-crate-metadata.json"), "{}").expect("written");
    fs::write(dir.join("grid.json"), plan.to_string()).expect("written");
}

/// A folder with a victim in it that looks like a cell of a run folder, for `prune` to remove weights of.
fn scratch() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder for the test");
    write(&dir.path().join(VICTIM), &plan(), "");
    fs::create_dir(dir.path().join("tmp")).expect("a folder");
    dir
}

/// Paths that lead to the victim, and names that are none.
fn hostile(dir: &Path) -> Vec<String> {
    let victim = dir.join(VICTIM).display().to_string();
    let relative =
        ["../victim", "../../victim", "../../victim/chess-none-0", "a/b", "a/../../victim", "tuning/../../x"];
    let names = ["", ".", "..", "\0", "a\0b", "\u{1b}[2J", "a\\b", "run", "seed-0", "lock"];
    let longest = "x".repeat(5000);
    let absolute = [victim.clone(), format!("{victim}/chess-none-0"), longest];
    relative.into_iter().chain(names).map(str::to_owned).chain(absolute).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_in_a_plan_nothing_outside_the_folder_changes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let dir = scratch();
        let mut plan = plan();
        let (mut places, names) = (Vec::new(), hostile(dir.path()));
        documents::places(&plan, "", &mut places);
        places.retain(|place| plan.pointer(place).is_some_and(Value::is_string));
        for (place, name) in changes {
            let place: &String = place.get(&places);
            let name: &String = name.get(&names);
            *plan.pointer_mut(place).expect("a place") = json!(name);
        }
        let (bundle, run_dir) = (dir.path().join("bundle"), dir.path().join("run-folder"));
        write(&bundle, &plan, "cells");
        relist(&bundle);
        write(&run_dir, &plan, "");
        let tmp = dir.path().join("tmp");
        let before = [contents(&dir.path().join(VICTIM)), contents(&bundle)];
        // As `report`, `compare` and `verify` open a bundle, and as `run --from` does.
        for part in [UnpackedPart::Records, UnpackedPart::Everything] {
            if let Ok(unpacked) = Unpacked::below(&tmp, &bundle, Limits::default(), part) {
                prop_assert!(unpacked.run_dir().starts_with(&tmp));
                drop(Report::of(unpacked.run_dir()).map(|report| csv::draw(&report)));
            }
        }
        drop(retry::find(&run_dir, RetryFilter { failed: true, interrupted: true }));
        drop(prune(&run_dir, PruneOptions { weights: true, dry: false }));
        prop_assert_eq!([contents(&dir.path().join(VICTIM)), contents(&bundle)], before);
        let entries = |dir: &Path| fs::read_dir(dir).expect("a folder").count();
        prop_assert_eq!((entries(&tmp), entries(dir.path())), (0, 4));
    }
}

#[test]
fn a_bundle_whose_experiment_leads_elsewhere_is_refused_by_every_command() {
    let dir = place(&small());
    let bundle = dir.path().join("bundle");
    let mut plan = plan();
    write(&bundle, &plan, "cells");
    relist(&bundle);
    run(&dir, "report bundle").succeeds();
    for name in ["../victim".to_owned(), dir.path().join(VICTIM).display().to_string()] {
        plan["experiment"] = json!(name);
        write(&bundle, &plan, "cells");
        relist(&bundle);
        let reading = ["report bundle", "compare bundle bundle", "verify bundle", "verify bundle --unpack out"];
        for command in reading.into_iter().chain(["run experiment.yaml --from bundle"]) {
            let refused = run(&dir, command);
            refused.fails_with(&["bundle/grid.json is refused: the experiment's name", &format!("{name:?}")]);
        }
        let left = ["victim", "out", "runs"].map(|name| dir.path().join(name).exists());
        assert_eq!(left, [false; 3]);
    }
}

#[test]
fn a_run_folder_whose_rows_lead_elsewhere_is_refused_by_every_command() {
    let dir = scratch();
    let before = contents(&dir.path().join(VICTIM));
    let mut plan = plan();
    for folder in [dir.path().join("victim/chess-none-0").display().to_string(), "../victim/chess-none-0".to_owned()] {
        plan["rows"][0]["folder"] = json!(folder);
        write(&dir.path().join("x"), &plan, "");
        let reading = ["report x", "status x", "publish x --out bundle", "compare x x"];
        for command in ["prune --weights x", "retry --failed x"].into_iter().chain(reading) {
            let refused = run(&dir, command);
            refused.fails_with(&["grid.json is refused: ", "must be the plain name of a row's folder"]);
        }
    }
    plan["rows"][0]["folder"] = json!("chess-none-0");
    plan["seeds"] = json!((0..1_000_000).collect::<Vec<u64>>());
    write(&dir.path().join("x"), &plan, "");
    run(&dir, "report x").fails_with(&["2 rows with 1000000 seeds", "are more than 100000"]);
    assert_eq!(contents(&dir.path().join(VICTIM)), before);
}

#[cfg(unix)]
#[test]
fn links_in_a_run_folder_lead_nowhere() {
    let dir = scratch();
    let before = contents(&dir.path().join(VICTIM));
    let run_dir = dir.path().join("x");
    write(&run_dir, &plan(), "");
    for link in ["chess-none-0", "chess-none-0/seed-0", "chess-none-0/seed-0/checkpoints"] {
        let place = run_dir.join(link);
        fs::remove_dir_all(&place).expect("a folder");
        std::os::unix::fs::symlink(dir.path().join(VICTIM).join(link), &place).expect("a link");
        run(&dir, "prune --weights x").fails_with(&["leads out of the run folder"]);
        run(&dir, "retry --failed x").fails_with(&["leads out of the run folder"]);
        fs::remove_file(&place).expect("the link");
        write(&run_dir, &plan(), "");
    }
    // Also a file that training would write to, and one that it would make.
    for link in ["victim/chess-none-0/seed-0/status.json", "victim/new"] {
        let place = run_dir.join("chess-none-0/seed-0/log.txt");
        std::os::unix::fs::symlink(dir.path().join(link), &place).expect("a link");
        run(&dir, "retry --failed x").fails_with(&["log.txt leads out of the run folder"]);
        fs::remove_file(&place).expect("the link");
    }
    // Folders that `run` empties or writes to.
    for link in ["over-seeds", "tuning", "pictures"] {
        std::os::unix::fs::symlink(dir.path().join(VICTIM), run_dir.join(link)).expect("a link");
        run(&dir, "prune --weights x").fails_with(&[link, "leads out of the run folder"]);
        fs::remove_file(run_dir.join(link)).expect("the link");
    }
    assert_eq!(contents(&dir.path().join(VICTIM)), before);
}

#[cfg(unix)]
#[test]
fn a_cell_that_is_a_link_is_not_trained() {
    let dir = place(&small());
    let none = "run experiment.yaml --only encoding=none";
    fs::create_dir(dir.path().join(VICTIM)).expect("a folder");
    let checked = run(&dir, "check experiment.yaml --json").json();
    let folder = checked["rows"].as_array().expect("rows").iter().find_map(|row| {
        let (label, hash) = (row["label"].as_str()?, row["hash"].as_str()?);
        (label == "chess-none").then(|| format!("{label}-{hash}"))
    });
    let row = dir.path().join("runs/small").join(folder.expect("the row"));
    fs::create_dir_all(&row).expect("a folder");
    std::os::unix::fs::symlink(dir.path().join(VICTIM), row.join("seed-0")).expect("a link");
    run(&dir, none).fails_with(&["seed-0 leads out of the run folder"]);
    fs::remove_file(row.join("seed-0")).expect("the link");
    fs::write(dir.path().join(VICTIM).join("file"), "of the victim").expect("a file");
    // `run` removes what is no row from over-seeds, and a smoke run empties its folder.
    for (link, command) in [("small/over-seeds", none), ("smoke-small", "run experiment.yaml --smoke")] {
        std::os::unix::fs::symlink(dir.path().join(VICTIM), dir.path().join("runs").join(link)).expect("a link");
        run(&dir, command).fails_with(&[link, "link"]);
        fs::remove_file(dir.path().join("runs").join(link)).expect("the link");
    }
    assert_eq!(contents(&dir.path().join(VICTIM)).len(), 1);
}

#[test]
fn a_cell_that_is_not_what_its_folder_says_is_not_taken() {
    let (dir, run_dir) = small_run("");
    let publish = |out: &str| run(&dir, &format!("publish runs/small --out {out} --weights")).succeeds();
    let shaw = cell_of(&run_dir, "chess-shaw").strip_prefix(&run_dir).expect("inside").to_owned();
    let weights = "checkpoints/final.safetensors";
    let manifest = |cell: &Path| cell.join("manifest.json");
    let forgeries: [Forgery<'_>; 7] = [
        ("config", &|cell| change(&cell.join("config.yaml"), |run| run["train"]["batch"] = json!(5)), "(config.yaml)"),
        ("manifest", &|cell| change(&manifest(cell), |all| all["config"]["seed"] = json!(7)), "of seed-7"),
        ("hash", &|cell| change(&manifest(cell), |all| all["hash"] = json!("0")), "of another hash"),
        ("data", &|cell| change(&manifest(cell), |all| all["dataset"]["content_hash"] = json!("0")), "the hash"),
        ("smoke", &|cell| change(&manifest(cell), |all| all["smoke"] = json!(true)), "of a smoke run"),
        ("metrics", &better, "metrics.jsonl has another hash"),
        ("weights", &|cell| fs::write(cell.join(weights), "not a network").expect("written"), "final.safetensors"),
    ];
    for (out, forge, reason) in forgeries {
        publish(out);
        let bundle = dir.path().join(out);
        forge(&bundle.join("cells").join(&shaw));
        relist(&bundle);
        let refused = run(&dir, &format!("run experiment.yaml --out other --from {out}"));
        let cell = shaw.display().to_string();
        refused.fails_with(&["the finished cell", &cell, &format!("in {out} is refused"), reason, "--from"]);
        assert!(!dir.path().join("other/small").join(&shaw).join("status.json").exists(), "{out}");
        let parts = ["1 of 4 finished cells are not what their folders say: ", &cell, reason];
        run(&dir, &format!("verify {out}")).fails_with(&parts);
    }
    // Two rows have changed places.
    publish("swapped");
    let cells = dir.path().join("swapped/cells");
    let none = cell_of(&cells, "chess-none");
    let [a, b] = [none.as_path(), &cells.join(&shaw)].map(|cell| cell.parent().expect("a row").to_owned());
    for (from, to) in [(&a, &cells.join("c")), (&b, &a), (&cells.join("c"), &b)] {
        fs::rename(from, to).expect("renamed");
    }
    relist(&dir.path().join("swapped"));
    let parts =
        ["2 of 4 finished cells are not what their folders say: ", "dataset have the hash", "its folder name has"];
    run(&dir, "verify swapped").fails_with(&parts);
    // A single bit of the weights, in a folder of run folders.
    fs::rename(dir.path().join("runs"), dir.path().join("elsewhere")).expect("renamed");
    let file = dir.path().join("elsewhere/small").join(&shaw).join(weights);
    let flip = || flip(&file, |length| length - 1);
    flip();
    let taken = || run(&dir, "run experiment.yaml --out third --cells elsewhere");
    taken().fails_with(&["in elsewhere/small is refused: final.safetensors has the hash", "--cells"]);
    // Right again, and of a version that recorded no hash of its metrics.
    flip();
    let status = dir.path().join("elsewhere/small").join(&shaw).join("status.json");
    change(&status, |status| drop(status["result"].as_object_mut().expect("hashes").remove("metrics")));
    let answer = taken().succeeds();
    run(&dir, "report third/small").succeeds().says(&["4 cells were copied from elsewhere/small"]);
    assert!(!answer.stderr.contains("cell started"), "{}", answer.stderr);
}
