//! Counts of parameters and multiplications against the formulas of the definitions and against published numbers.

use crate::common::{DIMS, Network, sequences};
use crate::definitions::definition;
use encodings::pairs::Share;
use encodings::rows::Table;
use encodings::{
    Dims, EncodingConfig, Role, Tokens, absolute, cls_map, deberta, dynamic_relative, gab_templates, irpe,
    relative_bias, rope, shaw, smolgen,
};
use games::{GameKind, Geometry};
use nn::{ParamSpec, Part};

/// The body of the paper's CF-6M.
const CF_6M: Dims = Dims { width: 256, heads: 8, layers: 8 };

fn counted(config: &EncodingConfig, dims: Dims, tokens: &Tokens) -> usize {
    let network = Network::declare(std::slice::from_ref(config), dims, tokens).expect("an example");
    network.layout.count(Part::Encoding)
}

#[test]
fn counts_equal_the_formulas() {
    for config in EncodingConfig::examples() {
        for tokens in sequences() {
            let place = format!("{} on {:?} with {} tokens", config.label(), tokens.geometry(), tokens.len());
            let network = Network::small(std::slice::from_ref(&config), &tokens);
            let definition = definition(&config);
            assert_eq!(network.layout.count(Part::Encoding), definition.parameters(DIMS, &tokens), "{place}");
            assert_eq!(network.stack.macs(), definition.macs(DIMS, &tokens) as u64, "{place}");
        }
    }
}

