//! One cell, undisturbed.

use config::identity::hash;
use config::{Mask, Products, RunConfig, TrainConfig, Weights, metrics};
use models::AverageConfig;
use models::average::SwaConfig;
use nn::Arithmetic;
use records::status::State;
use records::{Manifest, Part};
use std::collections::BTreeSet;
use std::fs;
use testing::{Bench, assert_same_bits, assert_says, encoding, lines, manifest, options, status, train, train_with};
use train::checkpoint::load_final;
use train::setup::declare;
use train::{CellOptions, CellOutcome, TrainError};

#[test]
fn lines_come_when_they_are_due_with_metrics_of_the_registry() {
    let bench = Bench::new();
    let dir = bench.trained("lines", &bench.run(22));
    let lines = lines(&dir);
    let steps = |split| lines.iter().filter(|line| line.split == split).map(|line| line.step).collect::<Vec<_>>();
    assert_eq!(steps(Part::Train), [4, 8, 12, 16, 20, 22]);
    assert_eq!(steps(Part::Validation), [0, 10, 20, 22]);
    assert_eq!(steps(Part::Test), [22]);
    assert_eq!(steps(Part::TrainSample), [22]);
    let last = |part| &lines.iter().rfind(|line| line.split == part).expect("a line").metrics;
    let (sample, test) = (last(Part::TrainSample), last(Part::Test));
    assert_eq!(sample.get("positions.novel"), Some(0.0), "what is trained on is not novel");
    let measured = |metrics: &records::Metrics| -> BTreeSet<String> {
        metrics.iter().map(|(name, _)| name.to_owned()).filter(|name| !name.ends_with(".novel")).collect()
    };
    assert_eq!(measured(sample), measured(test), "a gap can be taken of any metric");
    for line in &lines {
        for (name, value) in line.metrics.iter() {
            assert!(metrics::find(name).is_ok() && value.is_finite(), "{name}: {value}");
        }
    }
    let names: BTreeSet<_> = lines
        .iter()
        .filter(|line| line.split != Part::Train)
        .flat_map(|line| line.metrics.iter())
        .map(|(name, _)| name)
        .collect();
    for name in ["policy_loss", "policy_kl", "policy_top5", "uniform_baseline", "value_accuracy", "policy_loss.novel"] {
        assert!(names.contains(name), "{name} is missing");
    }
    assert!(!names.contains("legal_mass"), "trained with the mask: what it does with illegal moves means nothing");
    let train = &lines.iter().find(|line| line.split == Part::Train).expect("a training line").metrics;
    assert_eq!(train.get("learning_rate"), Some(3e-3), "warm-up is over after three steps");
    let whole: f64 = ["policy_loss", "value_loss"].iter().filter_map(|name| train.get(name)).sum();
    assert!((whole - train.get("loss").expect("a loss")).abs() < 1e-5);
}

#[test]
fn the_share_of_clipped_steps_is_measured_where_there_is_a_clip() {
    let bench = Bench::new();
    let run = bench.run(8);
    let shares = |name: &str, clip: Option<f64>| -> Vec<Option<f64>> {
        let train = TrainConfig { clip, ..run.train.clone() };
        let dir = bench.trained(name, &RunConfig { train, ..run.clone() });
        let lines = lines(&dir).into_iter().filter(|line| line.split == Part::Train);
        lines.map(|line| line.metrics.get("clipped")).collect()
    };
    assert_eq!(shares("always", Some(1e-6)), [Some(1.0), Some(1.0)]);
    assert_eq!(shares("never", Some(1e6)), [Some(0.0), Some(0.0)]);
    assert_eq!(shares("without", None), [None, None]);
}

#[test]
fn buckets_add_up_to_the_whole() {
    let bench = Bench::new();
    let run = bench.run(1);
    let dir =
        bench.trained("buckets", &RunConfig { train: TrainConfig { mask: Mask::Eval, ..run.train.clone() }, ..run });
    let test = lines(&dir).pop().expect("a test line").metrics;
    let of = |name: &str| test.get(name);
    let phases = ["opening", "middlegame", "endgame"];
    let sum = |metric: &str, weight: &str| -> f64 {
        phases
            .iter()
            .filter_map(|phase| Some(of(&format!("{metric}.{phase}"))? * of(&format!("{weight}.{phase}"))?))
            .sum()
    };
    let positions: f64 = phases.iter().filter_map(|phase| of(&format!("positions.{phase}"))).sum();
    assert_eq!(Some(positions), of("positions"));
    let policy = of("policy_loss").expect("a policy loss") * of("policy_targets").expect("targets");
    assert!((sum("policy_loss", "policy_targets") - policy).abs() < 1e-9 * policy);
    let value = of("value_loss").expect("a value loss") * of("value_targets").expect("targets");
    assert!((sum("value_loss", "value_targets") - value).abs() < 1e-9 * value);
    for metric in ["policy_kl", "policy_top5", "policy_accuracy_unmasked", "legal_mass", "uniform_baseline"] {
        let whole = of(metric).expect("a metric") * of("policy_targets").expect("targets");
        assert!((sum(metric, "policy_targets") - whole).abs() < 1e-9 * (1.0 + whole), "{metric}");
    }
    assert_eq!(of("policy_kl"), of("policy_loss"), "the target is one move, whose entropy is 0");
    let mass = of("legal_mass").expect("the mask was for evaluation only");
    assert!(mass > 0.0 && mass < 1.0, "{mass}");
}

