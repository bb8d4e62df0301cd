//! The other formats, and what they show beside the text's tables.

use crate::report::figures::folder as tuned;
use crate::report::folder::{Csv, Folder, SEEDS, change_lines, close, comparison, drawn, has, lacks, says};
use crate::report::heads::tables;
use crate::report::scaling::grid;
use facts::{Mask, ReadAt};
use games::GameKind;
use records::plan::Plan;
use report::sections::transfer::incomparable;
use report::{Report, ReportOptions, csv, html, latex, markdown, side_by_side, text};
use serde_json::{Value, json};
use std::fs;

#[test]
fn a_page_needs_no_other_file_and_escapes_what_it_is_given() {
    let page = html::draw(&Folder::of_two_games().report());
    has(&page, &["Which &lt;one&gt; is best?", "▲ better", "Chess against shogi", "prefers-color-scheme: dark"]);
    has(&page, &["@media print", "default-src 'none'"]);
    lacks(&page, &["src=", "@import", "url(", "<one>"]);
    assert_eq!(page.matches("<script").count(), 1, "its own script, and no other");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.iter().all(|link| link.starts_with('#') || *link == "data:,"), "{links:?}");
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
    assert!(links.iter().filter_map(|link| link.strip_prefix('#')).all(|link| ids.contains(&link)));
}

#[test]
fn csv_has_every_number_unrounded_in_equal_lines() {
    let report = Folder::finished().report();
    let table = Csv::of(&report);
    close(table.number("shaw", "difference"), -0.096_666_666_666_666_68);
    close(table.number("shaw", "p"), 0.001_186_944_038_478_615_8);
    assert_eq!((table.at("shaw", "verdict"), table.at("shaw", "parameters")), ("better", "1383600"));
    assert!(csv::draw(&report).contains(",policy_loss.opening,"));
}

#[test]
fn markdown_and_latex_hold_the_same_tables() {
    let report = Folder::of_two_games().report();
    let (markdown, latex) = (markdown::draw(&report), latex::draw(&report));
    assert!(markdown.contains("| Shaw | 3/3 | 2.313 ± 0.015 | −0.097 | [−0.111, −0.082] |"), "{markdown}");
    assert!(latex.contains(r"Shaw & 3/3 & 2.313 $\pm$ 0.015 & $-$0.097 & [$-$0.111, $-$0.082] &"), "{latex}");
    let environments = |word: &str| latex.matches(word).count();
    assert_eq!(environments("\\begin{table}"), environments("\\end{table}"));
}

/// Of two games, of tuned rows, and of several budgets.
#[test]
fn latex_has_a_command_for_every_sign_of_a_table() {
    for (folder, sign) in [(Folder::of_two_games(), r"$\pm$"), (tuned(), r"$\bullet$"), (grid(), r"$\alpha$, E")] {
        let latex = latex::draw(&folder.report());
        let set: Vec<&str> = latex.lines().filter(|line| !line.starts_with('%')).collect();
        assert!(set.iter().any(|line| line.contains(sign)), "{sign}: {latex}");
        let strange: Vec<char> = set.iter().flat_map(|line| line.chars()).filter(|sign| !sign.is_ascii()).collect();
        assert!(strange.is_empty(), "LaTeX may not set {strange:?}");
    }
    assert_eq!(latex::escape("◐ ≤ τ"), r"$\circ$ $\le$ $\tau$");
}

