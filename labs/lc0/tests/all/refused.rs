//! What cannot be imported, and what it is told: other files, other architectures, and attention bodies that are damaged
//! or that posenc has no place for, each told by its tensor's name.

use crate::random::Net;
use crate::samples::{CHANNELS, FORMAT, oldest, with_a_map, with_everything};
use crate::wire::{Message, file};
use lc0::{NetError, of_bytes};

fn refused(bytes: &[u8]) -> String {
    of_bytes(bytes, &[]).expect_err("no network").to_string()
}

#[test]
fn other_files_are_refused() {
    assert!(refused(b"[Event \"a game\"]").contains("not a weights file of Lc0"));
    assert!(refused(&[]).contains("does not begin with Lc0's number"));
    assert!(refused(&[0x1f, 0x8b, 8, 0, 1, 2]).contains("its gzip is damaged"));
    let magic = Message::default().four_bytes(1, 0x1c0u32.to_le_bytes());
    assert!(refused(&magic.finish()).contains("an ONNX model"));
}

/// The file of a format in which one field, counted from 1, has another value.
fn changed<const FIELDS: usize>(mut format: [u64; FIELDS], weights: &Message, field: usize, value: u64) -> Vec<u8> {
    format[field - 1] = value;
    file(format, weights)
}

#[test]
fn formats_that_posenc_has_not_are_refused_by_name() {
    let of_both = [(1, 3, "the input 3"), (5, 1, "a value that is one number"), (7, 2, "the default activation 2")];
    let residual =
        [(3, 5, "the structure 5"), (3, 6, "the policy 1 of Lc0's list on an attention body"), (4, 3, "the policy 3")];
    for (field, value, part) in of_both.into_iter().chain(residual) {
        let said = refused(&changed(FORMAT, &oldest(), field, value));
        assert!(said.contains(part), "{field}: {said}");
    }
    let net = Net::new(with_everything(), 10);
    let attention = [
        (4, 1, "the policy 1 of Lc0's list on an attention body"),
        (8, 9, "the activation 9 of Lc0's list as its smolgen's activation"),
        (9, 9, "feed-forward layers' activation"),
        (10, 3, "the input embedding 3"),
        // Without a moves-left head in the format its tensors belong to nothing.
        (6, 0, "ip1_mov_b, which no part of posenc's networks has a place for"),
    ];
    for (field, value, part) in of_both.into_iter().chain(attention) {
        let said = refused(&changed(net.format(), &net.weights(true), field, value));
        assert!(said.contains(part), "{field}: {said}");
    }
}