#[test]
fn it_learns_its_few_games_by_heart() {
    let bench = Bench::new();
    let mut run = bench.run(250);
    run.encoding = vec![encoding("absolute: {at: input}"), encoding("relative_bias: {share: displacement}")];
    run.train.batch = 32;
    run.train.log_every = 25;
    run.train.checkpoint_every = 1000;
    run.eval.every = 1000;
    let dir = bench.trained("overfit", &run);
    let lines = lines(&dir);
    let train: Vec<_> = lines.iter().filter(|line| line.split == Part::Train).collect();
    let loss = |line: &records::MetricLine| line.metrics.get("policy_loss").expect("a policy loss");
    let (first, last) = (loss(train[0]), loss(train[train.len() - 1]));
    let baseline = lines[0].metrics.get("uniform_baseline").expect("a baseline");
    assert!(last < first - 0.5, "from {first} to {last}");
    assert!(last < baseline - 0.5, "{last}, where a uniform choice has {baseline}");
}

#[test]
fn a_finished_cell_is_left_alone() {
    let bench = Bench::new();
    let dir = bench.trained("done", &bench.run(2));
    let before = fs::read(dir.join("metrics.jsonl")).expect("metrics");
    assert_eq!(train(&dir).expect("no error"), CellOutcome::AlreadyDone);
    assert_eq!(fs::read(dir.join("metrics.jsonl")).expect("metrics"), before);
}

#[test]
fn a_smoke_run_is_short_and_says_so() {
    let bench = Bench::new();
    let mut run = bench.run(1_000_000);
    run.train.averaging = Some(AverageConfig::Swa(SwaConfig::default()));
    let dir = bench.cell("smoke", &run);
    let (outcome, _) = train_with(&dir, &CellOptions { smoke: true, ..options() });
    assert_eq!(outcome.expect("it trains"), CellOutcome::Done);
    assert!(status(&dir).steps < 10);
    assert!(manifest(&dir).smoke);
    for weights in [Weights::Raw, Weights::Averaged] {
        assert!(lines(&dir).iter().any(|line| line.split == Part::Test && line.weights == weights), "{weights:?}");
    }
}

#[test]
fn a_loss_that_is_not_finite_ends_the_cell_with_its_step_and_a_remedy() {
    let bench = Bench::new();
    let mut run = bench.run(20);
    run.train.learning_rate = models::Schedule::new(0, vec![1e30], Vec::new()).expect("a schedule");
    run.train.clip = None;
    let dir = bench.cell("nan", &run);
    let error = train(&dir).expect_err("such a rate cannot go well");
    assert!(matches!(error, TrainError::NotFinite { .. }), "{error}");
    let status = status(&dir);
    assert_eq!((status.state, status.resumable), (State::Failed, false));
    let message = status.error.expect("a cause");
    assert!(message.contains("not finite") && message.contains("learning rate"), "{message}");
}

#[test]
fn what_cannot_be_begun_says_why() {
    let bench = Bench::new();
    let run = bench.run(2);
    let missing = bench.cell("missing", &RunConfig { data: bench.path().join("nowhere"), ..run.clone() });
    assert!(train(&missing).expect_err("no dataset").to_string().contains("nowhere"));
    assert_eq!(status(&missing).state, State::Failed);
    let shogi = bench.cell("shogi", &RunConfig { game: games::GameKind::Shogi, ..run });
    let message = train(&shogi).expect_err("another game").to_string();
    assert!(message.contains("is of chess") && message.contains("shogi"), "{message}");
    let empty = bench.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    assert!(train(&empty).expect_err("no configuration").to_string().contains("config.yaml"));
}

