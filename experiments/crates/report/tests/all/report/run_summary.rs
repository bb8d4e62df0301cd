//! The end of a run: every kind of grid on one screen.

use crate::report::folder::{Folder, SEEDS, has};
use crate::report::{figures, groups, hostile};
use facts::Role;
use games::GameKind;
use records::plan::Row;
use report::Report;
use report::model::GameReport;
use report::run_summary::{Ended, LINES, draw};
use std::path::Path;

fn ended() -> Ended<'static> {
    Ended {
        run_dir: Path::new("runs/by-hand"),
        program: "posenc",
        took_s: Some(382.0),
        before: 0,
        can_inspect: true,
        address: None,
        is_coloured: false,
    }
}

/// The ending of a report, which fits a screen and has no escape codes.
#[track_caller]
fn fits(report: &Report, ended: &Ended<'_>) -> String {
    let text = draw(report, ended);
    assert!(text.lines().count() <= LINES, "{text}");
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    text
}

/// The first words of the rows, below the header.
fn names(text: &str) -> Vec<&str> {
    let table = text.split("\n\n").nth(1).unwrap_or_else(|| panic!("a table: {text}"));
    table.lines().skip(1).filter_map(|line| line.split("  ").next()).map(str::trim).collect()
}

#[test]
fn two_games_stand_side_by_side_sorted_by_effect() {
    let folder = Folder::of_two_games();
    let text = fits(&folder.report(), &ended());
    let parts = [
        "by-hand: 24 of 24 cells in 6 min 22 s, none failed\n",
        "policy_loss in nats on test positions, lower is better; mean ± sd of 3 seeds\n",
        "verdicts: paired t-tests over seeds only, Holm over 4 comparisons\nrows: at one learning rate\n",
        "step: time, the reference's is 1; size: parameters of the encoding (chess)\n",
        "next: posenc report runs/by-hand --format html > by-hand.html  # plots\n",
        "      posenc inspect runs/by-hand  # ",
        "      tensorboard --logdir runs/by-hand  # ",
    ];
    has(&text, &parts);
    assert_eq!(names(&text), ["Shaw", "absolute", "RoPE", "A/A control"]);
    let shaw = text.lines().find(|line| line.starts_with("Shaw")).expect("a row");
    assert_eq!(shaw.matches("2.313 ± 0.015").count(), 2, "{shaw}");
    assert_eq!(shaw.matches(" better").count(), 2, "{shaw}");
    assert!(shaw.trim_end().ends_with("1.4 M") && shaw.contains("1.0×"), "{shaw}");
    let header = text.lines().find(|line| line.contains("shogi")).expect("a header");
    assert!(header.starts_with("             chess") && header.ends_with("step   size"), "{header}");
}

#[test]
fn three_games_stand_side_by_side_with_means_only() {
    let mut report = Folder::of_two_games().report();
    let third = GameReport { game: "minishogi".to_owned(), ..report.games[1].clone() };
    report.games.push(third);
    let text = fits(&report, &ended());
    has(&text, &["; mean of 3 seeds\n", "chess", "shogi", "minishogi"]);
    assert_eq!(names(&text), ["Shaw", "absolute", "RoPE", "A/A control"]);
    let shaw = text.lines().find(|line| line.starts_with("Shaw")).expect("a row");
    assert_eq!([shaw.matches("2.313 ").count(), shaw.matches(" better").count()], [3, 3], "{shaw}");
}

#[test]
fn an_ending_of_many_rows_has_room_for_the_address_of_tensorboard() {
    let address = "http://localhost:6006/?runFilter=over-seeds&tagFilter=n/policy_loss$&smoothing=0";
    let report = Folder::of_many_rows([2.6, 2.63, 2.61]).report();
    let text = fits(&report, &Ended { address: Some(address), ..ended() });
    assert!(text.ends_with(&format!("{address}\n")) && text.contains(" more rows: "), "{text}");
    let text = fits(&report, &Ended { address: Some(&address.replace("loss", "accuracy")[..]), ..ended() });
    assert!(!text.contains("http"), "it would not fit: {text}");
}

#[test]
fn an_address_never_stands_without_the_command_that_serves_it() {
    let report = Folder::of_many_rows([2.6, 2.63, 2.61]).report();
    for length in (20..400).step_by(10) {
        let run_dir = format!("runs/{}", "a-long-name/".repeat(length / 10));
        let address = Some("http://localhost:6006/");
        let text = draw(&report, &Ended { run_dir: Path::new(&run_dir), address, ..ended() });
        assert!(!text.contains("http") || text.contains("tensorboard"), "{length}: {text}");
    }
}

