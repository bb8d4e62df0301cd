//! The page as text.

use crate::folder::Folder;
use facts::Role;
use facts::row_name::readable;
use games::GameKind;
use std::time::Duration;
use watch::write;

fn count(page: &str, part: &str) -> usize {
    page.matches(part).count()
}

#[track_caller]
fn assert_has(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part:?} is not in:\n{page}");
    }
}

#[test]
fn a_page_shows_every_cell_with_its_state() {
    let folder = Folder::half_way();
    let page = folder.watch().page(Some(Duration::from_secs(7))).unwrap();
    assert_has(&page, &["<b>7 of 12 cells</b> done, 1 running, 3 pending, 1 failed", "650 positions/s"]);
    for (state, cells) in [("done", 7), ("running", 1), ("pending", 3), ("failed", 1)] {
        assert_eq!(count(&page, &format!("<div class=\"tile {state}\"")), cells, "{state}");
    }
    // Curves of the cells that have lines, and plots of all rows.
    assert_eq!((count(&page, "<polyline class=\"line "), count(&page, "class=\"zero\"")), (8, 4));
    // 600 of 1,000 steps at half a second, and three cells of 1,000 steps after them.
    assert_has(&page, &["<b>2.300</b>", "<b>2.987…</b>", "<em>5 min</em>", "<b>about 30 min left</b>"]);
    let reason =
        "<b>chess RoPE seed 2</b> not finite: step 7: the loss is not finite; <span class=\"soft\">lower the learning";
    assert_has(&page, &[reason, "<em>not finite</em>", "http-equiv=\"refresh\" content=\"7\""]);
    assert!(!page.contains("://") && !page.contains(" src="), "the page needs nothing else");
    assert!(!folder.page().contains("\"refresh\""));
}

#[test]
fn there_is_no_verdict_before_all_seeds_of_row_and_reference_have_ended() {
    let mut folder = Folder::new(&["absolute", "shaw"], 3);
    for (seed, own, other) in [(0, 2.30, 2.40), (1, 2.33, 2.42)] {
        folder.done(1, seed, own);
        folder.done(0, seed, other);
    }
    let none = |page: &str, pairs: &str| {
        assert_has(page, &[pairs]);
        assert!(!page.contains("class=\"badge better") && !page.contains('▲'), "{page}");
        assert_eq!(count(page, "<circle"), 2);
    };
    none(&folder.page(), "2 of 3 seeds");
    folder.done(1, 2, 2.31);
    none(&folder.page(), "2 of 3 seeds");
    folder.running(0, 2, 900);
    let mut watch = folder.watch();
    none(&watch.page(None).unwrap(), "2 of 3 seeds");
    folder.done(0, 2, 2.41);
    watch.refresh().unwrap();
    assert!(watch.is_over());
    let page = watch.page(Some(Duration::from_secs(5))).unwrap();
    // The corrected interval of the report, whose tests compare it with SciPy.
    assert_has(&page, &["<span class=\"badge better\">▲ better</span> <small>−0.097 [−0.111, −0.082]</small>"]);
    assert_eq!(count(&page, "<circle"), 3);
    assert!(!page.contains("\"refresh\""), "the run is over");
}

#[test]
fn an_encoding_has_one_colour_in_all_its_rows() {
    let labels =
        ["absolute, steps 250", "absolute, steps 750", "shaw, steps 250", "rope, steps 250", "shaw, steps 750"];
    let mut folder = Folder::new(&labels, 1);
    let shown = |folder: &Folder, classes: [&str; 5]| {
        let page = folder.page();
        for (label, class) in labels.iter().zip(classes) {
            assert_has(&page, &[&format!("<h3 class=\"{class}\">{}</h3>", readable(label))]);
        }
    };
    shown(&folder, ["ref", "c0", "c1", "c2", "c3"]);
    for row in &mut folder.plan.rows {
        let encoding = row.label.split(',').next().unwrap_or_default().to_owned();
        row.axes.insert("encoding".to_owned(), encoding);
    }
    folder.plan.write(folder.path()).unwrap();
    shown(&folder, ["ref", "ref", "c0", "c1", "c0"]);
}

#[test]
fn an_encoding_whose_options_differ_between_games_has_one_colour() {
    let mut folder = Folder::new(&["absolute", "shaw", "rope", "absolute", "shaw", "rope"], 1);
    for (place, row) in folder.plan.rows.iter_mut().enumerate() {
        let (game, theta) = if place < 3 { (GameKind::Chess, 10) } else { (GameKind::Shogi, 3) };
        row.game = game;
        row.role = if row.label == "absolute" { Role::Reference } else { Role::Compared };
        let encoding = if row.label == "rope" { format!("rope: {{theta: {theta}}}") } else { row.label.clone() };
        row.axes.insert("encoding".to_owned(), encoding);
    }
    folder.plan.write(folder.path()).unwrap();
    let page = folder.page();
    assert_eq!(count(&page, "<h3 class=\"c0\">Shaw</h3>"), 2, "{page}");
    assert_eq!(count(&page, "<h3 class=\"c1\">RoPE</h3>"), 2, "{page}");
    // With two of the name in a game, options tell them apart.
    folder.plan.rows[1].axes.insert("encoding".to_owned(), "rope: {theta: 5}".to_owned());
    folder.plan.write(folder.path()).unwrap();
    assert_has(&folder.page(), &["<h3 class=\"c1\">RoPE</h3>", "<h3 class=\"c3\">RoPE</h3>"]);
}

