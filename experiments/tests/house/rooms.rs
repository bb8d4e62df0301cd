//! The table of the rooms: who may import whom. `docs/architecture.md` explains it; this file is what counts.

/// One crate of the workspace and what it may import.
pub(crate) struct Room {
    /// The crate.
    pub(crate) name: &'static str,
    /// Crates of the workspace it may import.
    pub(crate) may_import: &'static [&'static str],
    /// Modules of the standard library it never names, because another room has that concern.
    pub(crate) never_std: &'static [&'static str],
}

/// The crate without code on which every other one depends: it asks for the features of libraries that several crates
/// share, so that cargo builds each library once. The rules for libraries do not apply to it.
pub(crate) const ONE_BUILD: &str = "one-build";

/// The rooms, from the leaves up.
pub(crate) const ROOMS: [Room; 26] = [
    Room { name: ONE_BUILD, may_import: &[], never_std: &["fs", "net", "time"] },
    Room { name: "streams", may_import: &[], never_std: &["fs", "net", "time"] },
    Room { name: "games", may_import: &[], never_std: &["net", "time"] },
    Room { name: "facts", may_import: &["games"], never_std: &["fs", "net", "time"] },
    Room { name: "dataset", may_import: &["games", "streams"], never_std: &["net"] },
    Room { name: "baselines", may_import: &["dataset", "games"], never_std: &["net", "time"] },
    Room { name: "generate", may_import: &["dataset", "games", "streams"], never_std: &["net"] },
    Room { name: "kernels", may_import: &[], never_std: &["fs", "net", "time"] },
    Room { name: "nn", may_import: &["kernels", "streams"], never_std: &["net", "time"] },
    Room { name: "encodings", may_import: &["games", "nn", "streams"], never_std: &["fs", "net", "time"] },
    Room { name: "figures", may_import: &["games", "strength"], never_std: &["fs", "net", "time"] },
    Room { name: "models", may_import: &["encodings", "facts", "games", "nn"], never_std: &["fs", "net", "time"] },
    Room {
        name: "config",
        may_import: &["dataset", "encodings", "facts", "games", "models", "nn", "streams"],
        never_std: &["net"],
    },
    Room { name: "records", may_import: &["dataset", "facts", "games"], never_std: &["net"] },
    Room {
        name: "train",
        may_import: &["dataset", "encodings", "figures", "games", "models", "nn", "records", "config", "streams"],
        never_std: &["net"],
    },
    Room { name: "strength", may_import: &[], never_std: &["fs", "net", "time"] },
    Room { name: "grid", may_import: &["baselines", "records", "config", "train"], never_std: &["net"] },
    Room {
        name: "report",
        may_import: &["dataset", "facts", "figures", "games", "records", "streams", "strength"],
        never_std: &["net"],
    },
    Room { name: "engines", may_import: &["dataset", "games", "streams"], never_std: &["net"] },
    Room {
        name: "inspect",
        may_import: &[
            "dataset",
            "encodings",
            "figures",
            "games",
            "models",
            "nn",
            "records",
            "report",
            "config",
            "streams",
            "train",
        ],
        never_std: &["net"],
    },
    Room {
        name: "lc0",
        may_import: &["encodings", "games", "models", "nn", "records", "config", "train"],
        never_std: &["net"],
    },
    Room {
        name: "play",
        may_import: &["dataset", "engines", "games", "models", "records", "config", "streams", "strength", "train"],
        never_std: &["net"],
    },
    Room { name: "slurm", may_import: &["grid", "records"], never_std: &["net"] },
    Room {
        name: "bundle",
        may_import: &["dataset", "games", "grid", "records", "report", "config", "train"],
        never_std: &["net"],
    },
    Room { name: "render", may_import: &["bundle", "facts", "records", "report"], never_std: &["net"] },
    Room {
        name: "experiments",
        may_import: &[
            "baselines",
            "bundle",
            "dataset",
            "encodings",
            "engines",
            "figures",
            "games",
            "generate",
            "grid",
            "inspect",
            "lc0",
            "models",
            "nn",
            "play",
            "records",
            "render",
            "report",
            "config",
            "slurm",
            "streams",
            "train",
        ],
        never_std: &["net"],
    },
];

/// The crates in `labs/`: the binary has each by a feature, and nothing of the core imports one.
pub(crate) const LABS: [&str; 5] = ["engines", "inspect", "lc0", "play", "slurm"];

/// Where a lab may import another one: (who, whom, what for).
pub(crate) const BETWEEN_LABS: [(&str, &str, &str); 1] = [("play", "engines", "engines are opponents and judges")];

