//! What cannot be imported, and what it is told.

use crate::samples::{CHANNELS, FORMAT, oldest};
use crate::wire::{Message, file};
use lc0::of_bytes;

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

#[test]
fn other_architectures_are_refused_by_name() {
    let with = |field: usize, value: u64| {
        let mut format = FORMAT;
        format[field - 1] = value;
        refused(&file(format, &oldest()))
    };
    assert!(with(1, 3).contains("the input 3"), "{}", with(1, 3));
    assert!(with(3, 5).contains("the structure 5"), "{}", with(3, 5));
    assert!(with(3, 6).contains("the policy 1 of Lc0's list behind attention"), "{}", with(3, 6));
    assert!(with(4, 3).contains("the policy 3"));
    assert!(with(5, 1).contains("a value that is one number"));
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
    let cut = file(FORMAT, &oldest());
    for end in (0..cut.len()).step_by(997) {
        assert!(of_bytes(&cut[..end], &[]).is_err(), "cut at {end}");
    }
}
