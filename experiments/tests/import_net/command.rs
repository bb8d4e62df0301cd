//! `posenc data import-net` as people call it.

use crate::built::{FORMAT, oldest};
use crate::wire::file;
use std::fs;
use std::process::Command;

#[test]
fn the_command_makes_a_cell_and_overwrites_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let (net, out) = (dir.path().join("net.pb"), dir.path().join("runs/net/seed-0"));
    fs::create_dir_all(out.parent().expect("a parent")).expect("folders");
    fs::write(&net, file(FORMAT, &oldest())).expect("written");
    let import = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posenc"));
        command.args(["data", "import-net"]).arg(&net).arg("--out").arg(&out);
        command.output().expect("it starts")
    };
    let made = import();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(String::from_utf8_lossy(&made.stdout).contains(r#"{"resnet":{"blocks":2,"channels":2"#));
    let config = fs::read_to_string(out.join("config.yaml")).expect("config.yaml");
    assert!(config.contains("imported:\n  file: net.pb\n  blake3: "), "{config}");
    assert!(out.join("checkpoints/final.safetensors").is_file());
    let again = import();
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists already"));
    fs::write(&net, "no network").expect("written");
    fs::remove_dir_all(&out).expect("removed");
    let refused = import();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(1) && said.contains("net.pb is not imported"), "{said}");
    assert!(!out.exists());
}
