//! Compiles the shim beside tch, with the headers of the LibTorch that torch-sys found.

use std::path::PathBuf;

const SOURCES: [&str; 5] =
    ["shim/arithmetic.cpp", "shim/differentiable.cpp", "shim/group.cpp", "shim/operators.cpp", "shim/pinned.cpp"];

fn main() {
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-changed=shim/message.h");
    println!("cargo:rerun-if-changed=shim/gloo");
    let libraries = std::env::var_os("DEP_TCH_LIBTORCH_LIB").expect("torch-sys says where LibTorch is");
    let include = PathBuf::from(libraries).with_file_name("include");
    let mut build = cc::Build::new();
    // Debug information of LibTorch's headers would cost a third of the time.
    build.cpp(true).std("c++17").pic(true).warnings(false).debug(false);
    build.include(include.join("torch/csrc/api/include")).include(include);
    // LibTorch's headers then include the operators that they use instead of all.
    build.define("AT_PER_OPERATOR_HEADERS", None);
    // LibTorch's layouts of structures depend on the first, which its release has; the second shows Gloo, of which it brings no
    // header.
    build.define("NDEBUG", None).define("USE_C10D_GLOO", None).include("shim");
    build.files(SOURCES).compile("posenc_shim");
}
