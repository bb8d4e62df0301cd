//! `data` with options: a cell gets the rating buckets and the value targets that its experiment names.

use config::RunConfig;
use dataset::value::short_term;
use dataset::{Manifest, Split, evaluation_batches};
use std::collections::BTreeMap;
use tempfile::TempDir;
use testing::{EXPERIMENT, load_in, rated};
use train::Setup;

#[test]
fn a_cell_gets_what_its_experiment_asked_for() {
    let folder = TempDir::new().expect("a temporary folder");
    let dir = rated(folder.path());
    let data = "data: {path: rated, bucket: [1500-2000, 2000-up], value: {short_term: {decay: 0.5}}}";
    let experiment =
        EXPERIMENT.replace("data: {chess: chess, shogi: shogi}", data).replace("game: [chess, shogi]", "game: [chess]");
    let asked = load_in(folder.path(), &experiment, &[]).expect("an experiment").rows.remove(0);
    let text = asked.run.to_yaml().expect("YAML");
    assert_eq!(RunConfig::from_yaml(&text).expect("its own text"), asked.run);
    let cell = TempDir::new().expect("a temporary folder");
    std::fs::write(cell.path().join("config.yaml"), text).expect("a file");
    let setup = Setup::load(cell.path(), tch::Device::Cpu, 1, false).expect("it can be used");
    assert_eq!(setup.dataset.positions(Split::Train), asked.data.train_positions);
    assert_eq!(setup.dataset.positions(Split::Test), asked.data.test_positions);

    let manifest = Manifest::read(&dir).expect("a dataset");
    let rows = manifest.rows(&dir).map(|row| row.expect("a good shard"));
    let rows: BTreeMap<u32, _> = rows.map(|row| (row.id, row)).collect();
    let batches = evaluation_batches(&setup.dataset, Split::Test, asked.run.input, 64, 2_000).expect("test games");
    let mut known = 0;
    for batch in batches.map(|batch| batch.expect("good games")) {
        for i in 0..batch.size {
            let row = &rows[&batch.game[i]];
            assert!(["1500-2000", "2000-up"].contains(&row.rating_bucket.as_deref().expect("rated")));
            let stored: Vec<f32> = row.value.iter().map(|value| value.unwrap_or(f32::NAN)).collect();
            let expected = short_term(&stored, 0.5)[usize::from(batch.ply[i])];
            assert_eq!(batch.value[i].to_bits(), expected.to_bits());
            known += usize::from(!expected.is_nan());
        }
    }
    assert!(known > 100, "{known}");
}
