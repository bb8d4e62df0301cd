//! A row's network in a few words.

use super::files::CellRecord;
use super::model::System;
use serde_json::Value;

/// A row's system, once a cell has a manifest with its run.
pub(super) fn of(cells: &[CellRecord]) -> Option<System> {
    cells.iter().find_map(|cell| of_run(&cell.facts.as_ref()?.config))
}

fn of_run(run: &Value) -> Option<System> {
    let word = |key: &str| run.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (architecture, options) = run.get("model")?.as_object()?.iter().next()?;
    let sizes = sizes(options) + &additions(options);
    let encodings = run.get("encoding")?.as_array()?.iter().filter_map(name);
    Some(System {
        network: format!("{architecture} {sizes}").trim_end().to_owned(),
        architecture: architecture.clone(),
        input: word("input"),
        moves: word("moves"),
        encoding: encodings.collect::<Vec<_>>().join("+"),
    })
}

/// `rope` of `rope` and of `{rope: {…}}`.
fn name(encoding: &Value) -> Option<&str> {
    encoding.as_str().or_else(|| encoding.as_object()?.keys().next().map(String::as_str))
}

/// The plies of a decoder and the moves of a refinement pass.
fn additions(options: &Value) -> String {
    let size = |of: Option<&Value>| of.and_then(Value::as_u64);
    let plies = size(options.get("plies")).map(|plies| format!(", {plies} plies"));
    let moves = size(options.pointer("/refinement/moves")).map(|moves| format!(", {moves} moves refined"));
    plies.into_iter().chain(moves).collect()
}

/// Layers × width / feed-forward; a network of two parts has the sum of their layers written out, `1+1×32/32`.
fn sizes(options: &Value) -> String {
    let parts: Vec<&Value> = match (options.get("resnet"), options.get("attention")) {
        (Some(convolutions), Some(attention)) => vec![convolutions, attention],
        _ => vec![options],
    };
    let all = |keys: [&str; 2]| -> Vec<String> {
        let sizes = parts.iter().filter_map(|part| keys.iter().find_map(|key| part.get(key)?.as_u64()));
        sizes.map(|size| size.to_string()).collect()
    };
    let (layers, width, inside) = (all(["layers", "blocks"]), all(["width", "channels"]), all(["ff", "ff"]));
    let inside = inside.first().map_or_else(String::new, |size| format!("/{size}"));
    match width.first() {
        Some(width) => format!("{}×{width}{inside}", layers.join("+")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn system(model: Value, encoding: Value) -> [String; 2] {
        let run = json!({"model": model, "encoding": encoding, "input": "piece_tokens", "moves": "from_to"});
        let system = of_run(&run).expect("a run");
        [system.network, system.encoding]
    }

    #[test]
    fn networks_are_named_by_their_architecture_and_sizes() {
        let former = json!({"chessformer": {"layers": 2, "width": 48, "ff": 192, "value": {"hidden": 128}}});
        assert_eq!(
            system(former, json!([{"absolute": {"at": "gate"}}, "none"])),
            ["chessformer 2×48/192", "absolute+none"]
        );
        let again = json!({"chessformer": {"layers": 2, "width": 48, "ff": 48, "refinement": {"moves": 3}}});
        assert_eq!(system(again, json!([]))[0], "chessformer 2×48/48, 3 moves refined");
        let decoder = json!({"decoder": {"layers": 1, "width": 8, "ff": 16, "plies": 4}});
        assert_eq!(system(decoder, json!([]))[0], "decoder 1×8/16, 4 plies");
        let convolutions = json!({"resnet": {"blocks": 2, "channels": 32, "se": {"channels": 8}}});
        assert_eq!(system(convolutions, json!([{"none": {}}])), ["resnet 2×32", "none"]);
        let both = json!({"resnet_transformer": {"resnet": {"blocks": 1, "channels": 32}, "attention": {"layers": 3, "ff": 16}}});
        assert_eq!(system(both, json!([])), ["resnet_transformer 1+3×32/16", ""]);
        assert_eq!(of_run(&json!({"model": 3})), None);
    }
}
