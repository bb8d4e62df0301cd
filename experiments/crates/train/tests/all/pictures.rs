//! Pictures of encodings: in the cell's folder and in its event files, without an effect on training.

use crate::tensorboard::ask_tensorboard;
use config::{EvalConfig, Pictures, RunConfig, identity};
use encodings::MapKind;
use games::GameKind;
use protobuf::Message as _;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tensorboard_proto::summary::Summary_Value;
use testing::{Bench, assert_same_bits, encoding, event_files, events, train};
use train::events::repair;
use train::pictures::{Picture, folder};

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

/// The pictures that TensorBoard shows in a run apart from the cell's curves, each after its step.
fn images(cell: &Path) -> Vec<(i64, Summary_Value)> {
    assert!(events(cell).images.is_empty());
    let apart = cell.join(folder::DIR);
    if apart.is_dir() { events(&apart).images } else { Vec::new() }
}

fn places(images: &[(i64, Summary_Value)]) -> Vec<(&str, i64)> {
    images.iter().map(|(step, image)| (image.get_tag(), *step)).collect()
}

fn size(image: &Summary_Value) -> [i32; 2] {
    [image.get_image().get_width(), image.get_image().get_height()]
}

const TAGS: [&str; 3] = ["encoding/attend/layer-00", "encoding/attention/layer-00", "encoding/logits/layer-00"];

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
    let files = folder::read(&with).expect("pictures");
    assert_eq!(files.len(), shown.len());
    for ((step, image), file) in shown.iter().zip(&files) {
        assert_eq!((image.get_tag(), *step as u64), (&format!("encoding/{}", file.map)[..], file.step));
        assert_eq!(image.get_image().get_encoded_image_string(), file.png);
        let metadata = image.get_metadata();
        assert!(metadata.get_summary_description().contains("small board"), "{image:?}");
        assert_eq!(metadata.get_plugin_data().get_plugin_name(), "images");
        // The data class of pictures.
        assert_eq!(metadata.get_unknown_fields().get(4).expect("a data class").varint, [3]);
    }
    // Tables start at zero, and so do their first pictures.
    let zeros = vec![0.0; GameKind::Chess.geometry().squares().pow(2)];
    for (kind, first, last) in [(MapKind::Attend, 0, 3), (MapKind::Logits, 2, 5)] {
        let neutral = Picture::draw(GameKind::Chess, (kind, Some(0)), 0, &zeros).expect("a picture");
        let [(_, first), (_, last)] = [first, last].map(|place: usize| &shown[place]);
        assert_eq!((first.get_image().get_encoded_image_string(), size(first)), (&neutral.png[..], [512, 538]));
        assert_ne!(last.get_image().get_encoded_image_string(), neutral.png);
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
    assert_eq!(images(&crashed), before);
    assert!(!repair(&crashed).expect("whole"));
    fs::remove_dir_all(crashed.join(folder::DIR).join("attention")).expect("removed");
    assert!(repair(&crashed).expect("rebuilt"), "pictures that are gone are shown no longer");
    assert_eq!(images(&crashed).len(), 2 * 6);
    fs::write(crashed.join(folder::DIR).join("attend/layer-00/step-0000000007.png"), "torn").expect("written");
    assert!(repair(&crashed).expect("rebuilt"), "what is no picture is left out");
    assert_eq!(images(&crashed).len(), 2 * 6 - 1);
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
    let line = |(step, image): &(i64, Summary_Value)| {
        let ([width, height], png) = (size(image), image.get_image().get_encoded_image_string());
        format!("{} {step} {width} {height} {}", image.get_tag(), hex(png))
    };
    assert_eq!(said, expected.iter().map(line).collect());
}
