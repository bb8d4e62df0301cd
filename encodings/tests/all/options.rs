//! Options in YAML, and the errors about options that make no sense.

use crate::common::{DIMS, Network, board};
use encodings::{Dims, EncodingConfig, Stack};
use games::GameKind;
use std::collections::HashSet;

fn json(text: &str) -> Result<EncodingConfig, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn yaml(text: &str) -> Result<EncodingConfig, String> {
    let document = serde_yaml::Deserializer::from_str(text);
    serde_yaml::with::singleton_map_recursive::deserialize(document).map_err(|error| error.to_string())
}

/// Whether a stack can be declared, or why not.
fn declared(texts: &[&str], dims: Dims) -> Result<(), String> {
    let configs: Vec<_> = texts.iter().map(|text| yaml(text).expect("it reads")).collect();
    Network::declare(&configs, dims, &board(GameKind::Chess)).map(|_| ()).map_err(|error| error.to_string())
}

fn refusal(texts: &[&str], dims: Dims) -> String {
    declared(texts, dims).expect_err("it must be refused")
}

#[test]
fn none_is_a_name_or_an_empty_map() {
    let none = Ok(EncodingConfig::None(encodings::none::Config {}));
    for text in [r#""none""#, r#"{"none": {}}"#] {
        assert_eq!(json(text), none, "{text}");
    }
    for text in ["none", "none: {}", "{none: {}}"] {
        assert_eq!(yaml(text), none, "{text}");
    }
}

/// Messages name what is wrong, what would be right and, in YAML, where.
#[test]
fn mistakes_are_named() {
    let cases = [
        ("ropes: {}", vec!["unknown variant `ropes`", "none", "dynamic_relative", "rope"]),
        ("ropes", vec!["unknown variant `ropes`", "smolgen"]),
        ("rope", vec!["missing field `layout`"]),
        ("rope: {layout: axial_2d}", vec!["missing field `theta`", "line 1 column 7"]),
        ("rope: {layout: axial, theta: 10}", vec!["unknown variant `axial`", "flat_1d", "axial_2d", "mixed_2d"]),
        ("rope: {layout: axial_2d, theta: ten}", vec!["invalid type: string \"ten\"", "line 1 column 33"]),
        ("relative_bias: {}", vec!["missing field `share`"]),
        ("alibi", vec!["missing field `distance`"]),
        ("alibi: {distance: king}", vec!["unknown variant `king`", "l1", "chebyshev", "euclidean", "knight"]),
        ("kerple: {kernel: log}", vec!["missing field `distance`"]),
        ("relations: {gate: pieces}", vec!["unknown variant `pieces`", "board", "none"]),
        ("lepe: {kernel: 5}", vec!["unknown field `kernel`"]),
        ("shaw: {term: [q]}", vec!["unknown field `term`", "terms", "cross", "share"]),
        ("shaw: {}\nrope: {layout: axial_2d, theta: 100}", vec!["\"rope\" is in the same map as \"shaw\"", "list"]),
        ("{}", vec!["invalid length 0", "the name of an encoding"]),
        ("7", vec!["invalid type: integer `7`", "none, absolute, relative_bias"]),
    ];
    for (text, wanted) in cases {
        let message = yaml(text).expect_err(text);
        for part in wanted {
            assert!(message.contains(part), "{text}: \"{message}\" does not say \"{part}\"");
        }
    }
}