#[test]
fn slices_find_where_a_row_differs() {
    let report = Folder::of_two_games().report();
    let slices = report.games[0].slices.first().expect("cells stored positions");
    let names: Vec<&str> = slices.dimensions.iter().map(|dimension| dimension.name).collect();
    assert_eq!(names, ["all", "phase", "move type", "from- and to-square", "distance", "piece"]);
    let of = |dimension: usize, name: &str| {
        slices.dimensions[dimension].slices.iter().find(|slice| slice.name == name).expect("the slice")
    };
    let place = slices.rows.iter().position(|label| label == "shaw").expect("the row");
    // The reference stands second, 0.1 nats off where a knight moves; shaw stands first, not off.
    let knight = of(3, "knight").differences[place].expect("three seeds");
    assert!((knight.mean + 0.1).abs() < 1e-6 && knight.interval(0.95).high < -0.09, "{knight:?}");
    let rank = of(3, "rank").differences[place].expect("three seeds");
    assert!(rank.mean.abs() < 1e-6, "{rank:?}");
    assert_eq!((of(3, "knight").positions, of(0, "all positions").positions), (60, 180));
    assert!((of(0, "all positions").differences[place].expect("three seeds").mean + 0.1 / 3.0).abs() < 1e-6);
}

#[test]
fn games_are_set_side_by_side() {
    let report = Folder::of_two_games().report();
    let transfer = &report.transfer[0];
    assert_eq!((transfer.games.clone(), transfer.rows.len()), (["chess".to_owned(), "shogi".to_owned()], 2));
    // Both games have the same numbers here.
    close(transfer.ranks.expect("three rows").tau, 1.0);
    let interaction = transfer.rows[0].interaction.expect("three seeds each");
    close(interaction.test.mean, 0.0);
    close(interaction.holm_p, 1.0);
    for comparable in ["policy_loss.novel", "policy_kl", "policy_accuracy", "policy_top5.opening"] {
        assert_eq!(incomparable(comparable), None);
    }
    for (metric, reason) in [
        ("value_accuracy", "drawn"),
        ("win_rate_accuracy", "drawn"),
        ("policy_loss_unmasked", "vocabularies"),
        ("legal_mass.opening", "vocabularies"),
        ("policy_entropy", "no better side"),
        ("map_loss", "boards"),
        ("moves_left_loss", "lengths"),
        ("soft_policy_loss", "not equally hard"),
        ("policy_los", "does not know"),
    ] {
        assert!(incomparable(metric).is_some_and(|why| why.contains(reason)), "{metric}: {:?}", incomparable(metric));
    }
}

#[test]
fn an_effect_in_units_of_a_deviation_with_one_degree_of_freedom_is_not_known() {
    let mut folder = Folder::of_two_games();
    folder.edit(|plan| {
        plan.rows.retain(|row| row.label != "rope");
        plan.seeds.truncate(2);
    });
    let tables = tables(&folder.report());
    let table =
        tables.iter().find(|table| table[0].contains(&"chess: effect".to_owned())).expect("a table of transfer");
    assert_eq!(table[1][0], "Shaw");
    assert_eq!(table[1][3..5], ["–", "–"]);
}

#[test]
fn rows_are_matched_by_encoding_where_rates_are_chosen_by_game() {
    let mut folder = Folder::of_two_games();
    let dir = folder.path().to_owned();
    for row in &mut folder.plan.rows {
        let rate = match (row.game, &row.label[..]) {
            (GameKind::Chess, "shaw") => 64.0,
            (GameKind::Shogi, "shaw") => 16.0,
            _ => 1.0,
        };
        if row.label == "shaw" {
            row.label = format!("shaw, encoding rate × {rate}");
        } else if row.label == "rope" && row.game == GameKind::Shogi {
            row.label = "alibi".to_owned();
        }
        let encoding = row.label.split([',', '-']).next().expect("a name");
        let model = json!({"chessformer": {"layers": 2, "width": 48, "ff": 96}});
        let config = json!({"encoding": [encoding], "model": model, "train": {"encoding_rate": rate}});
        for path in SEEDS.map(|seed| Plan::cell_dir(&dir, row, seed).join("manifest.json")) {
            change_lines(&path, |manifest| manifest["config"] = config.clone());
        }
    }
    folder.write_plan();
    let report = folder.report();
    let transfer = &report.transfer[0];
    let labels: Vec<_> =
        transfer.rows.iter().map(|row| (&row.label[..], row.labels.each_ref().map(|l| &l[..]))).collect();
    assert_eq!(labels, [("shaw", ["shaw, encoding rate × 64", "shaw, encoding rate × 16"])]);
    assert_eq!(transfer.unpaired, [vec!["rope".to_owned()], vec!["alibi".to_owned()]]);
    drawn(&report).iter().for_each(|drawn| has(drawn, &["rows of chess without a partner on shogi: "]));
    says(&report, &["rows matched by encoding, with settings chosen by game: \"Shaw, "]);
}

