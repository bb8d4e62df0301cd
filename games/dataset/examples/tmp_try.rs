//! throwaway
use dataset::*;
use std::sync::Arc;
use std::time::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let game = if a[1] == "chess" { games::GameKind::Chess } else { games::GameKind::Shogi };
    let out = std::path::PathBuf::from(&a[3]);
    let t = Instant::now();
    if !out.exists() {
        let r = import(&ImportOptions {
            inputs: vec![a[2].clone().into()], output: out.clone(), name: "x".into(), game, source: "s".into(), licence: "l".into(), made_by: "m".into(),
            policy_from_ply: 30, ply_cap: Some(if a[1]=="chess" {400} else {320}), max_games: a.get(4).and_then(|s| s.parse().ok()),
            fractions: PerSplit { train: 0.8, validation: 0.08, test: 0.12 }, split_seed: 0, strict: false,
            manifest_text: |m| serde_json::to_string_pretty(m).map_err(|e| e.to_string()),
        }, &mut |p| eprintln!("{p:?}")).unwrap();
        eprintln!("import {:?}\n{}", t.elapsed(), serde_json::to_string_pretty(&r.manifest).unwrap());
        eprintln!("{:?}", r.first_rejected);
    }
    let m: Manifest = serde_json::from_str(&std::fs::read_to_string(out.join(MANIFEST_FILE)).unwrap()).unwrap();
    let t = Instant::now();
    let d = Arc::new(Dataset::open(&out, m).unwrap());
    eprintln!("open {:?}", t.elapsed());
    let t = Instant::now();
    eprintln!("{}", serde_json::to_string_pretty(&summarise(&d).unwrap().splits).unwrap());
    eprintln!("info {:?}", t.elapsed());
    eprintln!("{:?}", bench_loader(&d, games::InputName::PieceTokens, 256, 2, Duration::from_secs(3)).unwrap());
}
