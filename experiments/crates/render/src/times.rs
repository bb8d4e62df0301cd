//! Times: when cells were trained, when something was committed, and which of the two came first.

use crate::fields::fault;
use chrono::NaiveDateTime;
use minijinja::Error;
use records::folder::{METRICS_FILE, hash_of};
use records::manifest::{self, Session};
use records::{MetricLine, Time};
use report::numbers::time as shown;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How times are written in templates.
const FORMAT: &str = "%Y-%m-%d %H:%M:%S";

/// A cell or a trial that was trained.
#[derive(Debug)]
pub(crate) struct TrainedCell {
    /// The hash of its configuration, and its seed: the same in every grid that has it.
    pub(crate) id: String,
    /// The folder of its row.
    pub(crate) row: String,
    pub(crate) is_trial: bool,
    /// When its first process began, in seconds since 1970.
    pub(crate) began: f64,
    /// When its last line was written.
    pub(crate) ended: f64,
}

/// The cells and trials of a run folder; those whose files cannot be read are left out.
pub(crate) fn of(run_dir: &Path) -> Vec<TrainedCell> {
    let mut folders = Vec::new();
    cell_folders(run_dir, &mut folders);
    folders.iter().filter_map(|folder| trained(folder, run_dir)).collect()
}

fn cell_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join(manifest::FILE).is_file() {
        found.push(folder.to_owned());
        return;
    }
    let below = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    below.filter(|path| path.is_dir()).for_each(|path| cell_folders(&path, found));
}

/// The part of a manifest that has times.
#[derive(Deserialize)]
struct Trained {
    sessions: Vec<Session>,
}

fn trained(folder: &Path, run_dir: &Path) -> Option<TrainedCell> {
    let Trained { sessions } = serde_json::from_slice(&fs::read(folder.join(manifest::FILE)).ok()?).ok()?;
    let lines = fs::read_to_string(folder.join(METRICS_FILE)).ok()?;
    let MetricLine { time: Time { unix_s: ended, .. }, .. } = serde_json::from_str(lines.lines().last()?).ok()?;
    let place = folder.strip_prefix(run_dir).ok()?;
    let place: Vec<String> = place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let [.., row, seed] = &place[..] else { return None };
    let hash = hash_of(row);
    let began = sessions.iter().map(|session| session.unix_s).reduce(f64::min)?;
    // The cells of trials lie deeper than those of rows.
    Some(TrainedCell { id: format!("{hash}/{seed}"), row: row.clone(), is_trial: place.len() > 2, began, ended })
}

/// When a commit was made, in seconds since 1970, and a remark if git has no such commit. `recorded` is the time
/// in the template; it must equal that of the commit.
pub(crate) fn committed(repository: &Path, hash: &str, recorded: &str) -> Result<(f64, Option<String>), Error> {
    if hash.is_empty() || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(fault(format!("a commit is named by the digits of its hash, got {hash:?}")));
    }
    let time = NaiveDateTime::parse_from_str(recorded, FORMAT).map_err(|error| {
        fault(format!("{recorded:?} is not a time: {error}; write it in UTC as 2026-11-24 04:47:52"))
    })?;
    let time = time.and_utc().timestamp() as f64;
    let Some(known) = time_of(repository, hash) else {
        let remark = format!(
            "git does not know the commit {hash} here, so the time that the template records was taken: {recorded}"
        );
        return Ok((time, Some(remark)));
    };
    if known != time {
        return Err(fault(format!("the commit {hash} was made at {}, and not at {recorded}", shown(known, FORMAT))));
    }
    Ok((time, None))
}

/// A commit's time, if git and the commit are there.
fn time_of(repository: &Path, hash: &str) -> Option<f64> {
    let folder = if repository.as_os_str().is_empty() { Path::new(".") } else { repository };
    let mut git = Command::new("git");
    // A stranger's repository may configure programs. This command runs none: it checks no signature and fetches nothing.
    git.envs([("GIT_ALLOW_PROTOCOL", "none"), ("GIT_NO_LAZY_FETCH", "1")]);
    let output = git.arg("-C").arg(folder).args(["cat-file", "commit", hash]).output().ok()?;
    output.status.success().then_some(())?;
    let commit = String::from_utf8_lossy(&output.stdout);
    let committer = commit.lines().take_while(|line| !line.is_empty()).find(|line| line.starts_with("committer "))?;
    committer.rsplit(' ').nth(1)?.parse().ok()
}

/// Refuses a time that is not before another.
pub(crate) fn came_first(first: f64, then: f64) -> Result<&'static str, Error> {
    if first < then {
        return Ok("");
    }
    let [first, then] = [first, then].map(|time| shown(time, FORMAT));
    Err(fault(format!("the page says that {first} came first, but the other began at {then}: correct the sentence")))
}

#[cfg(test)]
mod tests {
    use super::{came_first, committed};
    use std::path::Path;

    #[test]
    fn a_prediction_that_came_later_is_refused_and_a_missing_commit_is_told() {
        assert_eq!(came_first(1.0, 2.0).expect("before"), "");
        let refused = came_first(1_795_495_672.0, 1_795_491_653.0).expect_err("after").to_string();
        let order = "2026-11-24 04:47:52 came first, but the other began at 2026-11-24 03:40:53";
        assert!(refused.contains(order), "{refused}");
        let nowhere = Path::new("/");
        let (time, remark) = committed(nowhere, "721e454", "2026-11-24 04:47:52").expect("a recorded time");
        assert_eq!(time, 1_795_495_672.0);
        assert!(remark.expect("a remark").contains("does not know the commit 721e454"));
        let wrong = committed(nowhere, "--all", "2026-11-24 04:47:52").expect_err("no hash").to_string();
        assert!(wrong.contains("digits of its hash"), "{wrong}");
        let wrong = committed(nowhere, "721e454", "yesterday").expect_err("no time").to_string();
        assert!(wrong.contains("\"yesterday\" is not a time"), "{wrong}");
    }
}
