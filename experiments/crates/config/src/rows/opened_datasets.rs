//! The datasets of an experiment: opened, checked and counted. An unusable one is refused here.

use super::expand::Combination;
use crate::checks::targets::Contents;
use crate::settings::data::{DataEntry, DataFolders, DataView, Generate};
use crate::yaml::source::ConfigError;
use crate::yaml::tree::Node;
use dataset::{
    Dataset, DatasetError, Manifest, MapInfo, PerSplit, Split, Targets, TestSet, ValueTarget, bounded, store,
};
use games::GameKind;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The datasets of an experiment, opened once each, and the hashes of files that its rows start with.
#[derive(Debug)]
pub(crate) struct Datasets {
    by_game: BTreeMap<GameKind, OpenedData>,
    hashes: RefCell<BTreeMap<PathBuf, String>>,
}

/// A usable dataset, and the part of it that is used.
#[derive(Debug)]
pub(crate) struct OpenedData {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) view: DataView,
    /// Positions of each split that are used.
    pub(crate) positions: PerSplit<u64>,
    pub(crate) contents: Contents,
    /// The dataset of the test games, if it is another one.
    pub(crate) test: Option<OpenedTest>,
    /// Where its positions come from if it has no folder.
    pub(crate) generate: Option<Generate>,
    /// Its games, where they were read.
    dataset: OnceLock<Dataset>,
}

/// A usable dataset to test on.
#[derive(Debug)]
pub(crate) struct OpenedTest {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) contents: Contents,
    pub(crate) set: TestSet,
}

impl OpenedData {
    /// Training rows of a pass through the games of these rating buckets, or through all games: positions, or for sequences of
    /// several plies all plies with their padding.
    pub(crate) fn rows(&self, buckets: &[String], plies: usize) -> Result<u64, DatasetError> {
        if self.generate.is_some() || (buckets.is_empty() && plies == 1) {
            return Ok(self.positions.train);
        }
        if plies == 1 && self.test.is_none() {
            return store::positions_of(&self.folder, &self.manifest, buckets).map(|positions| positions[Split::Train]);
        }
        let dataset = self.dataset()?;
        Ok(match buckets {
            [] => dataset.rows_in(Split::Train, plies),
            some => dataset.training_part(some).rows_in(Split::Train, plies),
        })
    }

    fn dataset(&self) -> Result<&Dataset, DatasetError> {
        if let Some(read) = self.dataset.get() {
            return Ok(read);
        }
        let dataset = self.load()?;
        Ok(self.dataset.get_or_init(|| dataset))
    }

    fn load(&self) -> Result<Dataset, DatasetError> {
        let mut dataset = Dataset::load(&self.folder, stored(&self.manifest, &self.view))?;
        if !self.view.bucket.is_empty() {
            dataset.restrict(&self.view.bucket)?;
        }
        Ok(dataset)
    }
}

impl Datasets {
    /// Reads the manifests of the games that the rows play, and checks their shards.
    pub(crate) fn open(rows: &[Combination]) -> Result<Self, ConfigError> {
        let first_rows: BTreeMap<GameKind, &Combination> = rows.iter().rev().map(|row| (row.run.game, row)).collect();
        let games: Vec<&str> = first_rows.keys().map(|game| game.name()).collect();
        let is_one = |row: &&Combination| matches!(row.run.data, DataFolders::One(_));
        if let ([first, second, ..], Some(row)) = (&games[..], rows.first().filter(is_one)) {
            let message = format!("`base.data` is one folder, but {first} and {second} are played");
            let remedy = format!("name a folder for each: data: {{{first}: …, {second}: …}}");
            return Err(row.node(&["data"]).origin.error(message).help(remedy));
        }
        let open = |(game, row): (GameKind, &Combination)| Ok((game, open_one(row, game)?));
        let by_game = first_rows.into_iter().map(open).collect::<Result<_, ConfigError>>()?;
        Ok(Self { by_game, hashes: RefCell::default() })
    }

    pub(crate) fn of(&self, game: GameKind) -> &OpenedData {
        &self.by_game[&game]
    }

    /// BLAKE3 of a file of weights, which is read once for all rows.
    pub(crate) fn hash_of(&self, file: &Path) -> io::Result<String> {
        let mut hashes = self.hashes.borrow_mut();
        if let Some(known) = hashes.get(file) {
            return Ok(known.clone());
        }
        let hash = blake3::hash(&bounded::read(file, bounded::WEIGHTS)?).to_hex().to_string();
        hashes.insert(file.to_owned(), hash.clone());
        Ok(hash)
    }
}

