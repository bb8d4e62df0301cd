//! Names of rows as people write them.

/// The name of each encoding in the literature, where it is not the key of experiment files.
const ENCODINGS: [(&str, &str); 24] = [
    ("alibi", "ALiBi"),
    ("cls_map", "CLS map"),
    ("continuous_bias", "continuous bias"),
    ("cope", "CoPE"),
    ("deberta", "DeBERTa"),
    ("dynamic_relative", "dynamic relative"),
    ("fire", "FIRE"),
    ("gab_templates", "GAB templates"),
    ("irpe", "iRPE"),
    ("kerple", "KERPLE"),
    ("laplacian", "Laplacian"),
    ("lepe", "LePE"),
    ("liere", "LieRE"),
    ("log_buckets", "log buckets"),
    ("low_rank", "low rank"),
    ("pape", "PaPE"),
    ("pope", "PoPE"),
    ("relative_bias", "relative bias"),
    ("rope", "RoPE"),
    ("rove", "RoVE"),
    ("shaw", "Shaw"),
    ("spherical", "Spherical RoPE"),
    ("string", "STRING"),
    ("tab", "TAB"),
];

/// A row's label with the usual names of its encodings; other names stay as they are.
///
/// ```
/// use facts::row_name::readable;
///
/// assert_eq!(readable("shaw(q,k), encoding rate × 64"), "Shaw q,k, rate × 64");
/// assert_eq!(readable("absolute(gate) + relative_bias(displacement)"), "absolute gate + relative bias displacement");
/// assert_eq!(readable("My own row"), "My own row");
/// ```
pub fn readable(label: &str) -> String {
    words(label).into_iter().map(word).collect::<Vec<_>>().join(", ")
}

/// Whether a text is a row's label or the name that reports give it.
pub fn is_called(label: &str, text: &str) -> bool {
    text == label || text == readable(label)
}

/// The parts of a label, which commas separate: the encodings and the settings that distinguish it from others.
pub fn words(label: &str) -> Vec<&str> {
    label.split(", ").collect()
}

fn word(word: &str) -> String {
    if let Some(rate) = word.strip_prefix("encoding rate ") {
        return format!("rate {rate}");
    }
    // `train.learning_rate.cosine.from` by its last word.
    if word.strip_prefix("from ").is_some_and(|rate| rate.parse::<f64>().is_ok()) {
        return format!("lr {word}");
    }
    word.split(" + ").map(encoding).collect::<Vec<_>>().join(" + ")
}

/// `shaw(q,k)` as `Shaw q,k`; what follows, such as the number of a second configuration, stays.
fn encoding(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    let name = ENCODINGS.iter().find(|(known, _)| *known == key).map_or(key, |(_, name)| *name);
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((options, rest)) => format!("{name} {}{rest}", options.replace("theta=", "θ=").replace('_', " ")),
        None => format!("{name}{rest}"),
    }
}

/// The value of an axis without the options of its encodings: `rope` of `rope: {theta: 3}`.
pub fn without_options(encoding: &str) -> String {
    let mut depth = 0_usize;
    let mut is_outside = |character: char| {
        let before = depth;
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before == 0 && depth == 0
    };
    encoding.chars().filter(|&character| is_outside(character)).collect::<String>().replace(": ", "")
}

#[cfg(test)]
mod tests {
    use super::{readable, without_options};

    #[test]
    fn an_encoding_has_a_name_without_options() {
        assert_eq!(without_options("rope"), "rope");
        assert_eq!(without_options("rope: {theta: 3}"), "rope");
        assert_eq!(without_options("[shaw: {terms: [q, k], a: {b: 1}}, absolute]"), "[shaw, absolute]");
    }

    #[test]
    fn encodings_have_their_usual_names_with_their_options() {
        let names = [
            ("absolute", "absolute"),
            ("none", "none"),
            ("rope", "RoPE"),
            ("rope(axial_2d,theta=3)", "RoPE axial 2d,θ=3"),
            ("relative_bias, layers 2", "relative bias, layers 2"),
            ("smolgen(8/64/64) #2", "smolgen 8/64/64 #2"),
            ("lepe + shaw(q,k,v), lr 0.001", "LePE + Shaw q,k,v, lr 0.001"),
            ("absolute [= params of shaw by ffn 520]", "absolute [= params of shaw by ffn 520]"),
            ("shaw, tables shogi-shaw", "Shaw, tables shogi-shaw"),
            ("shaw, from 0.006", "Shaw, lr from 0.006"),
            ("", ""),
        ];
        for (label, name) in names {
            assert_eq!(readable(label), name, "{label}");
        }
    }
}