#[test]
fn thousands_of_cells_are_squares_that_fold_in_a_page_of_less_than_a_megabyte() {
    let labels: Vec<String> = (0..600).map(|row| format!("encoding-{row}, encoding rate × 64")).collect();
    let folder = Folder::new(&labels, 5);
    for row in 0..600 {
        for seed in 0..5 {
            let noise = ((row as u64 * 7 + seed * 3) % 11) as f64 * 0.01;
            folder.done_in_short(row, seed, 2.0 + noise, row % 20);
        }
    }
    folder.failed(599, 4, "out of memory");
    let page = folder.page();
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    assert_eq!((count(&page, "<i class=\"d\""), count(&page, "<i class=\"f\"")), (2999, 1));
    assert_eq!((count(&page, "<details id=\"chess-"), count(&page, "class=\"tile ")), (20, 0));
    assert_has(&page, &["<b>train.batch = 19</b> 149 of 150 done, 1 failed</summary>"]);
}

#[test]
fn a_large_grid_folds_by_an_axis_of_its_plan_before_its_cells_begin() {
    let labels: Vec<String> = (0..200).map(|row| format!("encoding-{row}")).collect();
    let mut folder = Folder::new(&labels, 3);
    for (place, row) in folder.plan.rows.iter_mut().enumerate() {
        row.axes.insert("train.batch".to_owned(), (place % 4 * 32).to_string());
    }
    folder.plan.write(folder.path()).unwrap();
    let page = folder.page();
    assert_eq!(count(&page, "<details id=\"chess-"), 4);
    assert_has(&page, &["<b>train.batch = 96</b> 0 of 150 done"]);
}

#[test]
fn rows_that_have_begun_come_first_in_the_order_of_the_plan() {
    let order = |page: &str, labels: &[&str]| {
        let place = |label: &&str| page.find(&format!(">{}</h3>", readable(label))).expect("a row");
        assert!(labels.iter().map(place).is_sorted(), "{labels:?}: {page}");
    };
    let mut folder = Folder::new(&["absolute", "shaw", "rope", "lepe", "none"], 2);
    order(&folder.page(), &["absolute", "shaw", "rope", "lepe", "none"]);
    folder.done(3, 0, 2.4);
    folder.running(1, 1, 100);
    order(&folder.page(), &["shaw", "lepe", "absolute", "rope", "none"]);
    let labels: Vec<String> = (0..500).map(|row| format!("encoding-{row}")).collect();
    let large = Folder::new(&labels, 1);
    [499, 7].into_iter().for_each(|row| large.done_in_short(row, 0, 2.4, 4));
    order(&large.page(), &["encoding-7", "encoding-499", "encoding-0", "encoding-498"]);
}

#[test]
fn named_rows_have_their_names_differences_and_verdicts() {
    let mut folder = Folder::half_way();
    folder.plan.rows[1].name = Some("Shaw's table".to_owned());
    folder.plan.write(folder.path()).unwrap();
    assert_has(&folder.page(), &[">Shaw's table</h3>", "<span class=\"badge better\">▲ better</span>"]);
}

#[test]
fn names_and_reasons_of_others_stay_text() {
    const LABEL: &str = "=x\u{1b}]0;t\u{7}\r\"'><script>a</script><img onerror=a> \u{202e}\u{ffff}";
    let mut folder = Folder::half_way();
    folder.plan.question = Some(LABEL.to_owned());
    folder.plan.rows[1].label = LABEL.to_owned();
    folder.plan.write(folder.path()).unwrap();
    folder.failed(1, 1, LABEL);
    let page = folder.page();
    let acts = |c: &char| *c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{ffff}'));
    assert_eq!(page.chars().find(acts), None);
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert_eq!(count(&page, "&quot;'&gt;&lt;script&gt;a&lt;/script&gt;"), 4, "{page}");
}

#[test]
fn a_changed_plan_is_read_again_and_a_damaged_cell_is_failed() {
    let mut folder = Folder::half_way();
    let mut watch = folder.watch();
    std::fs::write(folder.cell(1, 0).join("metrics.jsonl"), "{}\n").unwrap();
    folder.plan.rows.remove(3);
    folder.plan.write(folder.path()).unwrap();
    watch.refresh().unwrap();
    assert_has(&watch.page(None).unwrap(), &["<b>6 of 9 cells</b> done, 1 running, 2 failed", "<em>damaged</em>"]);
    std::fs::remove_file(folder.path().join("grid.json")).unwrap();
    let error = watch.refresh().unwrap_err().to_string();
    assert!(error.contains("holds no grid.json"), "{error}");
    assert!(watch.page(None).unwrap().contains("6 of 9 cells"), "what was read stays");
}

#[test]
fn a_file_is_written_until_every_cell_has_ended() {
    let mut folder = Folder::new(&["absolute"], 1);
    folder.running(0, 0, 500);
    let path = folder.path().join("page.html");
    let (mut watch, copy) = (folder.watch(), path.clone());
    let writer = std::thread::spawn(move || write(&mut watch, &copy, Duration::from_millis(20), &mut |_| {}));
    let read = || std::fs::read_to_string(&path).unwrap_or_default();
    while !read().contains("<b>0 of 1 cells</b> done, 1 running") {
        assert!(!writer.is_finished(), "{}", read());
        std::thread::sleep(Duration::from_millis(5));
    }
    folder.done(0, 0, 2.5);
    writer.join().expect("no panic").unwrap();
    assert_has(&read(), &["<b>1 of 1 cells</b> done · "]);
}
