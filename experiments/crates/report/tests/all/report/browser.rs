//! The HTML report in a browser: headless Chromium, where there is one.

use crate::chromium::Chromium;
use crate::report::folder::Folder;
use report::html;
use std::fs;

/// Unfolds everything, measures every plot in the page and writes what it finds into the document.
const LOOK: &str = r#"<script>
const faults = [];
addEventListener("error", event => faults.push("error: " + event.message));
addEventListener("load", () => {
  const seen = [], apart = (a, b) => a.right < b.left + 2 || b.right < a.left + 2 || a.bottom < b.top + 4 || b.bottom < a.top + 4;
  document.querySelectorAll("details").forEach(part => part.open = true);
  for (const plot of document.querySelectorAll("svg.plot")) {
    const box = plot.getBoundingClientRect();
    const marks = [...plot.querySelectorAll(".mark")].filter(mark => {
      const own = mark.getBoundingClientRect(), style = getComputedStyle(mark);
      const inside = own.left >= box.left - 1 && own.right <= box.right + 1 && own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
      return inside && own.width > 2 && style.visibility === "visible" && style.fill !== "none";
    });
    const texts = [...plot.querySelectorAll("text")].filter(text => {
      const own = text.getBoundingClientRect();
      return own.left < box.left - 2 || own.right > box.right + 2 || own.top < box.top - 2 || own.bottom > box.bottom + 2;
    });
    const labels = [...plot.querySelectorAll(".label, .name")].map(text => [text.textContent, text.getBoundingClientRect()]);
    labels.forEach(([one, a], i) => labels.slice(0, i).forEach(([other, b]) => {
      if (!apart(a, b)) faults.push(plot.id + ": " + one + " lies on " + other);
    }));
    for (const text of plot.querySelectorAll("text")) {
      const high = parseFloat(getComputedStyle(text).fontSize) * box.width / plot.viewBox.baseVal.width;
      if (high < 10.9) faults.push(plot.id + ": " + text.textContent + " is " + high + " pixels high");
    }
    if (box.width < 200 || box.height < 60) faults.push(plot.id + " is " + box.width + " by " + box.height);
    if (marks.length === 0) faults.push(plot.id + " shows no mark");
    texts.forEach(text => faults.push(plot.id + " cuts off " + text.textContent));
    seen.push(plot.id);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push("the page is wider than the window");
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = "seen:" + seen.join(",") + ";faults:" + faults.join("|") + ";";
  document.body.append(result);
});
</script>"#;

#[test]
fn every_plot_is_visible_in_a_browser() {
    let Some(browser) = Chromium::found() else { return };
    let folder = Folder::with_an_interaction();
    let page = html::draw(&folder.report());
    let ids: Vec<&str> =
        page.split("<svg class=\"plot\" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() >= 8 && ids.contains(&"chess-interactions-0"), "{ids:?}");
    let path = folder.path().join("report.html");
    fs::write(&path, page.replace("</head>", &format!("{LOOK}</head>"))).expect("the page is written");
    for options in [["--window-size=1200,900"], ["--window-size=500,900"], ["--blink-settings=preferredColorScheme=0"]]
    {
        let document = browser.open(&path, "", &[options, ["--dump-dom"]].concat());
        let part = |name: &str| {
            let rest = document.split("id=\"seen\">").nth(1).and_then(|seen| seen.split(name).nth(1));
            rest.and_then(|rest| rest.split(';').next()).unwrap_or_else(|| panic!("{options:?}: {document}"))
        };
        assert_eq!(part("seen:").split(',').collect::<Vec<_>>(), ids, "{options:?}");
        assert_eq!(part("faults:"), "", "{options:?}");
    }
}
