//! Event files hold what `metrics.jsonl` holds, for the tests' reader and for TensorBoard's own.

use crate::by_hand;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testing::{Bench, event_files, events, flip, lines, train};
use train::events::repair;

/// What the event files must hold: tag, step, value, in the order of the lines.
fn expected(dir: &Path) -> Vec<(String, i64, f32)> {
    let mut scalars = Vec::new();
    for line in lines(dir) {
        let mut push = |metric: &str, value: f64| scalars.push((line.tag(metric), line.step as i64, value as f32));
        line.metrics.iter().for_each(|(name, value)| push(name, value));
        push("positions_per_s", line.time.positions_per_s);
    }
    scalars
}

/// A cell that wrote lines after its last checkpoint, crashed, and went on.
fn resumed(bench: &Bench) -> PathBuf {
    let dir = bench.crashed("resumed");
    train(&dir).expect("it resumes");
    dir
}

#[test]
fn event_files_hold_the_values_of_the_lines() {
    let bench = Bench::new();
    let dir = bench.trained("events", &bench.run(12));
    let file = events(&dir);
    assert_eq!(file.scalars, expected(&dir));
    assert_eq!((&file.version[..], &file.starts[..]), ("brain.Event:2", &[0][..]));
    assert_eq!(file.times[0], lines(&dir)[0].time.unix_s);
}

#[test]
fn going_on_withdraws_what_came_after_the_checkpoint_and_event_files_can_be_rebuilt() {
    let bench = Bench::new();
    let dir = resumed(&bench);
    let shown = || (events(&dir).scalars, events(&dir).hparams, events(&dir).done);
    let before = (expected(&dir), events(&dir).hparams, true);
    assert_eq!(shown(), before);
    let files = event_files(&dir);
    assert_eq!(files.len(), 2);
    for _ in 0..2 {
        assert!(!repair(&dir).expect("whole"), "what is whole is left alone");
        assert_eq!(event_files(&dir), files[1..]);
    }

    let damages: [fn(&Path); 4] = [
        |path| fs::remove_file(path).expect("removed"),
        |path| fs::write(path, "").expect("emptied"),
        |path| {
            let bytes = fs::read(path).expect("bytes");
            fs::write(path, &bytes[..bytes.len() - 40]).expect("torn");
        },
        |path| flip(path, |_| 20),
    ];
    for damage in damages {
        damage(&event_files(&dir)[0]);
        assert!(repair(&dir).expect("rebuilt"));
        assert_eq!(event_files(&dir).len(), 1);
        assert_eq!(shown(), before);
        assert!(!repair(&dir).expect("whole"));
    }
}

/// Writes a plan in which the row of a cell has a name and values on two axes.
fn plan(bench: &Bench, name: &str) {
    let mut row = by_hand::row(name, &format!("{name}-unplanned"), "twin", 1);
    row["name"] = json!("Mine");
    row["axes"] = json!({"encoding": "shaw: {terms: [q, k]}", "train.encoding_rate": "64"});
    let plan = by_hand::plan(&[1], &[row]);
    let run_dir = bench.path().join("runs/test");
    fs::create_dir_all(&run_dir).expect("a folder");
    fs::write(run_dir.join("grid.json"), plan.to_string()).expect("the plan");
}

/// What the HParams tab must list of its cell.
fn listed() -> BTreeMap<String, Value> {
    let listed = [
        ("encoding", json!("shaw: {terms: [q, k]}")),
        ("row", json!("Mine")),
        ("seed", json!("1")),
        ("train.encoding_rate", json!(64.0)),
        ("twin", json!(false)),
    ];
    listed.map(|(name, value)| (name.to_owned(), value)).into()
}

#[test]
fn the_session_has_what_differs_between_cells_and_whether_the_cell_is_done() {
    let bench = Bench::new();
    plan(&bench, "session");
    let dir = bench.crashed("session");
    let session = events(&dir);
    assert!(!session.done, "it crashed");
    assert_eq!(session.hparams, Some(listed()));

    train(&dir).expect("it resumes");
    let session = events(&dir);
    assert!(session.done && !repair(&dir).expect("whole"));
    assert_eq!(session.hparams, Some(listed()));

    // Without a plan no axes are known.
    fs::remove_file(bench.path().join("runs/test/grid.json")).expect("removed");
    assert!(repair(&dir).expect("rebuilt"));
    assert_eq!(events(&dir).hparams, Some(BTreeMap::from([("seed".to_owned(), json!("1"))])));
}

#[allow(clippy::print_stderr, reason = "for those who ask with --nocapture")]
fn has_tensorboard() -> bool {
    let installed = Command::new("python3").args(["-c", "import tensorboard"]).output();
    let installed = installed.is_ok_and(|output| output.status.success());
    if !installed {
        eprintln!("skipped: python3 has no package tensorboard; the other tests read the files themselves");
    }
    installed
}

