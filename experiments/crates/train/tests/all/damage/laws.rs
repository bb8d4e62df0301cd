//! What holds of the reader of weights, whatever bytes it gets; a law panics where it is broken.

use super::counts::Counts;
use nn::{Init, Layout, LayoutBuilder};
use records::folder::{CHECKPOINTS, FINAL};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use train::checkpoint::{load_final, save_final};

thread_local! {
    /// The folder for this thread's files.
    static FOLDER: TempDir = tempfile::tempdir().expect("a temporary folder");
}

fn folder() -> PathBuf {
    FOLDER.with(|folder| folder.path().to_owned())
}

fn layout() -> Layout {
    let mut builder = LayoutBuilder::default();
    let mut body = builder.scope("body", nn::Part::Trunk);
    body.matrix("weight", &[4, 6], Init::ONES);
    body.f32_param("bias", &[6], Init::ZEROS);
    builder.scope("head", nn::Part::Head).matrix("weight", &[6, 2], Init::ONES);
    builder.finish().expect("a layout")
}

/// The bytes of a good file for [`weights`].
pub fn good_weights() -> Vec<u8> {
    let (cell, layout) = (folder(), layout());
    let values: Vec<f32> = (0..layout.len()).map(|i| i as f32).collect();
    fs::read(save_final(&cell, &layout, &values).expect("saved")).expect("a file")
}

/// `final.safetensors`: as many weights as the network has.
pub fn weights(bytes: &[u8]) -> Counts {
    let (cell, layout) = (folder(), layout());
    let dir = cell.join(CHECKPOINTS);
    fs::create_dir_all(&dir).expect("a folder");
    fs::write(dir.join(FINAL), bytes).expect("written");
    Counts::of(load_final(&cell, &layout), |weights| assert_eq!(weights.len(), layout.len()))
}
