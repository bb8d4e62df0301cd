//! `posenc publish` and `posenc verify`: what is published says nothing of this machine, what was changed is found, and
//! cells that are trained again come to the same bits.

use crate::bundles::{archive, better, change, contents, files, list, relist};
use crate::cli::{cell_of, cells, run, small_run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use tempfile::TempDir;
use testing::{assert_says, flip, place, small};

/// A folder with a finished grid of four cells in it.
fn finished() -> TempDir {
    let (dir, run_dir) = small_run("");
    // What killed processes and Slurm leave behind, and a log that names this machine.
    let cell = cell_of(&run_dir, "chess-shaw");
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut log = fs::OpenOptions::new().append(true).open(cell.join("log.txt")).expect("the log");
    writeln!(log, "on {} in {}: no room", host.trim(), cell.display()).expect("written");
    fs::write(cell.join("status.json.77.tmp"), "half").expect("written");
    fs::create_dir_all(run_dir.join("slurm/array-1")).expect("a folder");
    fs::write(run_dir.join("slurm/array-1/job.sh"), format!("exec {}", dir.path().display())).expect("written");
    dir
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_bundle_is_complete_and_says_nothing_of_this_machine() {
    let dir = finished();
    run(&dir, "publish runs/small --license CC0-1.0 --out bundle").succeeds().says(&["4 of 4 cells finished"]);
    let bundle = dir.path().join("bundle");
    let names: BTreeSet<String> = contents(&bundle).into_keys().collect();
    let whole = "BLAKE3SUMS LICENCES.md README.md baselines.json experiment.yaml grid.json report.html report.txt \
                 ro-crate-metadata.json";
    for name in whole.split(' ') {
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
    for name in ["config.yaml", "log.txt", "manifest.json", "metrics.jsonl", "status.json"] {
        assert_eq!(names.iter().filter(|path| path.ends_with(&format!("/{name}"))).count(), 4, "{name}");
    }
    // Each cell has its curves, and its pictures apart.
    assert_eq!(names.iter().filter(|path| path.contains("/events.out.tfevents.")).count(), 2 * 4);
    assert_eq!(names.iter().filter(|path| path.contains("/pictures/events.out.tfevents.")).count(), 4);
    assert!(!names.iter().any(|path| path.contains(".tmp") || path.contains("slurm") || path.ends_with("/lock")));
    assert!(!names.iter().any(|path| path.ends_with(".safetensors")), "weights by option only");

    let place = dir.path().to_str().expect("UTF-8").to_owned();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for (name, bytes) in contents(&bundle) {
        assert!(!contains(&bytes, &place), "{name} names {place}");
        assert!(!name.contains(&format!(".{}.", host.trim())), "{name}");
    }
    let log = cell_of(&bundle.join("cells"), "chess-shaw").join("log.txt");
    let log = fs::read_to_string(log).expect("the log");
    assert!(log.ends_with("on host in …/seed-0: no room\n"), "{log}");

    // Metrics are those of the run, byte for byte.
    let metrics = |cells: Vec<PathBuf>| -> Vec<Vec<u8>> {
        cells.iter().map(|cell| fs::read(cell.join("metrics.jsonl")).expect("metrics")).collect()
    };
    assert_eq!(metrics(cells(&bundle.join("cells"))), metrics(cells(&dir.path().join("runs/small"))));

    // The description is an RO-Crate of every file.
    let citation = "authors:\n- {given-names: Ada, family-names: B, orcid: 'https://orcid.org/0000-0002-1825-0097'}\n- {name: A group}\n";
    fs::write(dir.path().join("CITATION.cff"), citation).expect("written");
    run(&dir, "publish runs/small --license CC0-1.0 --out described --weights --citation CITATION.cff").succeeds();
    let bundle = dir.path().join("described");
    let text = fs::read_to_string(bundle.join("ro-crate-metadata.json")).expect("the description");
    let crate_: Value = serde_json::from_str(&text).expect("JSON");
    let graph = crate_["@graph"].as_array().expect("a graph");
    let entity = |id: &str| graph.iter().find(|entity| entity["@id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert_eq!(entity("ro-crate-metadata.json")["about"]["@id"], "./");
    let root = entity("./");
    assert_eq!(root["license"]["@id"], "https://spdx.org/licenses/CC0-1.0");
    assert_eq!(root["author"][1]["@id"], "#author-a-group");
    assert_eq!(entity("https://orcid.org/0000-0002-1825-0097")["name"], "Ada B");
    let card = fs::read_to_string(bundle.join("README.md")).expect("the card");
    assert!(card.contains("By Ada B, A group."));
    let fields = card.strip_prefix("---\n").and_then(|card| card.split_once("---\n")).expect("fields").0;
    let fields: Value = serde_yaml::from_str(fields).expect("YAML");
    assert_eq!([&fields["license"], &fields["pretty_name"]], ["cc0-1.0", "small"]);
    // With weights it is a model's page: each row with its primary metric, as the report has it.
    let report = fs::read_to_string(bundle.join("report.csv")).expect("the report");
    let models = fields["model-index"].as_array().expect("models");
    assert!(models.len() > 1 && fields["library_name"] == "posenc");
    for model in models {
        let result = &model["results"][0];
        let value = result["metrics"][0]["value"].as_f64().expect("a value");
        assert!(report.contains(&format!(",{value},")), "{value}");
        assert!(result["dataset"]["name"].is_string() && result["metrics"][0]["type"] == "policy_loss");
    }
    fs::write(dir.path().join("wrong.cff"), citation.replace("0097", "0098")).expect("written");
    let wrong = run(&dir, "publish runs/small --out other --citation wrong.cff");
    wrong.fails_with(&["wrong.cff", "0000-0002-1825-0098", "not an ORCID"]);
    assert_eq!((&root["name"], &root["description"]), (&"small".into(), &"does it work?".into()));
    assert!(root["datePublished"].as_str().is_some_and(|date| date.len() == 10));
    let parts: BTreeSet<&str> =
        root["hasPart"].as_array().expect("parts").iter().filter_map(|part| part["@id"].as_str()).collect();
    for (name, bytes) in contents(&bundle) {
        if name == "BLAKE3SUMS" || name == "ro-crate-metadata.json" {
            continue;
        }
        assert!(parts.contains(&name[..]), "{name} is no part");
        assert_eq!(entity(&name)["contentSize"], Value::from(bytes.len().to_string()), "{name}");
    }
    assert_eq!(parts.iter().filter(|path| path.ends_with("final.safetensors")).count(), 4);
    let licences = fs::read_to_string(bundle.join("LICENCES.md")).expect("licences");
    assert_says(&licences, &["Results in this bundle: CC0-1.0", "source: written for tests"]);
}

#[test]
fn packed_or_not_the_same_folder_gives_the_same_bundle_and_every_change_is_found() {
    let dir = finished();
    let publish = |out: &str| run(&dir, &format!("publish runs/small --out {out}")).succeeds().stdout;
    let identity = |said: &str| said.lines().find(|line| line.starts_with("blake3 ")).expect("its hash").to_owned();
    let (folder, packed) = (publish("bundle"), publish("bundle.tar.zst"));
    assert_eq!(identity(&folder), identity(&packed));
    // What a publisher that was killed left over goes.
    let mut killed = std::process::Command::new("true").spawn().expect("a process");
    let left = dir.path().join(format!("again.tar.zst.{}.tmp", killed.id()));
    killed.wait().expect("it ends");
    fs::write(&left, "half").expect("written");
    publish("again.tar.zst");
    assert!(!left.exists());
    let read = |name: &str| fs::read(dir.path().join(name)).expect("a bundle");
    assert_eq!(read("bundle.tar.zst"), read("again.tar.zst"));
    run(&dir, "publish runs/small --out bundle").fails_with(&["bundle is there already"]);
    for bundle in ["bundle", "bundle.tar.zst"] {
        let promised =
            ["each is the one that its list names", "integrity, not authorship", "numbers are those of the cells"];
        let verified = run(&dir, &format!("verify {bundle}")).succeeds().says(&promised);
        verified.says(&[&identity(&folder), "not verified: "]);
    }
    // Unpacked on the way, it is the folder.
    run(&dir, "verify bundle.tar.zst --unpack unpacked").succeeds();
    let [unpacked, bundle] = ["unpacked", "bundle"].map(|name| contents(&dir.path().join(name)));
    assert_eq!(unpacked, bundle);

    let some =
        files(&dir.path().join("bundle")).into_iter().find(|path| path.ends_with("metrics.jsonl")).expect("metrics");
    let before = fs::read(&some).expect("metrics");
    flip(&some, |_| 20);
    run(&dir, "verify bundle").fails_with(&["metrics.jsonl was changed"]);
    fs::remove_file(&some).expect("removed");
    run(&dir, "verify bundle").fails_with(&["metrics.jsonl is missing"]);
    fs::write(&some, before).expect("written");
    fs::write(dir.path().join("bundle/more"), "x").expect("written");
    run(&dir, "verify bundle").fails_with(&["more is not in the list"]);
    fs::remove_file(dir.path().join("bundle/more")).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("bundle/more")).expect("a link");
    run(&dir, "verify bundle").fails_with(&["more is a link"]);

    let mut cut = read("bundle.tar.zst");
    cut.truncate(cut.len() / 2);
    fs::write(dir.path().join("cut.tar.zst"), cut).expect("written");
    run(&dir, "verify cut.tar.zst --unpack half").fails_with(&["is not a bundle, or is damaged"]);
    assert!(!dir.path().join("half").exists(), "what was unpacked of a bad bundle goes");
}

#[test]
fn hostile_archives_write_nothing_outside_and_fill_no_disk() {
    let dir = tempfile::tempdir().expect("a folder for the test");
    let unpack = |name: &str| run(&dir, &format!("verify {name} --unpack out/inner"));
    for (at, name) in ["../evil", "/tmp/posenc-evil", "a/../../evil", "a\\..\\evil"].into_iter().enumerate() {
        let file = format!("{at}.tar.zst");
        archive(&dir.path().join(&file), &[(name, b"x")]);
        unpack(&file).fails_with(&["which leads out of it"]);
    }
    // The list comes first; these break a law before their plan is read.
    let listed = |name: &str, listed: &[(&str, &[u8])], files: &[(&str, &[u8])]| {
        let necessary: [(&str, &[u8]); 2] = [("ro-crate-metadata.json", b""), ("grid.json", b"")];
        let sums = list(&[listed, &necessary].concat());
        archive(&dir.path().join(name), &[&[("BLAKE3SUMS", sums.as_bytes())][..], files].concat());
    };
    listed("twice.tar.zst", &[("a", b"x")], &[("a", b"x"), ("a", b"y")]);
    unpack("twice.tar.zst").fails_with(&["it holds a twice"]);
    archive(&dir.path().join("late.tar.zst"), &[("a", b"x"), ("BLAKE3SUMS", b"")]);
    unpack("late.tar.zst").fails_with(&["it must begin with BLAKE3SUMS, and begins with a"]);
    listed("repeated.tar.zst", &[("a", b"x"), ("a", b"y")], &[("a", b"y")]);
    unpack("repeated.tar.zst").fails_with(&["line 2 of BLAKE3SUMS names a a second time"]);
    listed("replaced.tar.zst", &[("cells/grid.json", b"x")], &[]);
    unpack("replaced.tar.zst").fails_with(&["cells/grid.json is not in the folder of a cell"]);
    // Zeros shrink a thousandfold.
    let zeros = vec![0; 20_000_000];
    listed("bomb.tar.zst", &[("zeros", &zeros)], &[("zeros", &zeros)]);
    listed("unlisted.tar.zst", &[("a", b"x")], &[("zeros", &zeros)]);
    unpack("unlisted.tar.zst --max-bytes 1000000").fails_with(&["zeros is not in the list"]);
    let records: [(&str, &[u8]); 4] = ["a.json", "b.jsonl", "c.yaml", "d.json"].map(|name| (name, &zeros[..]));
    listed("records.tar.zst", &records, &records);
    unpack("records.tar.zst").fails_with(&["more than 67108864 bytes of JSON and YAML", "--max-bytes"]);
    assert!(fs::metadata(dir.path().join("bomb.tar.zst")).expect("the bomb").len() < 20_000);
    unpack("bomb.tar.zst --max-bytes 1000000").fails_with(&["unpacks to more than 1000000 bytes"]);
    // A file in the place of a folder, and a tar with a link in it.
    listed("both.tar.zst", &[("a", b"x"), ("a/b", b"y")], &[("a", b"x"), ("a/b", b"y")]);
    assert_eq!(unpack("both.tar.zst").code, Some(1));
    fs::create_dir(dir.path().join("links")).expect("a folder");
    std::os::unix::fs::symlink("/etc", dir.path().join("links/etc")).expect("a link");
    let tar = std::process::Command::new("tar")
        .args(["cf", "links.tar", "--format=ustar", "links"])
        .current_dir(dir.path())
        .status();
    assert!(tar.expect("tar").success());
    let packed = zstd::encode_all(&fs::read(dir.path().join("links.tar")).expect("the tar")[..], 1).expect("packed");
    fs::write(dir.path().join("links.tar.zst"), packed).expect("written");
    unpack("links.tar.zst").fails_with(&["other than a regular file"]);
    fs::write(dir.path().join("no.tar.zst"), "nothing of the kind").expect("written");
    unpack("no.tar.zst").fails_with(&["is not a bundle"]);
    let left = ["out/inner", "evil", "out/evil", "/tmp/posenc-evil"].map(|path| dir.path().join(path).exists());
    assert_eq!(left, [false; 4]);
}

#[test]
fn cells_that_are_trained_again_come_to_the_same_bits() {
    let dir = finished();
    let publish = |out: &str| drop(run(&dir, &format!("publish runs/small --out {out}")).succeeds());
    publish("bundle.tar.zst");
    let again = |more: &str| run(&dir, &format!("verify bundle.tar.zst --rerun 2 {more}"));
    again("").fails_with(&["needs the dataset", "with the content hash", "--data"]);
    for idle in ["--draw 1", "--data chess", "--device cpu", "--out again"] {
        run(&dir, &format!("verify bundle.tar.zst {idle}")).misused_with(&["--rerun"]);
    }
    let said = again("--data chess --data shogi").succeeds().stdout;
    assert_eq!(said.matches(": the same, bit for bit\n").count(), 2, "{said}");
    // Nobody knows the draw beforehand, and everybody can repeat it.
    let drawn = |said: &str| {
        let lines = said.lines().filter(|line| line.ends_with(": the same, bit for bit"));
        lines.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let (_, seed) = said.split_once("drawn: 2 of 4 finished cells; --draw ").expect("the draw");
    let seed = seed.split_once(" repeats it").expect("its seed").0;
    let repeated = again(&format!("--data chess --draw {seed}")).succeeds().stdout;
    assert_eq!(drawn(&repeated), drawn(&said));

    // A report that states other numbers than its cells is found.
    publish("stated");
    let report = dir.path().join("stated/report.csv");
    let text = fs::read_to_string(&report).expect("a report");
    let line = text.lines().find(|line| line.contains(",shaw,compared,policy_loss,1,")).expect("its loss");
    let (before, after) = line.split_once(",policy_loss,1,").expect("its mean");
    let lie = format!("{before},policy_loss,1,0.5{}", &after[after.find(',').expect("a field")..]);
    fs::write(&report, text.replace(line, &lie)).expect("written");
    relist(&dir.path().join("stated"));
    let place = "chess, shaw, compared, policy_loss: mean is 0.5, the cells";
    run(&dir, "verify stated").fails().says(&["1 numbers or lines are NOT THOSE OF THE CELLS", place]);

    // Threads are those of the manifest, within limits.
    publish("threads");
    let manifest = cell_of(&dir.path().join("threads/cells"), "chess-none").join("manifest.json");
    for threads in [0, 1_025, 200_000] {
        change(&manifest, |stated| stated["identity"]["threads"] = threads.into());
        relist(&dir.path().join("threads"));
        let expected = format!("its manifest.json states {threads} threads; a cell is trained again with 1 to 1024");
        run(&dir, "verify threads --rerun 4 --data chess").fails_with(&[&expected]);
    }

    // A report whose lines are all of fitted curves is not verified.
    let header = text.lines().next().expect("a header");
    let column = header.split(',').position(|name| name == "role").expect("roles");
    let role = |line: &str| {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields[column] = "prediction";
        fields.join(",")
    };
    let fitted: Vec<String> = text.lines().skip(1).take(1).map(role).collect();
    fs::write(&report, format!("{header}\r\n{}\r\n", fitted.join("\r\n"))).expect("written");
    relist(&dir.path().join("stated"));
    let answer = run(&dir, "verify stated").fails();
    answer.says(&["report.csv: NOT VERIFIED", "1 lines of fitted curves were not compared"]);

    // A number that was made up is found, though every hash is right.
    publish("lie");
    let lie = dir.path().join("lie");
    let cell = cell_of(&lie.join("cells"), "chess-none");
    better(&cell);
    let hash = records::lines::hash(&cell.join("metrics.jsonl")).expect("a hash");
    change(&cell.join("status.json"), |status| status["result"]["metrics"] = hash.into());
    relist(&lie);
    let answer = run(&dir, "verify lie --rerun 4 --data chess").fails();
    answer.says(&["NOT THE SAME", "of metrics.jsonl differs"]);
}

#[test]
fn under_other_conditions_the_spread_over_seeds_judges_and_cells_are_taken_from_a_bundle() {
    let dir = place(&small().replace("seeds: [0]", "seeds: [0, 1, 2]"));
    run(&dir, "run experiment.yaml --only encoding=none").succeeds();
    run(&dir, "publish runs/small --out bundle").fails_with(&["cells that are not done: ", "--partial"]);
    // A cell that has begun is not published, nor reported.
    let is_begun = |row: &records::plan::Row| row.folder.contains("absolute");
    let plan = records::Plan::read(&dir.path().join("runs/small")).expect("a plan");
    let begun = plan.rows.iter().find(|row| is_begun(row)).expect("a row that did not run");
    let cell = records::Plan::cell_dir(&dir.path().join("runs/small"), begun, 0);
    fs::create_dir_all(&cell).expect("a folder");
    let done = plan.rows.iter().find(|row| !is_begun(row)).expect("a row that ran");
    let done = records::Plan::cell_dir(&dir.path().join("runs/small"), done, 0);
    fs::copy(done.join("manifest.json"), cell.join("manifest.json")).expect("copied");
    let status = fs::read_to_string(done.join("status.json")).expect("a status").replace("\"done\"", "\"running\"");
    fs::write(cell.join("status.json"), status).expect("written");
    run(&dir, "report runs/small").succeeds().says(&["interrupted"]);
    run(&dir, "publish runs/small --out bundle --partial").succeeds();
    assert!(!dir.path().join("bundle/cells").join(&begun.folder).exists());
    let published = fs::read_to_string(dir.path().join("bundle/report.csv")).expect("a report");
    assert_eq!(run(&dir, "report bundle --format csv").succeeds().stdout, published);
    // As if it had been made with another LibTorch: the list is written again, as its publisher would have.
    let bundle = dir.path().join("bundle");
    for path in files(&bundle).into_iter().filter(|path| path.ends_with("manifest.json")) {
        change(&path, |manifest| manifest["identity"]["libtorch"] = "1.0.0".into());
    }
    relist(&bundle);
    let expected = "within the spread over seeds (0.00 standard deviations); LibTorch: began with 1.0.0, now 2.";
    run(&dir, "verify bundle --rerun 1 --data chess").succeeds().says(&[expected]);

    // A bundle is reported, and its cells are taken from it.
    run(&dir, "run experiment.yaml").succeeds();
    let csv = |of: &str| run(&dir, &format!("report {of} --format csv")).succeeds().stdout;
    let whole = csv("runs/small");
    run(&dir, "publish runs/small --out bundle.tar.zst").succeeds();
    run(&dir, "publish runs/small --out compact --compact").succeeds();
    assert_eq!(csv("bundle.tar.zst"), whole);
    assert!(!files(&dir.path().join("compact")).iter().any(|path| path.to_string_lossy().contains("tfevents")));
    // Means of games give the same verdicts up to the rounding of f32.
    let same = |own: &str, other: &str| match (own.parse::<f64>(), other.parse::<f64>()) {
        (Ok(own), Ok(other)) => (own - other).abs() <= 1e-3 * other.abs().max(1.0),
        _ => own == other,
    };
    let compact = csv("compact");
    assert_eq!(compact.lines().count(), whole.lines().count());
    for (own, other) in compact.lines().zip(whole.lines()) {
        assert!(own.split(',').zip(other.split(',')).all(|(own, other)| same(own, other)), "{own}\n{other}");
    }

    // In an empty place nothing is trained, and the report and TensorBoard's files are there again.
    let answer = run(&dir, "run experiment.yaml --out other --from compact").succeeds();
    let answer = answer.tells(&["copied from other run folders or bundles: 12 cells, finished there"]);
    assert!(!answer.stderr.contains("cell started"), "{}", answer.stderr);
    assert!(!answer.stdout.contains("posenc inspect"), "the bundle has no weights: {}", answer.stdout);
    assert_eq!(csv("other/small").lines().count(), whole.lines().count());
    for cell in cells(&dir.path().join("other/small")) {
        let events = files(&cell).into_iter().filter(|path| path.to_string_lossy().contains("tfevents")).count();
        assert_eq!(events, 1, "{}", cell.display());
    }
    // The manifest and the report say where a cell came from.
    let identity = blake3::hash(&fs::read(dir.path().join("compact/BLAKE3SUMS")).expect("the list")).to_hex();
    let copied = records::Manifest::read(&cell_of(&dir.path().join("other/small"), "chess-shaw")).expect("readable");
    let from = copied.expect("a manifest").copied_from;
    assert_eq!((from.len(), from[0].path.as_str(), from[0].blake3.as_deref()), (1, "compact", Some(identity.as_str())));
    let copied = format!("12 cells were copied from the bundle compact (BLAKE3 {identity})");
    run(&dir, "report other/small").succeeds().says(&[&copied]);
    // A bundle that was changed gives nothing.
    let metrics = files(&dir.path().join("compact")).into_iter().find(|path| path.ends_with("metrics.jsonl"));
    fs::write(metrics.expect("metrics"), "").expect("written");
    run(&dir, "run experiment.yaml --out third --from compact").fails_with(&["metrics.jsonl was changed"]);
    run(&dir, "report compact").fails_with(&["metrics.jsonl was changed"]);
}