#[test]
fn options_without_effect_are_refused_with_a_remedy() {
    let cases = [
        ("absolute: {at: gate, table: factorised}", "table: factorised has no effect with at: gate"),
        ("absolute: {at: input, values: false}", "only at: every_layer tells values from queries"),
        ("absolute: {at: gate, init_std: 0.02}", "init_std: 0.02 has no effect with at: gate"),
        ("absolute: {table: sinusoidal_1d, init_std: 0.02}", "init_std: 0.02 has no effect with table: sinusoidal_1d"),
        ("absolute: {init_std: -1}", "init_std must be 0 or more, not -1"),
        ("shaw: {terms: []}", "terms must be one, two or three of q, k, v, each once, not []"),
        ("shaw: {terms: [q, q]}", "not [q, q]"),
        ("shaw: {terms: [q, v], cross: true}", "cross: true has no effect with only one of the terms q and k"),
        ("smolgen: {gen: 0}", "gen must be 1 or more, not 0"),
        ("smolgen: {compress: 0, compress_bias: true}", "compress_bias: true has no effect with compress: 0"),
        ("gab_templates: {templates: 0}", "gab_templates: templates must be 1 or more, not 0"),
        ("dynamic_relative: {bottleneck: 0}", "bottleneck must be 1 or more"),
        ("dynamic_relative: {init_std: -1}", "init_std must be 0 or more, not -1"),
        ("rope: {layout: mixed_2d, theta: 10, aux: index}", "aux: index has no effect with layout: mixed_2d"),
        (
            "rope: {layout: axial_2d, theta: 50, start: log_uniform}",
            "start: log_uniform has no effect with layout: axial_2d",
        ),
        ("rope: {layout: mixed_2d, theta: board}", "theta must be a number unless layout is axial_2d, not board"),
        ("string: {layout: flat_1d, theta: -1}", "string: theta must be above 0, not -1"),
        ("cope: {positions: 10}", "positions must be at most the longer side of the board, not 10"),
        ("irpe: {terms: []}", "terms must be some of bias, q, k, v, each once, not []"),
        ("irpe: {alpha: 0}", "alpha must be above 0, not 0"),
        ("irpe: {beta: 1}", "beta must be at least alpha and at most 1000, not 1"),
        ("irpe: {gamma: 1.9}", "gamma must be above alpha, not 1.9"),
        ("pope: {theta: 0}", "pope: theta must be above 0, not 0"),
        ("low_rank: {rank: 0}", "low_rank: rank must be 1 or more, not 0"),
        ("low_rank: {terms: [q, v]}", "low_rank: terms must be q, k or both, each once, not [q, v]"),
        ("spherical: {theta: -1}", "spherical: theta must be above 0, not -1"),
        ("spherical: {frequencies: learned, theta: 10}", "theta: 10 has no effect with frequencies: learned"),
        ("liere: {block: 1}", "liere: block must be 2 or more, not 1"),
        ("liere: {block: 3}", "liere: the head width (width / heads), 8, is not divisible by 3"),
        ("pape: {parabolas: 0}", "pape: parabolas must be 1 or more, not 0"),
        ("tab: {dilation: 0}", "tab: dilation must be 1 or more, not 0"),
        ("tab: {blocks: 4097}", "tab: blocks must be at most 4096, not 4097"),
        ("cope: {positions: 0}", "cope: positions must be 1 or more, not 0"),
        ("rope: {layout: flat_1d, theta: 0}", "theta must be above 0, not 0"),
        ("rope: {layout: flat_1d, theta: .nan}", "theta must be above 0, not NaN"),
        ("log_buckets: {buckets: 0}", "buckets must be 1 or more, not 0"),
        ("log_buckets: {buckets: 4, exact: 5}", "exact must be 1 or more and at most `buckets`, not 5"),
        ("fire: {hidden: 0}", "hidden must be 1 or more, not 0"),
        ("continuous_bias: {hidden: 0}", "hidden must be 1 or more, not 0"),
        ("laplacian: {vectors: 0}", "vectors must be 1 or more, and fewer than the squares"),
        ("laplacian: {vectors: 64}", "not 64"),
        ("laplacian: {graph: bishop, vectors: 63}", "not 63"),
    ];
    for (text, wanted) in cases {
        let message = refusal(&[text], DIMS);
        assert!(message.contains(wanted), "{text}: \"{message}\" does not say \"{wanted}\"");
    }
}

#[test]
fn sizes_that_do_not_divide_are_refused_with_a_remedy() {
    let six_per_head = Dims { width: 12, heads: 2, layers: 1 };
    for layout in ["axial_2d", "mixed_2d"] {
        let message = refusal(&[&format!("rope: {{layout: {layout}, theta: 10}}")], six_per_head);
        assert!(message.contains("head width (width / heads), 6, is not divisible by 4"), "{message}");
        assert!(message.contains("change the width or the number of heads"), "{message}");
    }
    assert_eq!(declared(&["rope: {layout: flat_1d, theta: 10}"], six_per_head), Ok(()), "1-D needs pairs only");
    let message = refusal(&["absolute: {table: sinusoidal_2d}"], Dims { width: 6, heads: 1, layers: 1 });
    assert!(message.contains("the width, 6, is not divisible by 4"), "{message}");
}

/// A network of these sizes is refused when all its parameters are known; nothing overflows before.
#[test]
fn the_largest_sizes_can_be_declared() {
    let most = nn::layout::LARGEST_SIZE;
    for (heads, text) in [
        (1, "string: {layout: axial_2d, theta: 100}"),
        (1, "liere"),
        (most, "low_rank: {rank: 16777216}"),
        (most, "pape: {parabolas: 16777216}"),
    ] {
        let (dims, mut builder) = (Dims { width: most, heads, layers: 4096 }, nn::LayoutBuilder::default());
        let mut scope = builder.scope("encoding", nn::Part::Encoding);
        let stack = Stack::declare(&[yaml(text).expect("it reads")], &mut scope, dims, &board(GameKind::Chess));
        assert!(stack.is_ok(), "{text}: {stack:?}");
    }
}

