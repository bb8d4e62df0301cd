//! Pictures of encodings: in the cell's folder and in its event files, without an effect on training.

use crate::tensorboard::{ask_tensorboard, event_files};
use config::{EvalConfig, Pictures, RunConfig, identity};
use encodings::MapKind;
use games::GameKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use testing::{Bench, assert_same_bits, encoding, train};
use train::events::repair;
use train::pictures::{Picture, folder};
use train::sinks::tensorboard::{BLOB_SEQUENCE, IMAGES_PLUGIN, Image, read_images};

const STACK: [&str; 2] = ["absolute: {at: every_layer}", "relative_bias: {share: pair}"];

fn drawn(run: &RunConfig, pictures: Pictures) -> RunConfig {
    RunConfig {
        encoding: STACK.map(encoding).to_vec(),
        eval: EvalConfig { pictures, ..run.eval.clone() },
        ..run.clone()
    }
}

fn every(steps: u64) -> Pictures {
    Pictures::Every(steps.try_into().expect("not 0"))
}

/// The pictures that TensorBoard shows in a run apart from the cell's curves.
fn images(cell: &Path) -> Vec<Image> {
    assert_eq!(read_images(cell).expect("event files that can be read"), []);
    let apart = cell.join(folder::DIR);
    if apart.is_dir() { read_images(&apart).expect("event files that can be read") } else { Vec::new() }
}

fn places(images: &[Image]) -> Vec<(&str, i64)> {
    images.iter().map(|image| (&image.tag[..], image.step)).collect()
}

const TAGS: [&str; 3] = ["encoding/attend/layer-00", "encoding/logits/layer-00", "encoding/attention/layer-00"];

fn of_steps(steps: &[i64]) -> Vec<(&'static str, i64)> {
    steps.iter().flat_map(|&step| TAGS.map(|tag| (tag, step))).collect()
}

#[test]
fn pictures_are_drawn_at_both_ends_and_change_no_bit() {
    let bench = Bench::new();
    let [with, without] = [Pictures::Ends, Pictures::None].map(|pictures| drawn(&bench.run(12), pictures));
    assert_eq!(identity::hash(&with, "content"), identity::hash(&without, "content"));
    let [with, without] = [("with", &with), ("without", &without)].map(|(name, run)| bench.trained(name, run));
    assert_same_bits(&with, &without);
    assert!(folder::read(&without).expect("no folder").is_empty() && images(&without).is_empty());

    let shown = images(&with);
    assert_eq!(places(&shown), of_steps(&[0, 12]));
    let mut files = folder::read(&with).expect("pictures");
    assert_eq!(files.len(), shown.len());
    files.sort_by_key(|file| (file.step, TAGS.iter().position(|tag| tag.ends_with(&file.map))));
    for (image, file) in shown.iter().zip(&files) {
        assert_eq!((&image.tag[..], image.step as u64), (&format!("encoding/{}", file.map)[..], file.step));
        assert_eq!(image.png, file.png);
        assert!(image.description.contains("small board"), "{image:?}");
        assert_eq!((&image.plugin[..], image.data_class), (IMAGES_PLUGIN, BLOB_SEQUENCE));
    }
    // Tables start at zero, and so do their first pictures.
    let zeros = vec![0.0; GameKind::Chess.geometry().squares().pow(2)];
    for (kind, first, last) in [(MapKind::Attend, 0, 3), (MapKind::Logits, 1, 4)] {
        let neutral = Picture::draw(GameKind::Chess, (kind, Some(0)), 0, &zeros).expect("a picture");
        assert_eq!((&shown[first].png, shown[first].size), (&neutral.png, [512, 538]));
        assert_ne!(shown[last].png, neutral.png);
    }
}

#[test]
fn after_a_crash_every_picture_is_there_once() {
    let bench = Bench::new();
    let run = drawn(&bench.run(29), every(7));
    let crashed = bench.crashed_of("crashed", &run, 28);
    assert_eq!(places(&images(&crashed)), of_steps(&[0, 7, 14, 21]));
    train(&crashed).expect("it resumes");
    assert_eq!(places(&images(&crashed)), of_steps(&[0, 7, 14, 21, 28, 29]));
    assert!(!repair(&crashed).expect("whole"), "what is whole is left alone");

    let before = images(&crashed);
    for dir in [&crashed, &crashed.join(folder::DIR)] {
        event_files(dir).into_iter().for_each(|path| fs::remove_file(path).expect("removed"));
    }
    assert!(repair(&crashed).expect("rebuilt"));
    let mut again = images(&crashed);
    again.sort_by_key(|image| (image.step, TAGS.iter().position(|tag| *tag == image.tag)));
    assert_eq!(again, before);
    assert!(!repair(&crashed).expect("whole"));
    fs::remove_dir_all(crashed.join(folder::DIR).join("attention")).expect("removed");
    assert!(repair(&crashed).expect("rebuilt"), "pictures that are gone are shown no longer");
    assert_eq!(images(&crashed).len(), 2 * 6);
}

#[test]
fn tensorboard_itself_reads_the_pictures() {
    const PYTHON: &str = "
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={'images': 0})
events.Reload()
for tag in events.Tags()['images']:
    for image in events.Images(tag):
        print(tag, image.step, image.width, image.height, image.encoded_image_string.hex())
";
    let bench = Bench::new();
    let run = drawn(&bench.run(29), every(7));
    let dir = bench.crashed_of("crashed", &run, 28);
    train(&dir).expect("it resumes");
    let Some(said) = ask_tensorboard(PYTHON, &dir.join(folder::DIR)) else { return };
    let said: BTreeSet<String> = said.lines().map(str::to_owned).collect();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let expected = images(&dir);
    assert_eq!(expected.len(), 18);
    let line = |image: &Image| {
        let [width, height] = image.size;
        format!("{} {} {width} {height} {}", image.tag, image.step, hex(&image.png))
    };
    assert_eq!(said, expected.iter().map(line).collect());
}