fn open_one(row: &Combination, game: GameKind) -> Result<OpenedData, ConfigError> {
    let all = row.node(&["data"]);
    let Some(DataEntry { path: written, generate, test, view }) = row.run.data.of(game) else {
        let message = format!("`base.data` names no dataset for {}", game.name());
        return Err(all.origin.error(message).help(format!("add `{}: <folder>`", game.name())));
    };
    let node = all.get(&[game.name()]).unwrap_or(all);
    if let Some(generate) = generate {
        return generated(generate, row, game, node);
    }
    let (folder, manifest) = named(node, if test.is_some() { "train" } else { "path" }, written, game)?;
    let splits: &[Split] = if test.is_some() { &[Split::Train, Split::Validation] } else { &Split::ALL };
    let opened = viewed(folder, manifest, view.clone(), splits, node)?;
    match test {
        None => Ok(opened),
        Some(written) => {
            let (folder, manifest) = named(node, "test", written, game)?;
            tested_on(opened, view.value, folder, manifest, node)
        }
    }
}

/// Positions without end. Those of validation and test are made to be counted, as every cell makes them.
fn generated(generate: &Generate, row: &Combination, game: GameKind, node: &Node) -> Result<OpenedData, ConfigError> {
    let origin = &node.nearest(&["generate"]).origin;
    if generate.game != game {
        let error =
            origin.refused(format!("it makes positions of {}, but {} is played", generate.game.name(), game.name()));
        return Err(error.help(format!("write `game: {}`", game.name())));
    }
    let refused = |error: DatasetError| {
        origin.refused(error).help("`posenc data generate probe --help` lists the tasks; `every` is below 120")
    };
    let probe = generate.probe().map_err(refused)?;
    let eval = &row.run.eval;
    let dataset = probe.open(eval.validation_positions as u64, eval.test_positions as u64).map_err(refused)?;
    let [validation, test] = [Split::Validation, Split::Test].map(|split| dataset.positions(split));
    let train = row.run.train.steps.saturating_mul(row.run.train.batch as u64);
    Ok(OpenedData {
        folder: PathBuf::new(),
        manifest: dataset.manifest().clone(),
        view: DataView::default(),
        positions: PerSplit { train, validation, test },
        contents: Contents::generated(dataset.manifest()),
        test: None,
        generate: Some(generate.clone()),
        dataset: OnceLock::new(),
    })
}

/// The folder that is written under a key of a dataset's node, and the manifest of the dataset in it.
fn named(node: &Node, key: &str, written: &Path, game: GameKind) -> Result<(PathBuf, Manifest), ConfigError> {
    let origin = &node.nearest(&[key]).origin;
    let folder = origin.absolute(written)?;
    let with_remedy = |reason: String| {
        let remedy =
            "the path is relative to the experiment file, whose first lines may have the command that makes it";
        origin.refused(reason).help(remedy)
    };
    let manifest = Manifest::read(&folder).map_err(|error| with_remedy(error.to_string()))?;
    if manifest.game != game {
        let (found, name) = (manifest.game.name(), game.name());
        return Err(with_remedy(format!("this is a dataset of {found}, but {name} is to be played")));
    }
    manifest.check_shards(&folder).map_err(|error| with_remedy(error.to_string()))?;
    Ok((folder, manifest))
}