/// Without commuting planes the product of two rotations depends on where the tokens stand.
#[test]
fn one_network_carries_each_encoding_once_and_one_rotation() {
    let rope = "rope: {layout: axial_2d, theta: 10}";
    for (texts, wanted) in [
        (["shaw: {}", "shaw: {terms: [q]}"], "name \"shaw\" twice"),
        ([rope, "string: {layout: axial_2d, theta: 10}"], "both rotate queries and keys"),
        (
            [rope, "pope: {theta: 10}"],
            "replaces the products of queries and keys, which rope(axial_2d,theta=10) changes",
        ),
        (["pope: {theta: 10}", "deberta: {}"], "which deberta changes"),
    ] {
        let message = refusal(&texts, DIMS);
        assert!(message.contains(wanted), "{message}");
    }
    // The paper's absolute network; a change of length, which rotates nothing; terms.
    for texts in [["absolute: {at: gate}", "absolute: {at: every_layer}"], [rope, "deberta: {}"], [rope, "shaw: {}"]] {
        assert_eq!(declared(&texts, DIMS), Ok(()), "{texts:?}");
    }
}

/// Hashes of cells depend on it: spellings of one network are written alike, as in every committed file, and options that
/// came later only where they say something.
#[test]
fn a_network_is_written_in_one_way() {
    let cases = [
        ("rope: {layout: axial_2d, theta: 100}", r#"{"rope":{"layout":"axial_2d","theta":100.0,"aux":null}}"#),
        (
            "rope: {layout: axial_2d, theta: 100, aux: unrotated}",
            r#"{"rope":{"layout":"axial_2d","theta":100.0,"aux":null}}"#,
        ),
        (
            "string: {layout: flat_1d, theta: 9, aux: index}",
            r#"{"string":{"layout":"flat_1d","theta":9.0,"aux":null}}"#,
        ),
        (
            "rope: {layout: flat_1d, theta: 9, aux: unrotated}",
            r#"{"rope":{"layout":"flat_1d","theta":9.0,"aux":"unrotated"}}"#,
        ),
        (
            "smolgen: {compress: 3}",
            r#"{"smolgen":{"compress":3,"hidden":256,"gen":256,"pool":"flatten","activation":"swish"}}"#,
        ),
        ("shaw: {terms: [v, k, q]}", r#"{"shaw":{"terms":["q","k","v"],"cross":false,"share":"displacement"}}"#),
        ("low_rank: {terms: [k, q]}", r#"{"low_rank":{"rank":16,"terms":["q","k"]}}"#),
        (
            "irpe: {terms: [v, q, bias, k]}",
            r#"{"irpe":{"method":"product","terms":["bias","q","k","v"],"heads":"shared","alpha":1.9,"beta":3.8,"gamma":15.2}}"#,
        ),
    ];
    for (text, written) in cases {
        assert_eq!(serde_json::to_string(&yaml(text).expect("it reads")).expect("it can be written"), written);
    }
}

/// Every configuration is equal after it was written and read, and labels are unique.
#[test]
fn examples_survive_a_round_trip_and_have_labels_of_their_own() {
    let mut labels = HashSet::new();
    for config in EncodingConfig::examples() {
        let text = serde_json::to_string(&config).expect("it can be written");
        assert_eq!(json(&text), Ok(config.clone()), "{text}");
        let mut written = Vec::new();
        let mut serializer = serde_yaml::Serializer::new(&mut written);
        serde_yaml::with::singleton_map_recursive::serialize(&config, &mut serializer).expect("it can be written");
        assert_eq!(yaml(&String::from_utf8(written).expect("text")), Ok(config.clone()));
        assert!(labels.insert(config.label()), "two examples are called {}", config.label());
    }
    for label in ["none", "shaw(q,k,v)", "absolute(gate)", "rope(axial_2d,theta=100)", "relative_bias(pair)"] {
        assert!(labels.contains(label), "{label} is not among {labels:?}");
    }
}

/// Every encoding is listed, described, reached by an example, and its own YAML example works.
#[test]
fn the_registry_is_complete() {
    let reached: HashSet<_> = EncodingConfig::examples().iter().map(|config| config.info().name).collect();
    for info in EncodingConfig::REGISTRY {
        assert!(reached.contains(info.name), "{}", info.name);
        assert!(!info.summary.is_empty() && !info.source.is_empty(), "{} lacks words", info.name);
        assert_eq!(yaml(info.example).map(|config| config.info()), Ok(*info), "{}", info.example);
        assert_eq!(declared(&[info.example], Dims { width: 32, heads: 4, layers: 1 }), Ok(()), "{}", info.example);
    }
}

/// A file with an encoding that was forgotten in the list is found.
#[test]
fn every_file_with_an_encoding_is_in_the_registry() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/zoo");
    let entries = std::fs::read_dir(folder).expect("the sources lie beside the tests");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let files: HashSet<_> =
        paths.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    assert_eq!(files, EncodingConfig::NAMES.iter().map(|&name| name.to_owned()).collect());
}