/// Many encoders take time in proportion to their number, and too many are refused.
#[test]
fn thousands_of_encoders_are_refused_at_once() {
    let start = std::time::Instant::now();
    let encoders = |count: usize| {
        let encoder = Message::default().tensor(2, &[1.0]);
        file([1, 2, 6, 3, 2, 1], &(0..count).fold(Message::default(), |all, _| all.message(27, &encoder)))
    };
    let many = refused(&encoders(200_000));
    assert!(many.contains("more than 65536 fields"), "{many}");
    refused(&encoders(30_000));
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Numbers that are finite in the file and not in the sums that posenc stores.
#[test]
fn numbers_that_overflow_are_refused() {
    let block = Message::default().tensor(2, &[-3e38; CHANNELS]).tensor(3, &[3e38; CHANNELS]);
    let said = refused(&file(FORMAT, &oldest().message(1, &block)));
    assert!(said.contains("embedding.norm.running_mean has numbers that are too large for 32 bits"), "{said}");
}

#[test]
fn a_tensor_of_another_size_is_named() {
    // A later field of the same number takes the place of an earlier one's tensor.
    let wrong = |field| refused(&file(FORMAT, &oldest().tensor(field, &[1.0, 2.0])));
    assert!(wrong(4).contains("ip_pol_w holds 2 numbers instead of 356736"), "{}", wrong(4));
    assert!(wrong(10).contains("ip2_val_b holds 2 numbers instead of 3"));
}

#[test]
fn every_tensor_that_is_missing_or_has_another_size_is_named() {
    for net in [Net::new(with_a_map(), 5), Net::new(with_everything(), 6)] {
        for name in net.tensors.keys() {
            let mut missing = net.clone();
            missing.tensors.remove(name);
            let mut longer = net.clone();
            longer.tensors.get_mut(name).expect("a tensor").push(0.5);
            for damaged in [missing, longer] {
                let said = refused(&damaged.file(true));
                // Of a matrix and its bias the one says how large the other must be.
                let layer = name.strip_suffix("_w").or(name.strip_suffix("_b")).unwrap_or(name);
                let width = name == "ip_emb_b" && said.contains("headcount");
                assert!(said.contains(layer) || width, "{name}: {said}");
            }
        }
    }
}

#[test]
fn a_file_that_ends_early_is_refused_wherever_it_ends() {
    let whole = Net::new(with_a_map(), 7).file(false);
    for end in (0..whole.len()).step_by(211) {
        assert!(of_bytes(&whole[..end], &[]).is_err(), "cut at {end}");
    }
    // The outer message is whole, the weights are not.
    let net = Net::new(with_everything(), 8);
    let weights = net.weights(false);
    for end in (1..weights.clone().finish().len()).step_by(997) {
        assert!(of_bytes(&file(net.format(), &weights.cut(end)), &[]).is_err(), "cut at {end}");
    }
}

#[test]
fn what_has_no_place_is_named_and_can_be_left_out() {
    let net = Net::new(with_everything(), 11);
    let whole = of_bytes(&net.file(true), &[]).expect("a network");
    let with = |name: &str| {
        let mut more = net.clone();
        more.tensors.insert(name.to_owned(), vec![1.0]);
        more.file(true)
    };
    // An encoder inside a policy, and a field that the format may get one day.
    let encoder = Message::default().message(1, &Message::default().tensor(1, &[1.0]));
    let policies = Message::default().message(4, &Message::default().message(8, &encoder));
    let inside = "policy_heads.optimistic_st.pol_encoder[0].mha.q_w";
    let cases = [
        (with("value_heads.winner.ip_val_err_w"), "value_heads.winner.ip_val_err_w"),
        (with("policy_heads.soft.ip_pol_w"), "policy_heads.soft.ip_pol_w"),
        (with("encoder[1].mha.rpe_q"), "encoder[1].mha.rpe_q"),
        (with("smolgen_b"), "smolgen_b"),
        (file(net.format(), &net.weights(true).message(45, &policies)), inside),
        (file(net.format(), &net.weights(true).tensor(77, &[1.0])), "field 77"),
    ];
    for (bytes, name) in &cases {
        let said = refused(bytes);
        assert!(said.contains(&format!("this network has {name}, which no part")), "{name}: {said}");
        let without = of_bytes(bytes, &[(*name).to_owned()]).expect("the rest of it");
        assert_eq!((&without.model, &without.parameters), (&whole.model, &whole.parameters), "without {name}");
    }
    // A whole head, and a layer by its name without `_w` and `_b`.
    let left_out = ["policy_heads.opponent", "value_heads.st", "value_heads.q.ip_val_cat"].map(str::to_owned);
    let less = of_bytes(&net.file(true), &left_out).expect("a network");
    let names = less.parameters.iter().map(|(name, _)| name.as_str());
    assert!(names.clone().all(|name| !name.contains("opponent") && !name.starts_with("short_term")));
    assert!(names.clone().all(|name| !name.contains("buckets")) && names.clone().any(|name| name == "q.error.bias"));
    let unknown = of_bytes(&net.file(true), &["policy_heads.optimist".to_owned()]);
    assert!(matches!(unknown, Err(NetError::NoPart(part)) if part == "policy_heads.optimist"));
}

#[test]
fn gates_that_multiply_by_less_than_nothing_and_residual_blocks_are_refused() {
    let mut net = Net::new(with_a_map(), 12);
    net.tensors.get_mut("ip_mult_gate").expect("a gate")[5] = -0.25;
    assert!(refused(&net.file(true)).contains("a gate that multiplies by -0.25"));
    let net = Net::new(with_a_map(), 13);
    let block = Message::default().message(1, &Message::default().tensor(1, &[1.0]));
    let said = refused(&file(net.format(), &net.weights(true).message(2, &block)));
    assert!(said.contains("residual blocks below its attention"), "{said}");
    let headcount = |heads: u64| refused(&file(net.format(), &net.weights(true).varint(28, heads)));
    assert!(headcount(5).contains("headcount is 5, which does not divide the width 24"));
    assert!(headcount(0).contains("headcount is 0"));
}
