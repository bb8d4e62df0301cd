//! Many questions to several engines of one kind.

use crate::engine::{Engine, EngineError, EngineSettings};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The answers to `questions`, in their order, from `processes` engines at a time.
pub(super) fn answers<Q: Sync, A: Send>(
    engine: &EngineSettings,
    processes: usize,
    questions: &[Q],
    ask: impl Fn(&mut Engine, &Q) -> Result<A, EngineError> + Sync,
) -> Result<Vec<A>, EngineError> {
    let next = Mutex::new(questions.iter().enumerate());
    let found = Mutex::new(BTreeMap::new());
    // After a failure there are no more questions: nobody gets the answers.
    let stop =
        |_: &EngineError| *next.lock().unwrap_or_else(PoisonError::into_inner) = questions[..0].iter().enumerate();
    let work = || -> Result<(), EngineError> {
        let mut engine = Engine::start(engine).inspect_err(stop)?;
        loop {
            let question = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((place, question)) = question else { return Ok(()) };
            let answer = ask(&mut engine, question).inspect_err(stop)?;
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(place, answer);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..processes.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("workers do not panic"))
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameKind;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn a_failure_ends_the_questions_of_all_engines() {
        let dir = tempfile::tempdir().expect("a folder");
        let program = dir.path().join("engine");
        fs::write(
            &program,
            "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok ;; isready) echo readyok ;; esac; done\n",
        )
        .expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        let settings = EngineSettings::new(program, GameKind::Chess, 1, Duration::from_secs(60));
        let asked = AtomicUsize::new(0);
        let ask = |_: &mut Engine, question: &usize| {
            asked.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(1));
            let failed = EngineError::Ended { engine: String::new(), task: "answer", last_output: String::new() };
            if *question == 0 { Err(failed) } else { Ok(()) }
        };
        let questions: Vec<usize> = (0..100_000).collect();
        answers(&settings, 2, &questions, ask).expect_err("an engine failed");
        assert!(asked.into_inner() < questions.len());
    }
}
