//! The page of `posenc inspect`: its numbers, several cells, and the board in headless Chromium, where there is one.

use crate::chromium::Chromium;
use crate::cli::{run, small_run};
use crate::inspect::{numbers, tensors};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use testing::Finished;

const QUICK: &str = "--positions 3 --controls 0";
/// Content part, position part, attention: the order of a page's blocks.
const PARTS: [&str; 3] = ["content", "position", "attention"];
const LAYERS: usize = 2;
const HEADS: usize = 2;

/// Inspects a cell into `out` and returns its page.
fn page(finished: &Finished, game: &str) -> PathBuf {
    run(finished.path(), &format!("inspect {} --out out {QUICK}", finished.cell(game))).succeeds();
    finished.path().join("out").join("inspect.html")
}

fn data(page: &Path) -> Value {
    let page = fs::read_to_string(page).expect("a page");
    let data = page.split("id=\"touch-data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    serde_json::from_str(data.expect("the page has data")).expect("JSON")
}

#[test]
fn the_page_has_the_numbers_of_the_file_of_maps() {
    let finished = Finished::new();
    for (game, squares) in [("chess", 64), ("shogi", 81)] {
        let page = page(&finished, game);
        let (data, maps) = (data(&page), tensors(page.with_file_name("maps.safetensors")));
        let places = data["cells"][0]["places"].as_array().expect("positions").clone();
        assert_eq!(places.len(), 5, "the mean and four examples");
        for (number, place) in places.iter().enumerate() {
            let prefix = if number == 0 { String::new() } else { format!("example.{}.", number - 1) };
            for (layer, part) in (0..LAYERS).flat_map(|layer| (0..PARTS.len()).map(move |part| (layer, part))) {
                let block = place["maps"][layer][part].as_u64().expect("a number") as usize;
                let block = STANDARD.decode(data["blocks"][block].as_str().expect("a text")).expect("base64");
                let (_, expected) = numbers(&maps, &format!("{prefix}{}.layer.{layer}", PARTS[part]));
                assert_eq!((expected.len(), block.len()), (HEADS * squares * squares, HEADS * squares * (squares + 8)));
                for (row, expected) in block.chunks_exact(squares + 8).zip(expected.chunks_exact(squares)) {
                    let end = |at: usize| f64::from(f32::from_le_bytes(row[at..at + 4].try_into().expect("four")));
                    let (low, range) = (end(0), end(4));
                    let scale = |value: f64| if part == 2 { value.sqrt() } else { value };
                    for (&code, &value) in row[8..].iter().zip(expected) {
                        let share = f64::from(code) / 255.0;
                        let found = low + range * if part == 2 { share * share } else { share };
                        let apart = (scale(found) - scale(value)).abs();
                        assert!(
                            apart <= scale(range) / 510.0 + 1e-5,
                            "{game} {number} {layer} {part}: {found}, {value}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn cells_are_set_side_by_side() {
    let finished = Finished::new();
    let [chess, shogi] = ["chess", "shogi"].map(|game| finished.cell(game));
    let answer = run(finished.path(), &format!("inspect {chess} {shogi} --out both {QUICK}")).succeeds();
    let said = answer.stdout;
    assert!(said.starts_with("2 cells: ") && said.ends_with("\npage: both/inspect.html\n"), "{said}");
    let both = finished.path().join("both");
    let sides = |path: &Path| {
        let cells = data(path)["cells"].as_array().cloned().expect("cells");
        cells.iter().map(|cell| cell["files"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(sides(&both.join("inspect.html")), [Some(8), Some(9)]);
    assert_eq!(sides(&both.join("cell-2").join("inspect.html")), [Some(9)]);
    assert!(both.join("cell-1").join("heads.json").is_file());
}

#[test]
fn the_page_of_a_run_folder_has_a_cell_of_each_row() {
    let (dir, _) = small_run("");
    let answer = run(&dir, &format!("inspect runs/small {QUICK}")).succeeds();
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("4 cells: ") && lines.len() <= 20, "{}", answer.stdout);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{}", answer.stdout);
    let path = dir.path().join("runs").join("small").join("inspect").join("inspect.html");
    let page = fs::read_to_string(&path).expect("a page");
    let options = page.split("id=\"touch-cell\">").nth(1).and_then(|rest| rest.split("</select>").next());
    let options = options.expect("a menu");
    assert_eq!(options.matches("<option ").count(), 4);
    assert!(options.contains(">chess, Shaw, seed 0<"), "{options}");
    let data = data(&path);
    // Without an encoding on the logits there is no position part.
    let has_position = |cell: &Value| !cell["places"][0]["maps"][0][1].is_null();
    assert_eq!(data["cells"].as_array().expect("cells").iter().filter(|cell| has_position(cell)).count(), 1);
}

/// The shades of a head's board, from −1 to 1, in the order of squares.
fn shades(document: &str, head: usize) -> Vec<f64> {
    let figure = document.split(&format!("data-head=\"{head}\"")).nth(1).expect("the head is there");
    let figure = figure.split("</figure>").next().expect("its end");
    let shade = |rest: &str| {
        let opacity = rest.split("fill-opacity=\"").nth(1).and_then(|rest| rest.split('"').next());
        let opacity: f64 = opacity.and_then(|text| text.parse().ok()).expect("an opacity");
        if rest.starts_with("low") { -opacity } else { opacity }
    };
    figure.split("class=\"shade ").skip(1).map(shade).collect()
}

/// Moves the pointer to the 17th square and writes what is said of it.
const HOVER: &str = r##"<script>
const square = document.querySelectorAll("#touch-board .square")[17].getBoundingClientRect();
const at = { clientX: square.left + square.width / 2, clientY: square.top + square.height / 2, bubbles: true };
document.querySelector("#touch-board svg").dispatchEvent(new PointerEvent("pointermove", at));
const seen = document.createElement("pre");
seen.id = "seen";
seen.textContent = document.documentElement.scrollWidth <= innerWidth + 1 ? "it fits" : "too wide";
document.body.append(seen);
</script></body>"##;

#[test]
fn hovering_a_square_shows_every_heads_attention_from_there() {
    let Some(browser) = Chromium::found() else { return };
    let finished = Finished::new();
    for (game, squares, [middle, hovered], query) in [("chess", 64, ["e4", "b3"], 28), ("shogi", 81, ["5e", "1h"], 40)]
    {
        let page = page(&finished, game);
        let maps = tensors(page.with_file_name("maps.safetensors"));
        let (_, attention) = numbers(&maps, "example.0.attention.layer.1");
        let chosen = format!("cell=0&layer=1&place={game}-1&part=attention");
        let from = |square: &str| browser.open(&page, &format!("{chosen}&square={square}"), &["--dump-dom"]);
        let document = from(middle);
        assert!(document.contains(&format!("From the query on {middle}")) && document.contains("#touch-pieces-0"));
        for head in 0..HEADS {
            let row = &attention[(head * squares + query) * squares..][..squares];
            let even = row.iter().sum::<f64>() / squares as f64;
            let expected = row.iter().map(|value| ((value / even).log2() / 3.0).clamp(-1.0, 1.0));
            let found = shades(&document, head);
            assert_eq!(found.len(), squares);
            expected
                .zip(&found)
                .for_each(|(expected, found)| assert!((expected - found).abs() < 0.02, "{expected}, {found}"));
        }
        // A pointer does what the address does.
        let other = from(hovered);
        assert_ne!(shades(&other, 0), shades(&document, 0));
        let text = fs::read_to_string(&page).expect("a page");
        let hover = page.with_file_name("hover.html");
        let long = format!("{}</option>", ", with a setting".repeat(5));
        fs::write(&hover, text.replace("</option>", &long).replace("</body>", HOVER)).expect("written");
        for window in ["--window-size=390,900", "--window-size=1280,900", "--blink-settings=preferredColorScheme=0"] {
            let document = browser.open(&hover, &chosen, &["--dump-dom", window]);
            assert!(
                document.contains("it fits") && document.contains(&format!("From the query on {hovered}")),
                "{window}"
            );
            assert_eq!(shades(&document, 0), shades(&other, 0), "{window}");
        }
        // Whatever the address asks for, the page shows a board.
        let odd = browser.open(&page, "cell=length&layer=9&place=x&part=y&square=%3Cb%3E", &["--dump-dom"]);
        assert_eq!(shades(&odd, 1).len(), squares);
        if let Some(folder) = std::env::var_os("POSENC_SCREENSHOTS").map(PathBuf::from) {
            fs::create_dir_all(&folder).expect("made");
            for (name, options) in [
                ("wide", ["--window-size=1280,1000", "--blink-settings=preferredColorScheme=1"]),
                ("dark", ["--window-size=1280,1000", "--blink-settings=preferredColorScheme=0"]),
                ("phone", ["--window-size=390,1400", "--blink-settings=preferredColorScheme=1"]),
            ] {
                let file = format!("--screenshot={}", folder.join(format!("inspect-{game}-{name}.png")).display());
                browser.open(&page, &format!("{chosen}&square={middle}"), &[&file, options[0], options[1]]);
            }
        }
    }
}
