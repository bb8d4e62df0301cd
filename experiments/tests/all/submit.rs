//! `posenc submit` and the tasks that it writes, with a stand-in for `sbatch` and `scontrol`. `scripts/long-check slurm` does the
//! same with Slurm's own daemons.

use crate::cli::{Answer, answer, cells, posenc, run, run_args, signal, wait_for_step};
use records::CellState;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use testing::{assert_says, place, program, small};

/// A folder with programs that write down their arguments; `sbatch` says that the job is number 42.
fn stand_ins(dir: &Path) -> String {
    let bin = dir.join("bin");
    fs::create_dir(&bin).expect("a folder");
    for (name, says) in [("sbatch", "echo 42"), ("scontrol", "true")] {
        program(&bin, name, &format!("echo \"{name} $*\" >> '{}/calls'\n{says}\n", dir.display()));
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default())
}

/// A folder with the first program of each name in a `PATH`, but `scontrol`.
fn without_scontrol(dir: &Path, path: &str) -> String {
    let folder = dir.join("without-scontrol");
    fs::create_dir(&folder).expect("a folder");
    for program in std::env::split_paths(path).flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten()) {
        if program.file_name() != "scontrol" {
            // Later programs of a name fail to be linked.
            let _ = std::os::unix::fs::symlink(program.path(), folder.join(program.file_name()));
        }
    }
    folder.display().to_string()
}

/// The answer of `posenc` with these programs.
fn with_path(dir: &Path, args: &[&str], path: &str) -> Answer {
    answer(posenc(dir, args).env("PATH", path))
}

/// The task of an array, as Slurm starts it.
fn task(dir: &Path, path: &str, array: usize, index: usize) -> Command {
    let mut command = Command::new("/bin/bash");
    command.arg(dir.join(format!("runs/small/slurm/array-{array}/job.sh"))).env("PATH", path);
    command.env("SLURM_ARRAY_JOB_ID", "42").env("SLURM_ARRAY_TASK_ID", index.to_string());
    command
}

/// Starts a task, tells it after some steps that its time runs out, and returns what it said. It must leave a checkpoint later than
/// the step at which it was stopped before.
fn time_runs_out(mut command: Command, cell: &Path, stopped_at: &mut u64, code: i32) -> String {
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the task starts");
    wait_for_step(cell, *stopped_at + 1);
    signal(&child, libc::SIGUSR1);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    let CellState::Interrupted(progress) = CellState::of(cell) else { panic!("{:?}", CellState::of(cell)) };
    assert!(progress.step > *stopped_at && cell.join(format!("checkpoints/step-{}.yaml", progress.step)).exists());
    *stopped_at = progress.step;
    said
}

#[test]
fn every_task_is_one_cell_and_can_be_started_again() {
    let dir = place(&small());
    let path = stand_ins(dir.path());
    let args = ["submit", "experiment.yaml", "--slurm", "--partition", "main", "--time", "1h", "--setup", "export A=1"];
    with_path(dir.path(), &args, &path).succeeds().says(&["job 42: 4 cells by"]);
    let script = fs::read_to_string(dir.path().join("runs/small/slurm/array-1/job.sh")).expect("the script");
    let lines = ["#SBATCH --array=0-3%256\n", "#SBATCH --partition=main\n", "#SBATCH --time=60\n", "export A=1\n"];
    assert_says(&script, &lines);
    let calls = fs::read_to_string(dir.path().join("calls")).expect("sbatch was called");
    assert!(calls.starts_with("sbatch --parsable ") && calls.trim_end().ends_with("array-1/job.sh"), "{calls}");
    for index in [0, 1, 2, 3, 2] {
        answer(&mut task(dir.path(), &path, 1, index)).succeeds();
    }
    let run_dir = dir.path().join("runs/small");
    assert_eq!(cells(&run_dir).len(), 4);
    assert!(cells(&run_dir).iter().all(|cell| CellState::of(cell) == CellState::Done));
    assert!(with_path(dir.path(), &args, &path).succeeds().stdout.starts_with("no cell is left"));
    answer(&mut task(dir.path(), &path, 1, 4)).fails_with(&["has 4 cells, none at 4"]);
}

