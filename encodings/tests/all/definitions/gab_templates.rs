//! Σ_t m_ht·B_t(i−j) after the scale: B a perceptron of Fourier features of the displacement, m one of the squares' mean.

use super::smolgen::activate;
use super::*;
use encodings::gab_templates::Config;
use nn::Activation;

/// All templates at a displacement, divided by √T.
fn templates(config: &Config, given: &Given<'_>, r: f64, c: f64) -> Vec<f64> {
    let of = |name: &str| given.parameter(&format!("templates.{name}"));
    let mut features = vec![];
    for frequency in of("frequencies") {
        for steps in [r, c, r + c, r - c] {
            features.extend([(frequency * steps).sin(), (frequency * steps).cos()]);
        }
    }
    let hidden = affine(&of("hidden.weight"), Some(&of("hidden.bias")), &features);
    let hidden: Vec<_> = hidden.into_iter().map(|x| activate(config.activation, x)).collect();
    let values = affine(&of("output.weight"), Some(&of("output.bias")), &hidden);
    values.into_iter().map(|value| value / (config.templates as f64).sqrt()).collect()
}

/// `x / √(mean(x²) + 1e-5) · gain`.
fn rms_norm(x: &[f64], gain: &[f64]) -> Vec<f64> {
    let root = (dot(x, x) / x.len() as f64 + 1e-5).sqrt();
    x.iter().zip(gain).map(|(x, gain)| x / root * gain).collect()
}

/// The mixture m, `[h,T]`.
pub(super) fn mixture(activation: Activation, given: &Given<'_>, board: &Board) -> Vec<f64> {
    let activated = |x: Vec<f64>| x.into_iter().map(|x| activate(activation, x)).collect::<Vec<_>>();
    let compressed = affine(&given.of_layer("compress.weight"), None, &mean_of_squares(given, board));
    let summary = activated(affine(&given.of_layer("summary.weight"), None, &compressed));
    let summary = rms_norm(&summary, &given.of_layer("summary_norm.gain"));
    let heads = activated(affine(&given.of_layer("to_heads.weight"), None, &summary));
    rms_norm(&heads, &given.of_layer("heads_norm.gain"))
}

pub(super) fn mixture_macs(dims: Dims, [compress, summary, templates]: [usize; 3]) -> usize {
    dims.width * compress + compress * summary + summary * dims.heads * templates
}

impl Definition for Config {
    fn macs(&self, dims: Dims, tokens: &Tokens) -> usize {
        let displacements = (2 * tokens.geometry().files() - 1) * (2 * tokens.geometry().ranks() - 1);
        let mixing = mixture_macs(dims, [self.compress, self.summary, self.templates]);
        dims.layers * (mixing + dims.heads * self.templates * displacements)
    }

    fn after_scale(&self, given: &Given<'_>, board: &Board) -> Vec<f64> {
        let mixture = mixture(self.activation, given, board);
        let by_pair: Vec<Option<Vec<f64>>> = (0..given.len() * given.len())
            .map(|pair| {
                let (to, from) = (given.place(pair / given.len())?, given.place(pair % given.len())?);
                let [r, c] = [0, 1].map(|axis| to[axis] as f64 - from[axis] as f64);
                Some(templates(self, given, r, c))
            })
            .collect();
        given.of_pairs(|head, i, j| {
            let of_head = given.row(&mixture, head, self.templates);
            by_pair[i * given.len() + j].as_ref().map_or(0.0, |values| dot(of_head, values))
        })
    }
}
