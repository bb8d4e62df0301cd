//! Counts of parameters against published numbers, and of multiplications against the formulas of the definitions.

use crate::common::{DIMS, Network, board, parsed, place, sequences};
use crate::definitions::definition;
use encodings::{Dims, EncodingConfig, Role, Tokens};
use games::GameKind;
use nn::Part;

/// The body of the paper's CF-6M.
const CF_6M: Dims = Dims { width: 256, heads: 8, layers: 8 };

/// The geometric attention bias of Maia-3 5M.
const GAB_OF_5M: &str = "smolgen: {compress: 0, hidden: 64, gen: 64, pool: mean, activation: gelu}";

fn counted(yaml: &str, dims: Dims, tokens: &Tokens) -> usize {
    Network::declare(&[parsed(yaml)], dims, tokens).expect("an example").layout.count(Part::Encoding)
}

#[test]
fn multiplications_equal_the_formulas() {
    for config in EncodingConfig::examples() {
        for tokens in sequences() {
            let configs = std::slice::from_ref(&config);
            let (network, place) = (Network::small(configs, &tokens), place(configs, &tokens));
            assert_eq!(network.stack.macs(), definition(&config).macs(DIMS, &tokens) as u64, "{place}");
        }
    }
}

/// Numbers that papers and reference code lead to, for chess and for shogi.
#[test]
fn counts_equal_the_published_numbers() {
    let cases = [
        ("shaw", 1_382_400, 8 * 221_952),
        ("shaw: {terms: [q, k]}", 8 * 115_200, 8 * 147_968),
        ("absolute: {at: gate}", 32_768, 41_472),
        ("absolute", 16_384, 20_736),
        ("absolute: {table: factorised}", 4_096, 4_608),
        ("relative_bias: {share: displacement}", 8 * 1_800, 8 * 2_312),
        ("relative_bias: {share: pair}", 8 * 32_768, 8 * 52_488),
        ("smolgen", 8 * 1_063_680 + 1_048_576, 8 * 1_202_944 + 1_679_616),
        (GAB_OF_5M, 669_184, 826_944),
        ("gab_templates", 198_080, 198_080),
        ("irpe", 8 * 1_568, 8 * 1_568),
        ("irpe: {heads: own}", 8 * 12_544, 8 * 12_544),
        ("deberta", 57_600 + 8 * 131_072, 73_984 + 8 * 131_072),
        ("dynamic_relative", 8 * 1_064_960, 8 * 1_347_840),
        ("rope: {layout: mixed_2d, theta: 10}", 8 * 256, 8 * 256),
        ("alibi: {distance: l1, slopes: learned}", 8 * 8, 8 * 8),
        ("log_buckets: {buckets: 9, exact: 9}", 8 * 240, 8 * 272),
        ("continuous_bias", 8 * 5_632, 8 * 5_632),
        ("relations", 8 * 8 * 17, 8 * 8 * 17),
        ("lepe", 8 * 2_304, 8 * 2_304),
        ("rove: {layout: axial_2d, theta: 100}", 0, 0),
        ("pope: {theta: 100}", 8 * 256, 8 * 256),
        ("low_rank", 8 * 36_496, 8 * 37_520),
        ("spherical: {frequencies: learned}", 8 * 160, 8 * 160),
        ("liere", 8 * 7_936, 8 * 7_936),
        ("liere: {block: 8}", 8 * 1_792, 8 * 1_792),
        ("pape", 8 * 205_600, 8 * 205_600),
        ("tab", 8 * 17_696 + 243_792, 8 * 17_696 + 243_792),
    ];
    for (yaml, chess, shogi) in cases {
        for (game, number) in [(GameKind::Chess, chess), (GameKind::Shogi, shogi)] {
            assert_eq!(counted(yaml, CF_6M, &board(game)), number, "{yaml}, {game:?}");
        }
    }
}

/// The GAB of Maia-3's networks: 3M and 5M pool tokens of full width, 23M and 79M flatten compressed ones.
#[test]
fn gab_has_the_sizes_of_maia_3() {
    let compressed = "smolgen: {compress: 32, compress_bias: true, hidden: 128, gen: 128, activation: gelu}";
    let cases = [
        ("3M", GAB_OF_5M, 192, 6, 567_808),
        ("5M", GAB_OF_5M, 256, 8, 669_184),
        ("23M", compressed, 512, 16, 4_902_144),
        ("79M", compressed, 1024, 32, 7_179_520),
    ];
    for (name, yaml, width, heads, number) in cases {
        let dims = Dims { width, heads, layers: 8 };
        assert_eq!(counted(yaml, dims, &board(GameKind::Chess)), number, "{name}");
    }
}

/// Sid3024/Chess-AI's sequence of 78 tokens: CLS, squares, 13 others.
#[test]
fn the_shared_map_of_chess_ai_has_its_published_size() {
    let chess = GameKind::Chess.geometry();
    let squares = (0..chess.squares()).map(Role::Square);
    let roles = [Role::Cls].into_iter().chain(squares).chain([Role::Aux("right"); 13]);
    assert_eq!(counted("cls_map: {tokens: all}", CF_6M, &Tokens::new(chess, roles.collect())), 1_563_588);
}
