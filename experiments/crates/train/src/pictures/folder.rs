//! The pictures in a cell's folder: `pictures/<map>/step-<step>.png`.

use super::Picture;
use crate::sinks::Sink;
use dataset::bounded;
use records::atomic;
use records::folder::entries;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub const DIR: &str = "pictures";

const BEGIN: &str = "step-";
const END: &str = ".png";

#[derive(Debug)]
pub struct PictureFolder {
    dir: PathBuf,
}

impl PictureFolder {
    pub fn of(cell: &Path) -> Self {
        Self { dir: cell.join(DIR) }
    }
}

impl Sink for PictureFolder {
    fn picture(&mut self, picture: &Picture) -> io::Result<()> {
        let dir = self.dir.join(&picture.map);
        fs::create_dir_all(&dir)?;
        atomic::replace(&dir.join(format!("{BEGIN}{:010}{END}", picture.step)), &picture.png)
    }
}

/// The pictures of a cell by step and map; empty if the folder is missing. Other files are skipped.
pub fn read(cell: &Path) -> io::Result<Vec<Picture>> {
    let mut pictures = Vec::new();
    collect(&cell.join(DIR), "", &mut pictures)?;
    pictures.sort_by(|a, b| (a.step, &a.map).cmp(&(b.step, &b.map)));
    Ok(pictures)
}

fn collect(dir: &Path, map: &str, pictures: &mut Vec<Picture>) -> io::Result<()> {
    for entry in entries(dir)? {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let below = if map.is_empty() { name } else { format!("{map}/{name}") };
            collect(&entry.path(), &below, pictures)?;
        } else if let Some(step) = step(&name) {
            pictures.push(Picture { map: map.to_owned(), step, png: bounded::read(&entry.path(), bounded::TEXT)? });
        }
    }
    Ok(())
}

fn step(name: &str) -> Option<u64> {
    name.strip_prefix(BEGIN)?.strip_suffix(END)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_in_order() {
        let cell = tempfile::tempdir().expect("a folder");
        assert_eq!(read(cell.path()).expect("no pictures"), []);
        let picture = |map: &str, step| Picture { map: map.to_owned(), step, png: vec![1, step as u8] };
        let mut sink = PictureFolder::of(cell.path());
        for written in [picture("attention/layer-00", 7), picture("embed", 7), picture("attention/layer-00", 0)] {
            sink.picture(&written).expect("written");
        }
        sink.picture(&picture("embed", 7)).expect("written again");
        fs::write(cell.path().join(DIR).join("notes.txt"), "mine").expect("written");
        let expected = [picture("attention/layer-00", 0), picture("attention/layer-00", 7), picture("embed", 7)];
        assert_eq!(read(cell.path()).expect("pictures"), expected);
    }
}
