//! Colour scales: a value is blue or red, as opaque as its share of the scale.

use crate::{Anchor, Canvas, escape};

const STEPS: usize = 41;
/// The largest ratio on a scale of [`log2_ratios_to_uniform`], as its log2.
const MOST: f64 = 3.0;

/// A colour scale; the middle is 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Shades {
    /// The value at the red end; the blue end is its negative.
    pub limit: f64,
    /// The labels at the blue end, in the middle and at the red end.
    pub labels: [String; 3],
}

impl Shades {
    /// The ends are the largest value and its negative.
    pub fn signed(values: &[f64]) -> Self {
        let limit = values.iter().filter(|value| value.is_finite()).fold(0.0, |most: f64, value| most.max(value.abs()));
        Self { limit, labels: [format!("−{}", short(limit)), "0".to_owned(), short(limit)] }
    }

    /// From −1 to 1.
    pub fn unit() -> Self {
        Self { limit: 1.0, labels: ["−1", "0", "1"].map(str::to_owned) }
    }

    /// Of [`log2_ratios_to_uniform`]: the same in all pictures.
    pub fn ratios() -> Self {
        let most = MOST.exp2();
        Self { limit: MOST, labels: [format!("1/{most}"), "even".to_owned(), format!("{most}×")] }
    }

    /// The place of a value between the ends, −1 and 1; 0 without a number.
    pub fn share(&self, value: f64) -> f64 {
        let share = if self.limit > 0.0 { value / self.limit } else { 0.0 };
        if share.is_nan() { 0.0 } else { share.clamp(-1.0, 1.0) }
    }

    /// Draws the scale with its labels below.
    pub fn draw(&self, canvas: &mut Canvas, (x, y): (f64, f64), width: f64) {
        let (top, height, step) = (y + 6.0, 9.0, width / STEPS as f64);
        canvas.rect("cell", (x, top), (width, height));
        for shade in 0..STEPS {
            let share = 2.0 * shade as f64 / (STEPS - 1) as f64 - 1.0;
            canvas.shade((x + shade as f64 * step, top), (step, height), share, "");
        }
        let [low, middle, high] = &self.labels;
        let below = top + height + 11.0;
        canvas.text("label", (x, below), Anchor::Start, low);
        canvas.text("label", (x + width / 2.0, below), Anchor::Middle, middle);
        canvas.text("label", (x + width, below), Anchor::End, high);
    }
}

impl Canvas {
    /// A rectangle in the colour of a share, with a tooltip.
    pub fn shade(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), share: f64, tooltip: &str) {
        let title = if tooltip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tooltip)) };
        let (class, opacity) = colour(share);
        self.push(&format!(
            r#"<rect class="{class}" fill-opacity="{opacity:.3}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}">{title}</rect>"#
        ));
    }
}

/// The class of a share, and its opacity.
pub(super) fn colour(share: f64) -> (&'static str, f64) {
    (if share < 0.0 { "low" } else { "high" }, share.abs())
}

/// Each value's ratio to a uniform share of their sum, as log2.
pub fn log2_ratios_to_uniform(values: &[f64]) -> Vec<f64> {
    let even = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| if even > 0.0 { (value / even).log2() } else { 0.0 }).collect()
}

/// A number with two or three significant digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    match value {
        _ if size == 0.0 || !value.is_finite() => "0".to_owned(),
        _ if !(0.001..1e4).contains(&size) => format!("{value:.1e}"),
        _ => format!("{value:.*}", usize::from(size < 100.0) + usize::from(size < 10.0) + usize::from(size < 0.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places_on_the_scale() {
        let ratios = log2_ratios_to_uniform(&[0.1, 0.2, 0.05, 0.05, 0.0]);
        let shares = ratios.iter().map(|ratio| Shades::ratios().share(*ratio)).collect::<Vec<_>>();
        // An even share is 0.08.
        assert!((shares[1] - 2.5_f64.log2() / 3.0).abs() < 1e-12 && shares[4] == -1.0, "{shares:?}");
        assert_eq!(log2_ratios_to_uniform(&[0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(Shades::ratios().labels, ["1/8", "even", "8×"]);
        let signed = Shades::signed(&[0.5, -2.0, f64::NAN]);
        assert_eq!([1.0, -7.0, f64::NAN].map(|value| signed.share(value)), [0.5, -1.0, 0.0]);
        assert_eq!(signed.labels, ["−2.00", "0", "2.00"]);
        assert_eq!(Shades::signed(&[0.0]).share(1.0), 0.0);
    }

    #[test]
    fn numbers_are_short() {
        let values = [0.0, 0.256, 0.0123, 1.26, 12.6, 4200.0, 0.00012];
        assert_eq!(values.map(short), ["0", "0.26", "0.012", "1.26", "12.6", "4200", "1.2e-4"]);
    }
}