/// Numbers that papers and reference code lead to, for chess and for shogi.
#[test]
fn counts_equal_the_published_numbers() {
    let shaw =
        |terms: &[shaw::Term]| EncodingConfig::Shaw(shaw::Config { terms: terms.to_vec(), ..Default::default() });
    let absolute = |at, table| EncodingConfig::Absolute(absolute::Config { table, ..absolute::Config::new(at) });
    let bias = |share| EncodingConfig::RelativeBias(relative_bias::Config { share });
    let dynamic = EncodingConfig::DynamicRelative(dynamic_relative::Config::default());
    let mixed = EncodingConfig::Rope(rope::Config::new(rope::Layout::Mixed2d, 10.0));
    let gab = smolgen::Config {
        compress: 0,
        hidden: 64,
        gen_width: 64,
        pool: smolgen::Pool::Mean,
        activation: nn::Activation::Gelu,
        ..Default::default()
    };
    let parsed = |text: &str| serde_json::from_str::<EncodingConfig>(text).expect("options");
    let own_heads = irpe::Config { heads: irpe::Heads::Own, ..Default::default() };
    let all_terms = [shaw::Term::Q, shaw::Term::K, shaw::Term::V];
    let cases = [
        ("Shaw q, k, v in 8 layers", shaw(&all_terms), 1_382_400, 8 * 221_952),
        ("Shaw q, k in 8 layers", shaw(&all_terms[..2]), 8 * 115_200, 8 * 147_968),
        ("the input gate", absolute(absolute::Place::Gate, Table::Learned), 32_768, 41_472),
        ("a learned table", absolute(absolute::Place::Input, Table::Learned), 16_384, 20_736),
        ("a factorised table", absolute(absolute::Place::Input, Table::Factorised), 4_096, 4_608),
        ("a number per displacement", bias(Share::Displacement), 8 * 1_800, 8 * 2_312),
        ("a number per pair", bias(Share::Pair), 8 * 32_768, 8 * 52_488),
        (
            "smolgen",
            EncodingConfig::Smolgen(smolgen::Config::default()),
            8 * 1_063_680 + 1_048_576,
            8 * 1_202_944 + 1_679_616,
        ),
        ("GAB of Maia-3 5M", EncodingConfig::Smolgen(gab), 669_184, 826_944),
        ("KataGo's GAB", EncodingConfig::GabTemplates(gab_templates::Config::default()), 198_080, 198_080),
        ("iRPE, heads shared", EncodingConfig::Irpe(irpe::Config::default()), 8 * 1_568, 8 * 1_568),
        ("iRPE, heads apart", EncodingConfig::Irpe(own_heads), 8 * 12_544, 8 * 12_544),
        ("DeBERTa", EncodingConfig::Deberta(deberta::Config {}), 57_600 + 8 * 131_072, 73_984 + 8 * 131_072),
        ("dynamic relative", dynamic, 8 * 1_064_960, 8 * 1_347_840),
        ("mixed frequencies", mixed, 8 * 256, 8 * 256),
        ("learned slopes", parsed(r#"{"alibi": {"distance": "l1", "slopes": "learned"}}"#), 8 * 8, 8 * 8),
        ("every rank and file", parsed(r#"{"log_buckets": {"buckets": 9, "exact": 9}}"#), 8 * 240, 8 * 272),
        ("Swin V2's layers", parsed(r#""continuous_bias""#), 8 * 5_632, 8 * 5_632),
        ("relations and blocked lines", parsed(r#""relations""#), 8 * 8 * 17, 8 * 8 * 17),
        ("kernels of 3×3", parsed(r#""lepe""#), 8 * 2_304, 8 * 2_304),
    ];
    for (what, config, chess, shogi) in cases {
        for (game, number) in [(GameKind::Chess, chess), (GameKind::Shogi, shogi)] {
            let tokens = Tokens::squares_then(game.geometry(), &[]);
            assert_eq!(counted(&config, CF_6M, &tokens), number, "{what}, {game:?}");
        }
    }
}

/// The GAB of Maia-3's networks: 3M and 5M pool tokens of full width, 23M and 79M flatten compressed ones.
#[test]
fn gab_has_the_sizes_of_maia_3() {
    let chess = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let pooled = smolgen::Config {
        compress: 0,
        hidden: 64,
        gen_width: 64,
        pool: smolgen::Pool::Mean,
        activation: nn::Activation::Gelu,
        ..Default::default()
    };
    let compressed = smolgen::Config {
        compress: 32,
        compress_bias: true,
        hidden: 128,
        gen_width: 128,
        activation: nn::Activation::Gelu,
        ..Default::default()
    };
    let cases = [
        ("3M", &pooled, 192, 6, 567_808),
        ("5M", &pooled, 256, 8, 669_184),
        ("23M", &compressed, 512, 16, 4_902_144),
        ("79M", &compressed, 1024, 32, 7_179_520),
    ];
    for (name, config, width, heads, number) in cases {
        let dims = Dims { width, heads, layers: 8 };
        assert_eq!(counted(&EncodingConfig::Smolgen(config.clone()), dims, &chess), number, "{name}");
    }
}

/// Sid3024/Chess-AI's sequence of 78 tokens: CLS, squares, 13 others.
#[test]
fn the_shared_map_of_chess_ai_has_its_published_size() {
    let chess = GameKind::Chess.geometry();
    let squares = (0..chess.squares()).map(Role::Square);
    let roles = [Role::Cls].into_iter().chain(squares).chain([Role::Aux("right"); 13]);
    let config = EncodingConfig::ClsMap(cls_map::Config { tokens: cls_map::Covered::All });
    assert_eq!(counted(&config, CF_6M, &Tokens::new(chess, roles.collect())), 1_563_588);
}

#[test]
fn smolgen_names_its_shares() {
    let tokens = Tokens::squares_then(GameKind::Chess.geometry(), &[]);
    let config = EncodingConfig::Smolgen(smolgen::Config::default());
    let layout = Network::declare(&[config], CF_6M, &tokens).expect("an example").layout;
    let below = |prefix: &str| -> usize {
        layout.params().iter().filter(|p| p.name.starts_with(prefix)).map(ParamSpec::len).sum()
    };
    assert_eq!(below("encoding.smolgen.layer.3."), 1_063_680);
    assert_eq!(below("encoding.smolgen.generator."), 1_048_576);
}

/// Of the 27.3 million multiplications of a CF-6M layer with smolgen, 10.0 are smolgen's.
#[test]
fn multiplications_are_those_of_the_products() {
    let macs = |config: EncodingConfig, board: Geometry| {
        let tokens = Tokens::squares_then(board, &[]);
        Network::declare(&[config], CF_6M, &tokens).expect("an example").stack.macs()
    };
    let chess = GameKind::Chess.geometry();
    let l = chess.squares() as u64;
    let smolgen = macs(EncodingConfig::Smolgen(smolgen::Config::default()), chess);
    assert_eq!(smolgen / 8, 256 * 32 * l + 32 * l * 256 + 256 * 2048 + 2048 * l * l);
    let shaw = macs(EncodingConfig::Shaw(shaw::Config::default()), chess);
    assert_eq!(shaw / 8, 3 * l * l * 256, "the facts' 3·l²·d per layer");
}
