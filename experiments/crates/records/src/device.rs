//! How records name devices: `cpu`, or a GPU by kind and model, `cuda, NVIDIA H100 80GB HBM3`. A GPU's number is left out,
//! because two GPUs of one model compute the same. (Records of older versions have the number, `cuda:1`, and no model.)

/// Separates kind and model.
const MODEL: &str = ", ";
/// Separates kind and number, in records of older versions.
const NUMBER: char = ':';

pub const CPU: &str = "cpu";

/// The name of a GPU; without its model if that is unknown.
pub fn gpu(kind: &str, model: Option<&str>) -> String {
    model.map_or_else(|| kind.to_owned(), |model| format!("{kind}{MODEL}{model}"))
}

/// `cpu` or `cuda`.
pub fn kind(device: &str) -> &str {
    let (kind, _) = device.split_once(MODEL).unwrap_or((device, ""));
    kind.split_once(NUMBER).map_or(kind, |(kind, _)| kind)
}

/// The model in a GPU's name.
pub fn model(device: &str) -> Option<&str> {
    device.split_once(MODEL).map(|(_, model)| model)
}

/// Whether a cell that began on one device may resume on another. An older version's name has no model to compare.
pub fn is_same(began: &str, now: &str) -> bool {
    let is_numbered = |device: &str| model(device).is_none() && device.contains(NUMBER);
    kind(began) == kind(now) && (is_numbered(began) || is_numbered(now) || model(began) == model(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const H100: &str = "cuda, NVIDIA H100 80GB HBM3";

    #[test]
    fn a_name_has_its_kind_and_model() {
        assert_eq!(gpu("cuda", Some("NVIDIA H100 80GB HBM3")), H100);
        assert_eq!((kind(H100), model(H100)), ("cuda", Some("NVIDIA H100 80GB HBM3")));
        assert_eq!((kind(CPU), model(CPU)), ("cpu", None));
        assert_eq!((kind("cuda:1"), model("cuda:1")), ("cuda", None));
        assert_eq!(kind(&gpu("cuda", None)), "cuda");
        assert_eq!(kind("cuda, a model: of 8"), "cuda");
    }

    #[test]
    fn the_model_decides_and_the_number_does_not() {
        assert!(is_same(H100, H100) && is_same(CPU, CPU) && is_same("cuda", "cuda"));
        assert!(!is_same(H100, "cuda, NVIDIA H200") && !is_same(H100, CPU) && !is_same(H100, "cuda"));
        assert!(is_same("cuda:1", "cuda:0") && is_same("cuda:1", H100));
        assert!(!is_same("cuda:1", CPU));
    }
}
