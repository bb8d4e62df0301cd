//! `posenc export --lc0` of encodings whose terms are the same for every position: the file has their tables as smolgen.

use crate::attention::asked;
use crate::back::OWN;
use config::RunConfig;
use encodings::{EncodingConfig, smolgen};
use lc0::check::Differences;
use lc0::{Imported, NetError, cell, export};
use std::collections::BTreeSet;
use tch::{Device, Tensor};
use train::inference::activations::activations;
use train::inference::{Loaded, Request};

const ENCODING: &str = "[{absolute: {at: gate}}, {smolgen: {compress: 3, hidden: 5, gen: 4}}]";

/// A network of random numbers with this encoding, in YAML.
fn random(encoding: &str, sizes: &str) -> Loaded {
    let usual = "layers: 2, width: 16, heads: 2";
    assert!(OWN.contains(ENCODING) && OWN.contains(usual));
    let text = OWN.replace(ENCODING, encoding).replace(usual, sizes);
    Loaded::random(RunConfig::from_yaml(&text).expect("a run"), 9, Device::Cpu).expect("a network")
}

fn with(encoding: &EncodingConfig) -> Loaded {
    let run = RunConfig { encoding: vec![encoding.clone()], ..RunConfig::from_yaml(OWN).expect("a run") };
    Loaded::random(run, 9, Device::Cpu).expect("a network")
}

fn written(own: &Loaded) -> Result<export::Exported, NetError> {
    export::file(&own.config, own.layout(), &own.arena.values().expect("weights"))
}

/// What encodings add to the logits of every layer, `[b,h,l,l]`.
fn terms(network: &Loaded, asked: &[Request]) -> Vec<Tensor> {
    let named = activations(network, asked, None).expect("activations");
    named.into_iter().filter(|named| named.name.starts_with("term.")).map(|named| named.tensor).collect()
}

fn largest(tensor: &Tensor) -> f64 {
    tensor.abs().max().double_value(&[])
}

/// Tables come back within the rounding to 16 bits, and outputs within 1 %; returns what was read.
fn compare(own: &Loaded, asked: &[Request]) -> Imported {
    let label = format!("{:?}", own.config.encoding);
    let exported = written(own).unwrap_or_else(|error| panic!("{label}: {error}"));
    let read = lc0::of_bytes(&exported.bytes, &[]).unwrap_or_else(|error| panic!("{label}: {error}"));
    let file = cell::loaded(&read, Device::Cpu).expect("a network");
    let (mine, its) = (terms(own, &asked[..2]), terms(&file, &asked[..2]));
    assert_eq!(mine.len(), its.len(), "{label}");
    for (mine, its) in mine.iter().zip(&its) {
        let (size, difference) = (largest(mine), largest(&(mine - its)));
        let allowed = f64::from(exported.rounding) + 1e-6 * size;
        assert!(size > 5e-3 && difference <= allowed, "{label}: {difference} of {size}, {allowed} allowed");
    }
    let found = Differences::of(own, &read, asked).expect("outputs");
    assert!(found.largest_logit > 0.1 && found.logit > 0.0 && found.are_rounding(), "{label}: {found:?}");
    read
}

#[test]
fn every_table_that_is_the_same_for_all_positions_comes_back_and_others_are_refused_by_name() {
    let (asked, mut exported) = (asked(), BTreeSet::new());
    for config in EncodingConfig::examples().into_iter().filter(|config| config.info().name != "smolgen") {
        let own = with(&config);
        match written(&own) {
            Ok(_) => {
                compare(&own, &asked);
                exported.insert(config.info().name);
            }
            Err(NetError::NoPlace { what, .. }) => {
                assert!(what.contains(&format!("the encoding {}, w", config.label())), "{what}");
            }
            Err(error) => panic!("{}: {error}", config.label()),
        }
    }
    let expected = [
        "absolute",
        "alibi",
        "continuous_bias",
        "fire",
        "irpe",
        "kerple",
        "log_buckets",
        "none",
        "relations",
        "relative_bias",
    ];
    assert_eq!(exported, BTreeSet::from(expected));
}

#[test]
fn what_depends_on_the_position_is_refused_with_the_reason() {
    let cases = [
        ("[relations]", "the encoding relations, whose terms of the logits depend on the position"),
        ("[{shaw: {terms: [q]}}]", "the encoding shaw(q), whose terms of the logits depend on the position"),
        ("[shaw]", "the encoding shaw(q,k,v), which acts at logits+values"),
        ("[{rope: {layout: axial_2d, theta: 100}}]", ", which acts at rotate"),
        ("[{absolute: {at: input}}]", ", which acts at embed"),
        ("[{continuous_bias: {hidden: 6, attention: cosine}}]", ", which acts at rotate+logits"),
        ("[{irpe: {terms: [bias, v]}}]", ", which acts at logits+values"),
        ("[{alibi: {distance: l1}}, shaw]", "the encoding shaw(q,k,v), which"),
        ("[{smolgen: {compress: 3, hidden: 5, gen: 4}}, {alibi: {distance: l1}}]", "smolgen beside alibi(l1)"),
    ];
    for (encoding, named) in cases {
        let error = written(&random(encoding, "layers: 2, width: 16, heads: 2")).expect_err("a refusal");
        let said = error.to_string();
        assert!(matches!(error, NetError::NoPlace { .. }) && said.contains(named), "{said}");
    }
    // As many maps as tables, in more heads than Lc0 normalises coefficients of.
    let many = random("[{relative_bias: {share: pair}}]", "layers: 5, width: 64, heads: 64");
    let said = written(&many).expect_err("a refusal").to_string();
    assert!(said.contains("320 maps over pairs of squares for each of 64 heads"), "{said}");
}

/// Smolgen's sizes in the file, of heads and layers that make the coefficients of all heads a multiple of 16.
#[test]
fn tables_are_sums_of_the_fewest_maps_and_several_encodings_of_one_table() {
    let asked = asked();
    let cases = [
        // The same two tables in both layers.
        ("[{alibi: {distance: chebyshev}}]", "layers: 2, width: 16, heads: 2", 2),
        // Twelve tables of eight distances.
        ("[{alibi: {distance: chebyshev, slopes: learned}}]", "layers: 6, width: 16, heads: 2", 8),
        // Twelve tables of 225 displacements, after the gate.
        (
            "[{absolute: {at: gate}}, {relative_bias: {share: displacement}}, {alibi: {distance: euclidean}}]",
            "layers: 4, width: 18, heads: 3",
            12,
        ),
    ];
    for (encoding, sizes, maps) in cases {
        let own = random(encoding, sizes);
        let read = compare(&own, &asked);
        let Some(EncodingConfig::Smolgen(config)) = read.encoding.last() else { panic!("{:?}", read.encoding) };
        let padded = if own.config.encoding.len() == 1 { 8 } else { 16 };
        assert_eq!(config.gen_width, padded, "{maps} maps");
        assert_eq!((config.compress, config.hidden, config.pool), (1, 16, smolgen::Pool::Flatten));
        let generator = read.parameters.iter().find(|(name, _)| name == "encoding.smolgen.generator.weight");
        let generator = &generator.expect("the maps").1;
        // Rounding may move zeros of the other columns by half a step.
        let is_used = |column: &usize| generator.iter().skip(*column).step_by(padded).any(|number| number.abs() > 1e-3);
        assert_eq!((0..padded).filter(is_used).count(), maps);
    }
}