#[test]
fn a_cell_whose_dataset_changed_after_planning_is_refused_unless_forced() {
    let bench = Bench::new();
    let run = bench.run(4);
    let planned = |name: &str, hash: &str| {
        let dir = bench.path().join(format!("runs/{name}/row-{hash}/seed-1"));
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("config.yaml"), run.to_yaml().expect("YAML")).expect("written");
        dir
    };
    let own = hash(&run, &dataset::Manifest::read(&run.data).expect("a dataset").identity());
    assert_eq!(train(&planned("same", &own)).expect("it is as planned"), CellOutcome::Done);

    let other = hash(&run, "another content");
    let dir = planned("other", &other);
    let message = train(&dir).expect_err("another dataset").to_string();
    let changed = format!("was planned as {other}, and the cell is {own} now");
    assert_says(&message, &[&changed[..], "the content of its dataset changed"]);
    assert_eq!(status(&dir).state, State::Failed);
    let with = |name: &str, options: CellOptions| {
        let dir = planned(name, &other);
        assert_eq!(train_with(&dir, &options).0.expect(name), CellOutcome::Done);
        manifest(&dir).sessions.remove(0).forced
    };
    assert!(with("smoke", CellOptions { smoke: true, ..options() }).is_empty(), "it is shortened");
    let forced = with("other", CellOptions { force: true, ..options() });
    assert_eq!(forced, [format!("configuration or dataset: planned as {other}, now {own}")]);
}

#[test]
fn a_manifest_describes_the_cell_its_conditions_and_its_outcome() {
    let bench = Bench::new();
    let run = bench.run(12);
    let dir = bench.trained("manifest", &run);
    let manifest = manifest(&dir);
    let (network, layout) = declare(&run).expect("declared");
    assert_eq!((&manifest.experiment[..], &manifest.label[..], &manifest.hash[..]), ("test", "manifest", "unplanned"));
    assert_eq!(manifest.parameters.trunk + manifest.parameters.encoding + manifest.parameters.head, layout.total());
    assert!(manifest.parameters.encoding > 0);
    assert_eq!(manifest.injection_points, network.injection_points().names());
    assert!(manifest.position_sources.iter().any(|source| source.contains("mask")));
    assert_eq!(manifest.identity.threads, 1);
    assert_eq!(manifest.config, run.to_json());
    assert_eq!(manifest.sessions.len(), 1);
    let weights = load_final(&dir, &layout).expect("final weights");
    assert_eq!(weights.len(), layout.len());
    assert_eq!(fs::read_dir(dir.join("checkpoints")).expect("a folder").count(), 1, "only the final weights stay");

    let seeds = manifest.seeds.expect("seeds");
    assert_eq!((seeds.data_order, seeds.parameters, seeds.twin), (1, 1, false));
    let determinism = manifest.determinism.expect("determinism");
    assert!(determinism.same_bits && manifest.gpu.is_none());
    assert!(manifest.sessions.iter().all(|session| session.gpu.is_none()));
    assert_eq!(manifest.identity.device, "cpu");
    assert_eq!((determinism.intra_op_threads, determinism.inter_op_threads), (1, 1));
    let finish = manifest.finish.expect("it is done");
    let expected = 12.0 * 8.0 / finish.wall_s;
    assert!((finish.positions_per_s - expected).abs() < 1e-9 * expected, "{finish:?}");
    assert_eq!(Some(&finish.weights), status(&dir).result.as_ref().map(|result| &result.weights));
    let bytes = std::fs::read(dir.join("checkpoints/final.safetensors")).expect("weights");
    assert_eq!(finish.files, [("final.safetensors".to_owned(), blake3::hash(&bytes).to_hex().to_string())]);
    // Manifests of older versions lack these keys.
    let mut old: serde_json::Value = serde_json::to_value(Manifest::read(&dir).expect("readable")).expect("JSON");
    for key in ["gpu", "seeds", "determinism", "finish"] {
        old.as_object_mut().expect("a map").remove(key);
    }
    assert!(serde_json::from_value::<Manifest>(old).expect("readable").finish.is_none());
}

#[test]
fn switches_of_gpus_change_nothing_on_a_cpu_and_the_log_says_so() {
    let bench = Bench::new();
    let usual = bench.run(12);
    assert_eq!(usual.train.arithmetic(), Arithmetic { tf32: false, deterministic: false });
    let train = TrainConfig { products: Products::Tf32, deterministic: true, ..usual.train.clone() };
    assert_eq!(train.arithmetic(), Arithmetic { tf32: true, deterministic: true });
    let dir = bench.cell("switches", &RunConfig { train, ..usual.clone() });
    let (outcome, notes) = train_with(&dir, &options());
    assert_eq!(outcome.expect("it trains"), CellOutcome::Done);
    assert!(notes.iter().any(|note| note.contains("train.products changes nothing on a CPU")), "{notes:?}");
    assert_same_bits(&dir, &bench.trained("usual", &usual));
}
