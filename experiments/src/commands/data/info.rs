//! The text of `posenc data info`, and the first line about a dataset that was made.

use config::{counted, grouped};
use dataset::info::Bin;
use dataset::{Info, Manifest, PerSplit, Split, Unit};
use games::Phase;
use report::table::table;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn headline(folder: &Path, manifest: &Manifest) -> String {
    let positions = manifest.counts.positions;
    match manifest.unit {
        Unit::Game => {
            let games = counted(manifest.counts.kept, "game");
            format!("{}: {games} with {}\n", folder.display(), counted(positions, "position"))
        }
        Unit::Position => format!("{}: {}\n", folder.display(), counted(positions, "single position")),
    }
}

/// `train 8,000, validation 1,000, test 1,000`.
pub(crate) fn by_split(counts: &PerSplit<u64>) -> String {
    Split::ALL.map(|split| format!("{} {}", split.name(), grouped(counts[split]))).join(", ")
}

/// Width of the longest bar of a histogram.
const BAR: u64 = 40;

pub(super) fn text(info: &Info) -> String {
    let mut out = String::new();
    heading(&mut out, info).expect("a String takes every text");
    out.push_str(&splits(info));
    let total = |of: fn(&dataset::info::SplitInfo) -> &BTreeMap<&'static str, u64>| {
        let mut sums = BTreeMap::new();
        for split in Split::ALL {
            of(&info.splits[split]).iter().for_each(|(&name, count)| *sums.entry(name).or_insert(0) += count);
        }
        sums
    };
    let phases = total(|split| &split.phases);
    let in_order = Phase::ALL.iter().map(|phase| (phase.name(), phases.get(phase.name()).copied().unwrap_or(0)));
    histogram(&mut out, "positions by phase", in_order.collect());
    histogram(&mut out, "moves by kind", total(|split| &split.move_types).into_iter().collect());
    let unit = if is_single(info) { "positions" } else { "games" };
    histogram(&mut out, &format!("{unit} by result"), total(|split| &split.results).into_iter().collect());
    histogram(&mut out, &format!("{unit} by ending"), total(|split| &split.terminations).into_iter().collect());
    if let Some(map) = &info.manifest.map {
        let cells = map.counted(&info.manifest.counts.map_classes);
        let cells = cells.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        histogram(&mut out, &format!("labelled cells of the map \"{}\" by class", map.task), cells);
    }
    if !is_single(info) {
        bins(&mut out, "games by plies", &info.lengths.bins(), 0);
    }
    bins(&mut out, &format!("{unit} by average rating"), &info.ratings.bins(), 0);
    for (title, counts, digits) in [
        ("positions by value of the side to move", &info.values, 2),
        ("positions by score of the side to move", &info.scores, 0),
        ("positions by probability of a draw", &info.draws, 2),
        ("positions by moves of the policy target", &info.candidates, 0),
    ] {
        bins(&mut out, title, &counts.bins(), digits);
    }
    out
}

fn is_single(info: &Info) -> bool {
    info.manifest.unit == Unit::Position
}

fn heading(out: &mut String, info: &Info) -> std::fmt::Result {
    let manifest = &info.manifest;
    let (counts, plies) = (&manifest.counts, &info.plies);
    writeln!(out, "{} ({})", manifest.name, manifest.game.name())?;
    writeln!(out, "  source:   {}", manifest.source)?;
    writeln!(out, "  licence:  {}", manifest.licence)?;
    writeln!(out, "  made by:  {}", manifest.command())?;
    writeln!(out, "  content:  {}", manifest.content_hash)?;
    let (shards, bytes) = (counted(manifest.shards.len() as u64, "shard"), grouped(info.bytes));
    if is_single(info) {
        writeln!(out, "  rows:     {} in {shards}, {bytes} bytes", counted(counts.positions, "single position"))?;
        let clusters = if manifest.sampled.is_some() { "clustered by random game" } else { "unclustered" };
        writeln!(out, "            without games: no history, and intervals are {clusters}")?;
    } else {
        let (games, positions) = (grouped(counts.kept), counted(counts.positions, "position"));
        writeln!(out, "  games:    {games} with {positions} in {shards}, {bytes} bytes")?;
        let (min, median, mean, max) = (plies.min, plies.median, plies.mean, plies.max);
        writeln!(out, "  plies:    {min} to {max}, median {median}, mean {mean:.1}")?;
    }
    if let Some(sampled) = manifest.sampled {
        writeln!(out, "  sampled:  every {} plies of {} random games", sampled.every, grouped(sampled.games))?;
    }
    writeln!(out, "  targets:  the policy learns moves from ply {} on", manifest.policy_from_ply)?;
    if let Some(source) = manifest.value_source {
        writeln!(out, "  values:   Lc0's {} value, and the draw probability beside it", source.name())?;
    }
    writeln!(
        out,
        "  import:   {} records read, {} duplicates and {} rejected games left out",
        grouped(counts.read),
        grouped(counts.duplicates),
        grouped(counts.rejected)
    )?;
    for (filter, count) in counts.filtered_games.iter().chain(&counts.filtered_positions) {
        writeln!(out, "            left out by {filter}: {}", grouped(*count))?;
    }
    for bucket in &manifest.rating_buckets {
        writeln!(out, "            ratings {}: {}", bucket.name, counted(bucket.games, "game"))?;
    }
    for (kind, count) in &counts.rejected_by_kind {
        writeln!(out, "            rejected as {kind}: {}", grouped(*count))?;
    }
    writeln!(out)
}

fn splits(info: &Info) -> String {
    let first = usize::from(is_single(info));
    let line = |split: Split| {
        let part = &info.splits[split];
        let novel = part.novel_positions.map_or_else(
            || "-".to_owned(),
            |novel| format!("{:.1} %", 100.0 * novel as f64 / part.positions.max(1) as f64),
        );
        let numbers = [part.games, part.positions, part.policy_targets, part.values].map(grouped);
        let numbers = numbers[first..].to_vec();
        [vec![split.name().to_owned()], numbers, vec![novel]].concat()
    };
    let header = ["games", "positions", "policy targets", "with a score", "not in train"];
    let header = [&["split"][..], &header[first..]].concat();
    table(&header, &(1..header.len()).collect::<Vec<_>>(), Split::ALL.map(line))
}

/// A histogram of numbers, if there are any.
fn bins(out: &mut String, title: &str, bins: &[Bin], digits: usize) {
    let name = |bin: &Bin| match *bin {
        Bin { from, to: f64::INFINITY, .. } => format!("≥ {from:.digits$}"),
        Bin { from: f64::NEG_INFINITY, to, .. } => format!("≤ {to:.digits$}"),
        Bin { from, to, .. } => format!("{from:.digits$} … {to:.digits$}"),
    };
    let names: Vec<String> = bins.iter().map(name).collect();
    if !bins.is_empty() {
        histogram(out, title, names.iter().map(String::as_str).zip(bins.iter().map(|bin| bin.count)).collect());
    }
}

fn histogram(out: &mut String, title: &str, entries: Vec<(&str, u64)>) {
    let most = entries.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    out.push_str(&format!("\n{title}\n"));
    for (name, count) in entries {
        let bar = "#".repeat((count * BAR).div_ceil(most) as usize);
        out.push_str(&format!("  {name:<22} {:>12}  {bar}\n", grouped(count)));
    }
}
