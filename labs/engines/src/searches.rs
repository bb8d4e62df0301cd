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