#[test]
fn a_task_whose_time_runs_out_writes_a_checkpoint_and_goes_back_into_the_queue() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    let path = stand_ins(dir.path());
    let submit = ["submit", "experiment.yaml", "--slurm", "--only", "encoding=shaw", "--max-requeues", "2"];
    with_path(dir.path(), &submit, &path).succeeds();
    let cell = cells(&dir.path().join("runs/small")).remove(0);
    let mut stopped_at = 0;
    for (restarts, code) in [(0, "42_0"), (2, "")] {
        fs::remove_file(dir.path().join("calls")).expect("the calls go");
        fs::write(dir.path().join("calls"), "").expect("written");
        let mut command = task(dir.path(), &path, 1, 0);
        command.env("SLURM_RESTART_COUNT", restarts.to_string());
        let said = time_runs_out(command, &cell, &mut stopped_at, 1);
        let calls = fs::read_to_string(dir.path().join("calls")).expect("calls");
        match code {
            "" => assert!(calls.is_empty() && said.contains("--max-requeues"), "{calls}{said}"),
            job => assert_eq!(calls, format!("scontrol requeue {job}\n"), "{said}"),
        }
    }
    program(&dir.path().join("bin"), "scontrol", "exit 1\n");
    let said = time_runs_out(task(dir.path(), &path, 1, 0), &cell, &mut stopped_at, 75);
    assert_says(&said, &["scontrol refuses, so 42_0 is not requeued", "RequeueExit=75"]);
}

#[test]
fn what_no_cluster_would_take_is_refused() {
    let dir = place(&small().replace("    batch: 4\n", "    batch: 4\n    micro_batch: 1\n"));
    let submit = |options: &str| run(&dir, &format!("submit experiment.yaml --slurm {options}"));
    submit("--gpus 4").fails_with(&["--gpus 4: a cell computes on a GPU for each rank; write 1"]);
    let one_of_two = "--gpus 1: a cell computes on a GPU for each rank; write 2, or a kind like a100:2";
    submit("--gpus 1 --ranks 2").fails_with(&[one_of_two]);
    submit("--ranks 8").fails_with(&["8 ranks cannot share the micro-batches of a step equally: there are 4"]);
    for (time, remedy) in [("60", "write 60m or 60s"), ("30:00", "write 30h00m or 30m00s")] {
        submit(&format!("--time {time}")).misused_with(&[remedy]);
    }
    submit("--time 2m").fails_with(&["--time: a task of 120 s would be signalled 120 s before its end"]);
    run_args(&dir, &["submit", "experiment.yaml", "--slurm", "--dry-run", "--out", "w dir"])
        .succeeds()
        .says(&["posenc status 'w dir/small' follows them"]);
    submit("--dry-run").succeeds().says(&["4 cells, not submitted"]);
    submit("--dry-run --threads 3 --ranks 4").succeeds();
    let script = fs::read_to_string(dir.path().join("runs/small/slurm/array-2/job.sh")).expect("the script");
    assert_says(&script, &["#SBATCH --cpus-per-task=12\n", "--ranks=4", "--devices=cpu"]);
    submit("--dry-run --gpus a100:2 --ranks 2").succeeds();
    let script = fs::read_to_string(dir.path().join("runs/small/slurm/array-3/job.sh")).expect("the script");
    assert_says(&script, &["#SBATCH --gpus-per-node=a100:2\n", "--ranks=2", "--devices=cuda:0,cuda:1"]);
    let nowhere = with_path(dir.path(), &["submit", "experiment.yaml", "--slurm"], "/nowhere");
    nowhere.fails_with(&["there is no sbatch here", "array-4/job.sh"]);
    for hidden in ["cell --dir none", "task --run-dir none --cells none --index 0"] {
        run(&dir, &format!("{hidden} --threads 0")).misused_with(&["invalid value '0'", "--threads"]);
    }
    assert_eq!(run(&dir, "submit experiment.yaml").code, Some(2));
}

#[test]
fn without_scontrol_a_chain_of_jobs_goes_on() {
    let dir = place(&small().replace("steps: 8", "steps: 100000"));
    let path = stand_ins(dir.path());
    let submit = ["submit", "experiment.yaml", "--slurm", "--only", "encoding=shaw"];
    let chained: Vec<&str> = submit.iter().copied().chain(["--chain", "2"]).collect();
    let said = with_path(dir.path(), &chained, &path).succeeds().stdout;
    assert_eq!(said.matches("what is left of them after job 42").count(), 2, "{said}");
    let calls = fs::read_to_string(dir.path().join("calls")).expect("calls");
    assert_eq!(calls.matches("--dependency=afterany:42 ").count(), 2, "{calls}");
    let twice: Vec<&str> = chained.iter().copied().chain(["--max-requeues", "3"]).collect();
    assert_eq!(run_args(&dir, &twice).code, Some(2), "a chain requeues nothing");

    // The second array may requeue, where there is no scontrol.
    with_path(dir.path(), &submit, &path).succeeds();
    let path = without_scontrol(dir.path(), &path);
    let cell = cells(&dir.path().join("runs/small")).remove(0);
    let mut stopped_at = 0;
    for (array, part) in [(1, "the next job of the chain resumes it"), (2, "RequeueExit=75")] {
        let said = time_runs_out(task(dir.path(), &path, array, 0), &cell, &mut stopped_at, 75);
        assert!(said.contains(part), "{said}");
    }
}