/// Refuses a view of these splits that the dataset does not have, and counts its positions.
fn viewed(
    folder: PathBuf,
    mut manifest: Manifest,
    mut view: DataView,
    splits: &[Split],
    node: &Node,
) -> Result<OpenedData, ConfigError> {
    let refused = |key: &str, reason: String| node.nearest(&[key]).origin.refused(reason);
    let known: Vec<&str> = manifest.rating_buckets.iter().map(|bucket| bucket.name.as_str()).collect();
    if let Some(unknown) = view.bucket.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!("the dataset \"{}\" has no rating bucket \"{unknown}\"", manifest.name);
        let error = refused("bucket", message).valid(known.iter().copied());
        let otherwise = match known[..] {
            [] => "import it with --rating-buckets, or leave `bucket` out",
            _ => "write one of the valid names",
        };
        return Err(error.with_suggestion(unknown, otherwise));
    }
    // One spelling for one set of games.
    view.bucket =
        known.iter().filter(|name| view.bucket.iter().any(|wanted| wanted == *name)).map(|&n| n.into()).collect();
    let targets = Targets { value: view.value, ..Targets::default() };
    targets.check().map_err(|error| refused("value", error.to_string()).help("write a number from 0 to 1"))?;
    has_values(targets, &folder, &manifest, node)?;
    // The stored value is what there is without a word about it.
    view.value = view.value.filter(|&target| target != ValueTarget::Score);
    let positions = match view.bucket.is_empty() {
        true => manifest.split.positions,
        false => store::positions_of(&folder, &manifest, &view.bucket)
            .map_err(|error| refused("bucket", error.to_string()))?,
    };
    if let Some(&split) = splits.iter().find(|&&split| positions[split] == 0) {
        if view.bucket.is_empty() {
            let dataset = manifest.name.clone();
            return Err(refused("path", DatasetError::EmptySplit { dataset, split }.to_string()));
        }
        let error = refused("bucket", format!("these rating buckets hold no {} positions", split.name()));
        return Err(error.help("name more buckets, or import more games"));
    }
    let contents = Contents::of(&folder, &manifest, &view).map_err(|error| node.origin.refused(error))?;
    add_map(&mut manifest, &view, node)?;
    let dataset = OnceLock::new();
    Ok(OpenedData { folder, manifest, view, positions, contents, test: None, generate: None, dataset })
}

/// Names the map that is computed for a view, as if the dataset had it; refused if it has one.
fn add_map(manifest: &mut Manifest, view: &DataView, node: &Node) -> Result<(), ConfigError> {
    let Some(task) = view.map else { return Ok(()) };
    if let Some(own) = &manifest.map {
        let message = format!("the positions of \"{}\" have labels of their own: {}", manifest.name, own.task);
        return Err(node.nearest(&["map"]).origin.refused(message).help("leave `map` out"));
    }
    manifest.map = Some(MapInfo::of(task, manifest.game));
    Ok(())
}

/// The manifest as it is stored, without the computed map of a view.
pub(crate) fn stored(manifest: &Manifest, view: &DataView) -> Manifest {
    let map = if view.map.is_some() { None } else { manifest.map.clone() };
    Manifest { map, ..manifest.clone() }
}

/// Refuses a value target that the dataset does not have.
fn has_values(targets: Targets, folder: &Path, manifest: &Manifest, node: &Node) -> Result<(), ConfigError> {
    let refused = |reason: String| node.nearest(&["value"]).origin.refused(reason);
    for (column, target) in targets.columns() {
        if !store::has_values(folder, manifest, column).map_err(|error| refused(error.to_string()))? {
            let error = refused(DatasetError::NoTarget { dataset: manifest.name.clone(), column, target }.to_string());
            return Err(error.help("leave `value` out, or write `value: result`"));
        }
    }
    Ok(())
}

/// The same dataset with the test games of another one, which has this value target too. Both are read, so that what is
/// left to train on is counted.
fn tested_on(
    own: OpenedData,
    value: Option<ValueTarget>,
    folder: PathBuf,
    mut manifest: Manifest,
    node: &Node,
) -> Result<OpenedData, ConfigError> {
    let origin = &node.nearest(&["test"]).origin;
    let refused = |error: DatasetError| {
        let remedy =
            "the test set is the test split of its dataset: `posenc data import … --test 1` makes one that is all test";
        origin.refused(error).help(remedy)
    };
    has_values(Targets { value, ..Targets::default() }, &folder, &manifest, node)?;
    let contents = Contents::of(&folder, &manifest, &own.view).map_err(refused)?;
    let mut dataset = own.load().map_err(refused)?;
    let other = Dataset::load(&folder, manifest.clone()).map_err(refused)?;
    dataset.set_test(other).map_err(refused)?;
    add_map(&mut manifest, &own.view, node)?;
    let set = dataset.test_set().cloned().expect("it was set");
    let [train, validation, test] = Split::ALL.map(|split| dataset.positions(split));
    let positions = PerSplit { train, validation, test };
    let test = Some(OpenedTest { folder, manifest, contents, set });
    Ok(OpenedData { positions, test, dataset: OnceLock::from(dataset), ..own })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_rows_start_with_is_read_once() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let datasets = Datasets { by_game: BTreeMap::new(), hashes: RefCell::default() };
        let hash = datasets.hash_of(file.path()).expect("a hash");
        std::fs::write(file.path(), "changed").expect("written");
        assert_eq!(datasets.hash_of(file.path()).expect("a hash"), hash);
    }
}