#[test]
fn means_at_other_steps_are_not_subtracted() {
    let report = Folder::finished().report();
    let mut other = report.clone();
    assert!(!side_by_side::between(&report, &other, "chess").is_empty());
    other.primary.at = ReadAt::Step(100);
    assert_eq!(side_by_side::between(&report, &other, "chess"), []);
}

#[test]
fn one_seed_gives_differences_without_intervals() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.seeds.truncate(1));
    let report = folder.report();
    close(comparison(&report, "shaw").mean().expect("a pair"), -0.1);
    let drawn = markdown::draw(&report);
    assert!(drawn.contains("| Shaw | 1/1 | 2.300 | −0.100 | – | – | needs ≥ 3 complete pairs, has 1 |"), "{drawn}");
    let compared = side_by_side::compare(&[report.clone(), report.clone()]);
    assert_eq!(compared[1].rows[1][1], "−0.100 no verdict");
    let table = Csv::of(&report);
    close(table.number("shaw", "difference"), -0.1);
    assert_eq!((table.at("shaw", "low"), table.at("shaw", "p")), ("", ""));
}

#[test]
fn games_are_compared_by_the_share_of_what_can_be_learnt() {
    let mut folder = Folder::of_two_games();
    // In shogi every loss, the floor and the loss of a uniform choice are twice as high.
    let cells: Vec<_> = folder.plan.rows.iter().filter(|row| row.game == GameKind::Shogi).collect();
    for (row, seed) in cells.iter().flat_map(|row| SEEDS.map(|seed| (row, seed))) {
        change_lines(&Plan::cell_dir(folder.path(), row, seed).join("metrics.jsonl"), |line| {
            for name in ["policy_loss", "policy_kl", "uniform_baseline"] {
                if let Some(value) = line["metrics"][name].as_f64() {
                    line["metrics"][name] = json!(2.0 * value);
                }
            }
        });
    }
    let report = folder.report();
    let transfer = &report.transfer[0];
    let shaw = transfer.rows.iter().find(|row| row.label == "shaw").expect("the row");
    // 0.09667 nats of 3.4 − 0.3 in chess, and twice both in shogi.
    shaw.effects.iter().for_each(|effect| close(effect.difference, 0.096_666_666_666_666_68 / 3.1));
    let interaction = shaw.interaction.expect("nats of both games are shares");
    assert!(interaction.test.mean.abs() < 1e-9 && interaction.test.p > 0.999, "{interaction:?}");
    let raw = |game: usize| report.games[game].rows[1].comparison.as_ref().expect("a row").test.expect("pairs").mean;
    close(raw(1), 2.0 * raw(0));
    says(&report, &["3.400 and 0.300 nats on chess, 6.800 and 0.600 nats on shogi"]);
    lacks(&text::draw(&report), &["does not compare across games"]);

    // Over all moves of a vocabulary nothing compares.
    folder.edit(|plan| plan.rows.iter_mut().for_each(|row| row.mask = Mask::None));
    let report = folder.report();
    assert!(report.transfer[0].incomparable.is_some_and(|why| why.contains("vocabularies")));
    assert!(report.transfer[0].rows.iter().all(|row| row.interaction.is_none()));
    assert_eq!(report.games[0].learnable, None, "a uniform choice among legal moves is no measure of them");
}