/// The one idea of each crate, by its folder. The table in `docs/architecture.md` has the same words.
pub(crate) const IDEAS: [(&str, &str); 26] = [
    ("games/streams", "seeded randomness: keyed streams, bounded integers, shuffles"),
    ("games", "a board that encoders can read: geometry, rules, moves, inputs, record formats"),
    ("games/dataset", "records become immutable shards, and shards become batches"),
    ("games/baselines", "policies without a network"),
    ("games/generate", "positions with exact labels, without records or engines"),
    ("models/nn/kernels", "attention and its neighbours on the CPU, in vector instructions"),
    ("models/nn", "all weights in one flat tensor, and layers that choose between kernels and LibTorch's operations"),
    ("models/facts", "plain data that settings, networks, records and reports share"),
    ("encodings", "one position encoding per file, and the trait with its injection points"),
    ("models", "a configuration becomes a network with heads and losses"),
    ("scripts/one-build", "the features of shared libraries, so that cargo builds each once"),
    ("experiments/crates/config", "a YAML file becomes cells, each with its identity"),
    ("experiments/crates/records", "the format of every file in a run folder"),
    ("experiments/crates/train", "one cell, trained and resumed to the last bit, and what its network answers"),
    ("experiments/crates/grid", "many cells, scheduled and resumed"),
    ("experiments/crates/strength", "the arithmetic of playing strength: Elo, SPRT, ratings, calibration"),
    ("experiments/crates/figures", "plots and maps on boards as SVG, PNG and PDF"),
    ("experiments/crates/report", "records become statistics, tables and plots"),
    ("experiments/crates/bundle", "published runs: collected, verified, trained again"),
    ("experiments/crates/render", "pages whose numbers come from bundles"),
    ("experiments", "the command line, binary `posenc`"),
    ("labs/engines", "engines as processes: games, forced mates, new labels, even openings"),
    ("labs/inspect", "what attention heads do: maps, movements, statistics, ablations"),
    ("labs/lc0", "Lc0's network files, read and written"),
    ("labs/play", "networks as players: agents, puzzles, UCI and USI, matches"),
    ("labs/slurm", "a grid as a Slurm job array"),
];

/// Libraries from outside that belong to some rooms only: tensors, YAML, rules, the disk format, randomness.
pub(crate) const RESERVED: [(&str, &[&str]); 29] = [
    ("tch", &["nn", "encodings", "models", "config", "train", "grid", "inspect", "play", "experiments"]),
    ("torch-sys", &["nn"]),
    ("cc", &["nn"]),
    ("serde_yaml", &["dataset", "config", "train", "grid", "lc0", "experiments"]),
    ("clap", &["experiments"]),
    ("csv", &["report", "play"]),
    ("tensorboard-rs", &["train"]),
    ("tensorboard-proto", &["train"]),
    ("protobuf", &["train"]),
    ("indicatif", &["train", "grid", "experiments"]),
    ("chrono", &["report", "bundle", "render"]),
    ("statrs", &["report", "strength"]),
    ("minijinja", &["render"]),
    ("svg2pdf", &["figures"]),
    ("dejavu", &["figures"]),
    ("resvg", &["figures"]),
    ("shakmaty", &["games"]),
    ("rsshogi", &["games"]),
    ("shogi_core", &["games"]),
    ("encoding_rs", &["games"]),
    // Datasets, and the long table of metrics for data frames.
    ("parquet", &["dataset", "report"]),
    ("flate2", &["games", "dataset", "lc0"]),
    ("prost", &["lc0"]),
    ("bzip2", &["dataset"]),
    ("zip", &["dataset"]),
    ("tar", &["games", "dataset"]),
    ("sevenz-rust2", &["dataset"]),
    ("zstd", &["games", "dataset", "bundle", "experiments"]),
    ("rand", &["streams"]),
];

/// Crates that do not link LibTorch, and neither do their tests: reading records and drawing reports works without it.
pub(crate) const WITHOUT_LIBTORCH: [&str; 10] =
    ["games", "facts", "dataset", "baselines", "generate", "engines", "figures", "records", "strength", "report"];

/// Reserved libraries that a room's tests may use all the same: (room, library, what for).
pub(crate) const IN_TESTS: [(&str, &str, &str); 5] = [
    ("encodings", "serde_yaml", "an encoding's configuration is tested as people write it"),
    ("report", "resvg", "its XML reader reads figures"),
    ("models", "flate2", "the expanded input is compared with the planes in Lc0's own chunks"),
    ("models", "tar", "the same"),
    ("models", "zstd", "the same"),
];

/// Where a room may see only a part of another: (who, of whom, the names at that crate's root that it may write).
/// The network knows boards as geometry and shapes; it never sees a position, a move or a game's rules.
pub(crate) const KEYHOLES: [(&str, &str, &[&str]); 3] = [
    ("facts", "games", &["GameKind", "Phase"]),
    ("encodings", "games", &["Geometry", "Relation", "geometry"]),
    (
        "models",
        "games",
        &[
            "Geometry",
            "Relation",
            "geometry",
            "Boards",
            "Feature",
            "FeatureKind",
            "Frame",
            "InputLayout",
            "InputName",
            "Entry",
            "FromTo",
            "Listed",
            "PlaneEntry",
            "Planes",
            "Vocabulary",
        ],
    ),
];

/// The room of a crate.
pub(crate) fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}