#[test]
fn verdicts_have_colours_where_the_terminal_has_them() {
    let report = Folder::of_two_games().report();
    let text = draw(&report, &Ended { is_coloured: true, ..ended() });
    assert_eq!(text.matches("\u{1b}[32mbetter\u{1b}[0m").count(), 2, "{text:?}");
    let plain = text.replace("\u{1b}[32m", "").replace("\u{1b}[33m", "").replace("\u{1b}[0m", "");
    assert_eq!(plain, fits(&report, &ended()), "the same text");
}

#[test]
fn names_keep_what_tells_them_apart() {
    let mut folder = Folder::finished();
    let labels = [
        ("shaw", "shaw(q,k), encoding rate × 4, steps 2250, layers 2, width 48, heads 3"),
        ("rope", "shaw(q,k), encoding rate × 64, steps 2250, layers 2, width 48, heads 3"),
        ("absolute", "absolute(input), encoding rate × 4, steps 2250, layers 4, width 96, heads 6"),
    ];
    for (label, long) in labels {
        folder.edit_rows(label, |row| row.label = long.to_owned());
    }
    let text = fits(&folder.report(), &ended());
    let [shaw, absolute] = ["Shaw q,k, rate × 4, layers 2", "absolute input, rate × 4, layers 4"];
    assert_eq!(names(&text), [shaw, absolute, "Shaw q,k, rate × 64, layers 2", "A/A control"]);
    has(&text, &["all rows: steps 2250\n"]);
}

#[test]
fn one_seed_gives_differences_without_a_verdict() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.seeds = vec![0]);
    let text = fits(&folder.report(), &ended());
    has(&text, &["; one seed\n", "2.300 −0.100", "the difference; needs ≥ 3 complete pairs, has 1\n"]);
    assert!(!text.contains("better ") && !text.contains("verdicts: "), "{text}");
}

#[test]
fn a_part_of_a_grid_shows_what_is_done() {
    let folder = Folder::new();
    folder.row("absolute", [2.40, 2.42, 2.41]);
    folder.done("shaw", 0, 2.3);
    let text = fits(&folder.report(), &Ended { took_s: None, ..ended() });
    has(&text, &["by-hand: 4 of 12 cells, none failed; 8 pending; nothing was trained\n"]);
    has(&text, &["mean ± sd of 1 to 3\n  seeds", " 1/3 seeds", " 0/3 seeds"]);
    let nothing = fits(&Folder::new().report(), &ended());
    has(&nothing, &["by-hand: 0 of 12 cells in 6 min 22 s, none failed; 12 pending", "; no cell is done\n"]);
}

#[test]
fn labels_that_differ_in_their_rates_only_by_game_are_one_name() {
    let mut folder = Folder::of_two_games();
    folder.edit_rows("absolute", |row| {
        row.label = format!("absolute, encoding rate × {}", if row.game == GameKind::Chess { 1 } else { 5 });
    });
    let text = fits(&folder.report(), &ended());
    assert_eq!(names(&text), ["Shaw", "absolute", "RoPE", "A/A control"]);
}

#[test]
fn rows_are_partners_before_their_cells_begin() {
    let mut folder = Folder::new();
    let shogi: Vec<Row> = folder.plan.rows.iter().map(Folder::in_shogi).collect();
    folder.edit(|plan| {
        plan.rows.extend(shogi);
        for row in &mut plan.rows {
            let rate = if row.game == GameKind::Chess { 64 } else { 16 };
            let values = [("encoding", row.label.clone()), ("train.encoding_rate", rate.to_string())];
            row.axes = values.map(|(name, value)| (name.to_owned(), value)).into();
            if row.label == "shaw" {
                row.label = format!("shaw, encoding rate × {rate}");
            }
        }
    });
    folder.done("absolute", 0, 2.4);
    folder.done("shaw", 0, 2.3);
    let text = fits(&folder.report(), &ended());
    let names = names(&text);
    assert_eq!((names.len(), names.iter().filter(|name| **name == "Shaw").count()), (4, 1), "{text}");
}

#[test]
fn of_many_rows_those_with_a_result_are_shown() {
    let mut folder = Folder::new();
    let rows: Vec<_> = (0..22).map(|number| folder.like(&format!("row-{number}"))).collect();
    folder.edit(|plan| plan.rows.extend(rows));
    folder.done("row-21", 0, 2.3);
    let text = fits(&folder.report(), &ended());
    has(&text, &["\nrow-21 ", "\nabsolute ", " more rows: "]);
}