#[test]
fn positions_that_cannot_be_read_leave_slices_out_and_nothing_else() {
    let folder = Folder::of_two_games();
    fs::write(folder.cell("shaw", 0).join("test-positions.parquet"), b"damaged").expect("written");
    let report = folder.report();
    let slices = report.games[0].slices.first().expect("the others stored positions");
    let place = slices.rows.iter().position(|label| label == "shaw").expect("the row");
    assert!(slices.dimensions[0].slices[0].differences[place].is_some(), "two seeds are left");
}

#[test]
fn a_given_difference_gets_its_seeds_and_its_power() {
    let mut folder = Folder::finished();
    let asked = ReportOptions { difference: Some(0.02), ..ReportOptions::default() };
    let report = Report::with_options(folder.path(), &asked).expect("a report");
    let precision = |label: &str| comparison(&report, label).precision.expect("three pairs");
    assert_eq!(precision("shaw").seeds, Some(3), "seeds for the observed difference");
    // statsmodels 0.15.0: TTestPower().power(0.02 / sd, 3, 0.05 / 2), and the least n whose power reaches 0.8, with
    // sd = 0.00577350269189639 of shaw's differences and 0.02 of rope's.
    let [shaw, rope] = ["shaw", "rope"].map(|label| precision(label).target.expect("a difference was given"));
    close(shaw.power, 0.599_109_841_433);
    assert_eq!(shaw.seeds, Some(4));
    close(rope.power, 0.089_428_807_758);
    assert_eq!(rope.seeds, Some(13));
    says(&report, &["seeds for 0.02", "power for 0.02"]);
    assert!(!text::draw(&folder.report()).contains("power for"), "none was given");
    folder.edit(|plan| plan.primary.difference = Some(0.02));
    assert_eq!(folder.report(), report, "the file may give one");
}

#[test]
fn systems_of_several_architectures_share_one_table_over_games() {
    let folder = Folder::of_two_games();
    let of = |model: Value, moves: &str| json!({"model": model, "encoding": [{"rope": {}}], "input": "tokens_68", "moves": moves, "train": {}});
    let former = json!({"chessformer": {"layers": 2, "width": 48, "ff": 128}});
    let one_system = |when: &str| assert!(!text::draw(&folder.report()).contains("all systems"), "{when}");
    for label in ["absolute", "shaw", "rope"] {
        folder.run(label, &of(former.clone(), "from_to"));
        one_system("one architecture, one vocabulary, also while rows have not begun");
    }
    for row in folder.plan.rows.iter().filter(|row| row.game == GameKind::Shogi) {
        for seed in SEEDS {
            let to = Plan::cell_dir(folder.path(), row, seed).join("manifest.json");
            fs::copy(folder.cell(&row.label, seed).join("manifest.json"), to).expect("a copy");
        }
    }
    folder.run("shaw", &of(json!({"decoder": {"layers": 1, "width": 32, "ff": 64}}), "chessdecoder_1924"));
    let drawn = text::draw(&folder.report());
    let (table, rest) =
        drawn.split_once("all systems, on test positions\n").expect("a table").1.split_once("\n\n").expect("an end");
    let cells = |network: &str| -> Vec<Vec<&str>> {
        let lines = table.lines().filter(|line| line.contains(network));
        lines.map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
    };
    let decoder = cells("decoder 1×32/64");
    // 2 · (1000 + 400 + 200) operations, and 20 ms in the first of the folder's step times.
    let expected = "chess|decoder 1×32/64|tokens_68|chessdecoder_1924|rope|1,383,600|0.0032|20.0|2.313 ± 0.015|40.00 ± 0|\
                    0.9000 ± 0|60.00 ± 0";
    assert_eq!(decoder.iter().map(|cells| cells.join("|")).collect::<Vec<_>>(), [expected]);
    assert_eq!(cells("chessformer 2×48/128").len(), 5, "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with("shogi")).count(), 3, "{table}");
    assert!(table.contains("3.400 on chess, 3.400 on shogi") && !table.contains('†'), "{table}");
    assert!(rest.contains("MFLOPs"), "the table of costs has them too");
}