/// The output of a script that reads a folder with TensorBoard; `None` if it is not installed.
pub(crate) fn ask_tensorboard(script: &str, dir: &Path) -> Option<String> {
    let output = has_tensorboard().then(|| Command::new("python3").args(["-c", script]).arg(dir).output())?;
    let output = output.expect("python3 starts");
    let warnings = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !warnings.contains("not associated with a plugin"), "{warnings}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Prints the session as the HParams plugin reads it.
const PYTHON_SESSION: &str = "
import json, sys
from google.protobuf import json_format
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import metadata
events = EventAccumulator(sys.argv[1])
events.Reload()
content = events.PluginTagToContent('hparams')
start = metadata.parse_session_start_info_plugin_data(content[metadata.SESSION_START_INFO_TAG])
end = metadata.parse_session_end_info_plugin_data(content[metadata.SESSION_END_INFO_TAG])
print(json.dumps([{k: json_format.MessageToDict(v) for k, v in start.hparams.items()}, end.status]))
";

#[test]
fn tensorboard_itself_lists_the_session() {
    let bench = Bench::new();
    plan(&bench, "resumed");
    let dir = resumed(&bench);
    let Some(said) = ask_tensorboard(PYTHON_SESSION, &dir) else { return };
    let success = 1;
    assert_eq!(serde_json::from_str::<Value>(&said).expect("JSON"), json!([listed(), success]));
}

/// Prints the metrics that the HParams tab shows of every cell below a folder.
const PYTHON_FINAL: &str = "
import json, sys
from tensorboard import context
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups
runs = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={'scalars': 0})
runs.AddRunsFromDirectory(sys.argv[1])
runs.Reload()
provider = data_provider.MultiplexerDataProvider(runs, sys.argv[1])
tab = backend_context.Context(base_plugin.TBContext(data_provider=provider))
wanted = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=10, include_metrics=True)
wanted.allowed_statuses.append(api_pb2.STATUS_SUCCESS)
found = list_session_groups.Handler(context.RequestContext(), tab, '', wanted).run()
print(json.dumps({g.name: {m.name.tag: [m.training_step, m.value] for m in g.metric_values} for g in found.session_groups}))
";

#[test]
fn tensorboard_itself_lists_the_final_metrics_of_every_cell() {
    let bench = Bench::new();
    let cells = [12, 14].map(|steps| bench.trained(&format!("steps{steps}"), &bench.run(steps)));
    let Some(said) = ask_tensorboard(PYTHON_FINAL, &bench.path().join("runs/test")) else { return };
    let said: serde_json::Map<String, Value> = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said.len(), cells.len());
    for cell in cells {
        let seed = cell.file_name().expect("a name").to_string_lossy();
        let row = cell.parent().and_then(Path::file_name).expect("a name").to_string_lossy();
        let shown = said[&format!("{row}/{seed}")].as_object().expect("metrics");
        // The last value of each curve.
        let last: BTreeMap<_, _> = expected(&cell).into_iter().map(|(tag, step, value)| (tag, (step, value))).collect();
        assert!(last.contains_key("test/policy_loss"));
        let shown = shown.iter().map(|(tag, value)| {
            let value = (value[0].as_i64().expect("a step"), value[1].as_f64().expect("a value") as f32);
            (tag.clone(), value)
        });
        assert_eq!(shown.collect::<BTreeMap<_, _>>(), last);
    }
}

/// Loads a folder's events, loads them again after a line on standard input, and prints tag, step and value of every scalar.
const PYTHON_TWICE: &str = "
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0})
events.Reload()
print('loaded', flush=True)
sys.stdin.readline()
events.Reload()
for tag in events.Tags()['scalars']:
    for scalar in events.Scalars(tag):
        print(tag, scalar.step, repr(scalar.value))
";

#[test]
fn a_tensorboard_that_is_open_shows_the_same_after_a_crash_and_a_resumption() {
    if !has_tensorboard() {
        return;
    }
    let bench = Bench::new();
    let dir = bench.crashed("resumed");
    let mut python = Command::new("python3");
    python.args(["-c", PYTHON_TWICE]).arg(&dir).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut python = python.spawn().expect("python3 starts");
    let mut said = BufReader::new(python.stdout.take().expect("its output")).lines().map(|line| line.expect("text"));
    assert_eq!(said.next().expect("a line"), "loaded");
    train(&dir).expect("it resumes");
    python.stdin.take().expect("its input").write_all(b"\n").expect("it waits");
    let parse = |line: String| {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("three words");
        (word().to_owned(), word().parse::<i64>().expect("a step"), word().parse::<f64>().expect("a value") as f32)
    };
    let mut shown: Vec<_> = said.map(parse).collect();
    assert!(python.wait().expect("it ends").success());
    let mut expected = expected(&dir);
    let key = |scalar: &(String, i64, f32)| (scalar.0.clone(), scalar.1);
    shown.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(shown, expected);
}