#[test]
fn failures_are_named_with_their_cause() {
    let folder = Folder::finished();
    SEEDS.iter().for_each(|&seed| folder.failed("rope", seed, &format!("no data {}", "in a long path ".repeat(9))));
    let text = fits(&folder.report(), &ended());
    has(&text, &["by-hand: 9 of 12 cells in 6 min 22 s, 3 FAILED\n", "chess rope seed 0 FAILED: error: no data"]);
    has(&text, &["… and 1 more FAILED: posenc report runs/by-hand\n", " 0/3 seeds"]);
}

#[test]
fn each_group_has_its_reference() {
    let text = fits(&groups::grid().report(), &ended());
    let table = text.split("\n\n").skip(1).collect::<Vec<_>>();
    assert_eq!(table[0].lines().count() + table[1].lines().count(), 1 + 4, "a group each, and the header: {text}");
    for (group, lines) in [("2", &table[0]), ("4", &table[1])] {
        has(lines, &[&format!("absolute-{group}"), &format!("Shaw-{group}"), " reference"]);
    }
    has(table[2], &["A/A control"]);
}

#[test]
fn of_many_rows_the_best_the_reference_and_the_control_are_shown() {
    let folder = Folder::of_many_rows([1.6, 1.63, 1.61]);
    let text = fits(&folder.report(), &ended());
    let names = names(&text);
    let (more, shown) = names.split_last().expect("rows");
    assert_eq!(&shown[..3], ["row-0", "row-1", "row-2"]);
    assert_eq!(&shown[shown.len() - 2..], ["absolute", "A/A control"], "{text}");
    assert_eq!(*more, format!("… {} more rows: posenc report runs/by-hand", 25 + 1 - shown.len()));
    assert_eq!(text.lines().count(), LINES, "the screen is used: {text}");
}

#[test]
fn tuned_grids_say_so_and_warnings_are_counted() {
    let report = figures::folder().report();
    let text = fits(&report, &ended());
    has(&text, &["verdicts: paired t-tests over ", "\nrows: tuned\n"]);
    assert!(!report.warnings.is_empty());
    has(&text, &[&format!("{} warnings: posenc report runs/by-hand\n", report.warnings.len())]);
}

#[test]
fn long_folders_are_folded_as_a_shell_reads_them_and_quoted() {
    let run_dir = format!("results of 2026/{}", "a-long-name-".repeat(4));
    let long = Ended { run_dir: Path::new(&run_dir), can_inspect: false, ..ended() };
    let text = fits(&Folder::finished().report(), &long);
    has(&text, &[" \\\n"]);
    let command = text.split("next:").nth(1).expect("commands").replace(" \\\n", " ");
    let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
    has(&command, &[&format!("posenc report '{run_dir}' --format html > by-hand.html")]);
    assert!(!command.contains("inspect"), "{command}");
}

#[test]
fn long_names_leave_room_for_rows() {
    let mut folder = Folder::of_two_games();
    folder.edit(|plan| plan.experiment = format!("quickstart{}", "+train.steps=30".repeat(6)));
    let run_dir = format!("runs/{}", folder.plan.experiment);
    let text = draw(&folder.report(), &Ended { run_dir: Path::new(&run_dir), ..ended() });
    assert!(text.lines().count() <= LINES && text.contains("\nnext: posenc report"), "{text}");
    has(&text, &["\nShaw ", "\nabsolute ", "\nA/A control "]);
}

#[test]
fn rows_come_before_notes_and_commands() {
    let mut folder = Folder::of_many_rows([2.6, 2.63, 2.61]);
    let run_dir = format!("runs/{}", "a-long-name/".repeat(6));
    let text = draw(&folder.report(), &Ended { run_dir: Path::new(&run_dir), ..ended() });
    assert!(text.lines().count() <= LINES && names(&text).len() > 8 && text.contains("verdicts: "), "{text}");
    folder.edit(|plan| plan.rows.truncate(8));
    let text = fits(&folder.report(), &Ended { address: Some("http://localhost:6006/"), ..ended() });
    assert_eq!(names(&text).len(), 8, "{text}");
    has(&text, &["verdicts: ", "next: posenc report", "tensorboard "]);
}

#[test]
fn nothing_acts_in_a_terminal() {
    for is_coloured in [false, true] {
        let text = draw(&hostile::folder().report(), &Ended { is_coloured, ..ended() });
        assert!(text.lines().count() <= LINES, "{text}");
        let codes = ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m", "\u{1b}[0m"];
        let text = codes.iter().fold(text, |text, code| text.replace(code, ""));
        assert!(!text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn a_grid_without_a_reference_role_for_every_game_is_drawn() {
    let mut folder = Folder::finished();
    folder.edit(|plan| plan.rows.retain(|row| row.role == Role::Compared));
    let text = fits(&folder.report(), &ended());
    assert_eq!(names(&text), ["Shaw", "RoPE"]);
}
