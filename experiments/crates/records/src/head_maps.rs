//! `inspect/maps.safetensors`: the contribution of each attention head of a cell to the logits, by `posenc inspect`.

use crate::files;
use crate::inspected::DIR;
use games::GameKind;
use safetensors::SafeTensors;
use safetensors::tensor::Dtype;
use std::path::Path;

pub const FILE: &str = "maps.safetensors";

/// The name of a layer's map over displacements: `[heads, ranks, files]`.
fn name(layer: usize) -> String {
    format!("displacement.layer.{layer}")
}

/// The map of a head of a cell over displacements from the query's square, from the lower left, file by file. `None` if the
/// cell's folder has no such file, the file is longer than 64 MiB or damaged, or a number is not finite.
pub fn by_displacement(cell: &Path, game: GameKind, layer: usize, head: usize) -> Option<Vec<f64>> {
    let bytes = files::read(&cell.join(DIR).join(FILE)).ok()?;
    of_head(&bytes, game, layer, head)
}

fn of_head(bytes: &[u8], game: GameKind, layer: usize, head: usize) -> Option<Vec<f64>> {
    let file = SafeTensors::deserialize(bytes).ok()?;
    let tensor = file.tensor(&name(layer)).ok()?;
    let (files, ranks) = game.geometry().torus();
    let is_map = matches!(tensor.shape(), [heads, down, across] if head < *heads && [*down, *across] == [ranks, files]);
    if tensor.dtype() != Dtype::F64 || !is_map {
        return None;
    }
    let size = files * ranks * size_of::<f64>();
    let values = tensor.data().get(head * size..)?.get(..size)?.chunks_exact(size_of::<f64>());
    let values: Vec<f64> = values.filter_map(|value| Some(f64::from_le_bytes(value.try_into().ok()?))).collect();
    values.iter().all(|value| value.is_finite()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use safetensors::tensor::TensorView;

    fn file(shape: &[usize], values: &[f64]) -> Vec<u8> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let view = TensorView::new(Dtype::F64, shape.to_vec(), &bytes).expect("a tensor");
        safetensors::serialize([(name(1), view)], None).expect("a file")
    }

    #[test]
    fn a_head_has_its_part_of_the_layer() {
        let (files, ranks) = GameKind::Chess.geometry().torus();
        let values: Vec<f64> = (0..2 * files * ranks).map(|value| value as f64).collect();
        let bytes = file(&[2, ranks, files], &values);
        let of = |layer, head| of_head(&bytes, GameKind::Chess, layer, head);
        assert_eq!(of(1, 1), Some(values[files * ranks..].to_vec()));
        assert_eq!([of(0, 1), of(1, 2), of_head(&bytes, GameKind::Shogi, 1, 0)], [None, None, None]);
    }

    #[test]
    fn damaged_files_have_no_maps() {
        let (files, ranks) = GameKind::Chess.geometry().torus();
        let mut values = vec![0.0; files * ranks];
        let shape = [1, ranks, files];
        let whole = file(&shape, &values);
        values[3] = f64::NAN;
        for bytes in [&whole[..whole.len() - 1], &whole[..5], &file(&shape, &values)[..], b""] {
            assert_eq!(of_head(bytes, GameKind::Chess, 1, 0), None);
        }
        assert!(of_head(&whole, GameKind::Chess, 1, 0).is_some());
    }
}
