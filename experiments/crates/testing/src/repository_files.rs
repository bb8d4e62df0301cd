//! The experiment files of the repository.

use std::path::{Path, PathBuf};

/// The workspace's folder `experiments`, with the quickstart on top.
pub fn experiments_folder() -> &'static Path {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("quickstart.yaml").is_file()).expect("the crate lies below the experiments")
}

pub fn root() -> &'static Path {
    experiments_folder().parent().expect("the experiments lie in the project")
}

/// Every experiment file, on top or in a folder of its subject, sorted by its path.
pub fn experiment_files() -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let papers = entries(&experiments_folder().join("papers")).into_iter().filter(|path| path.is_dir());
    let folders = papers.chain([experiments_folder().to_owned(), experiments_folder().join("studies")]);
    let files = folders.flat_map(|folder| entries(&folder));
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    files
}
