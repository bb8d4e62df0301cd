//! Compiles the shim beside tch, with the headers of the LibTorch that torch-sys found.

use std::path::PathBuf;

const SOURCES: [&str; 4] = ["shim/arithmetic.cpp", "shim/differentiable.cpp", "shim/operators.cpp", "shim/pinned.cpp"];

fn main() {
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    let libraries = std::env::var_os("DEP_TCH_LIBTORCH_LIB").expect("torch-sys says where LibTorch is");
    let include = PathBuf::from(libraries).with_file_name("include");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").pic(true).warnings(false);
    build.include(include.join("torch/csrc/api/include")).include(include);
    build.files(SOURCES).compile("posenc_shim");
}
