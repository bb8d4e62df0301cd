//! The page in headless Chromium, where there is one; pictures are left in `target/tmp`.

use crate::chromium::Chromium;
use crate::folder::Folder;
use std::fs;
use std::path::Path;

/// Measures the page and writes what is wrong into the document.
const LOOK: &str = r#"
const faults = [];
addEventListener("error", event => faults.push("error: " + event.message));
addEventListener("securitypolicyviolation", event => faults.push("refused: " + event.violatedDirective));
addEventListener("load", () => {
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push("the page is wider than the window");
  const shown = [...document.querySelectorAll(".tile, .squares i, .difference svg, .badge")];
  for (const part of shown) {
    const box = part.getBoundingClientRect();
    if (part.closest("details:not([open])")) continue;
    if (box.width < 10 || box.height < 10) faults.push(part.className + " is " + box.width + " by " + box.height);
  }
  for (const tile of document.querySelectorAll(".tile")) {
    const [seed, number] = ["small", "b"].map(name => tile.querySelector(name).getBoundingClientRect());
    if (number.width > 0 && seed.right > number.left) faults.push("a number covers the seed");
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const paper = getComputedStyle(document.body).backgroundColor;
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = "seen:" + shown.length + ";dark:" + dark + ";paper:" + paper + ";faults:" + faults.join("|") + ";";
  document.body.append(result);
});
"#;

#[test]
fn the_page_fits_a_screen_and_a_phone_light_and_dark() {
    let Some(browser) = Chromium::found() else { return };
    let small = Folder::half_way();
    let labels: Vec<String> = (0..100).map(|row| format!("row-{row}")).collect();
    let large = Folder::new(&labels, 5);
    for row in 0..100 {
        (0..5).for_each(|seed| large.done_in_short(row, seed, 2.0 + 0.01 * row as f64, row % 4));
    }
    // 12 tiles, 4 plots, 3 badges; 500 squares, 100 plots, 99 badges.
    for (name, folder, parts) in [("small", &small, "19"), ("large", &large, "699")] {
        let page = folder.page();
        let nonce = page.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
        let (path, looked) = (folder.path().join("page.html"), folder.path().join("looked.html"));
        let look = format!("<script nonce=\"{nonce}\">{LOOK}</script></head>");
        fs::write(&path, &page).expect("the page is written");
        fs::write(&looked, page.replace("</head>", &look)).expect("the page is written");
        for (look, size, dark) in
            [("wide", "1400,1000", false), ("phone", "390,844", false), ("dark", "1400,1000", true)]
        {
            let size = format!("--window-size={size}");
            let scheme = format!("--blink-settings=preferredColorScheme={}", if dark { 0 } else { 1 });
            let document = browser.open(&looked, "", &[&size, &scheme, "--dump-dom"]);
            let part = |name: &str| {
                let rest = document.split("id=\"seen\">").nth(1).and_then(|seen| seen.split(name).nth(1));
                rest.and_then(|rest| rest.split(';').next()).unwrap_or_else(|| panic!("{look}: {document}"))
            };
            assert_eq!((part("seen:"), part("faults:")), (parts, ""), "{name} {look}");
            assert_eq!(part("dark:"), dark.to_string(), "{name} {look}");
            assert_eq!(part("paper:") == "rgb(20, 23, 26)", dark, "{name} {look}: {}", part("paper:"));
            let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("watch-{name}-{look}.png"));
            let shot = format!("--screenshot={}", picture.display());
            browser.open(&path, "", &[&size, &scheme, &shot]);
            assert!(picture.is_file(), "{}", picture.display());
            println!("{}", picture.display());
        }
    }
}
