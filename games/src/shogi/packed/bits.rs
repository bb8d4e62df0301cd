//! A stream of 256 bits, least significant first.

/// A position's length in bytes.
pub const BYTES: usize = 32;

/// Reads bits; after the end there are zeros.
pub(super) struct BitReader {
    /// The position, followed by zeros: a position whose codes are all of the longest kind reads beyond the end, which
    /// is detected afterwards.
    bytes: [u8; 3 * BYTES],
    at: usize,
}

impl BitReader {
    /// How many bits there are.
    pub(super) const LENGTH: usize = 8 * BYTES;

    pub(super) fn new(bytes: &[u8; BYTES]) -> Self {
        let mut padded = [0; 3 * BYTES];
        padded[..BYTES].copy_from_slice(bytes);
        Self { bytes: padded, at: 0 }
    }

    /// The next 8 bits, the first in the lowest place.
    pub(super) fn peek(&self) -> u8 {
        let first = self.at / 8;
        (u16::from_le_bytes([self.bytes[first], self.bytes[first + 1]]) >> (self.at % 8)) as u8
    }

    /// The number of valid bits of a [`BitReader::window`]: a shift by up to 7 appends zeros.
    pub(super) const WINDOW: u8 = 57;

    /// The next bits, the first in the lowest place.
    pub(super) fn window(&self) -> u64 {
        let first = self.at / 8;
        let window = self.bytes[first..first + 8].try_into().expect("eight bytes");
        u64::from_le_bytes(window) >> (self.at % 8)
    }

    /// The number of leading zeros, within a window.
    pub(super) fn zeros(&self) -> u8 {
        self.window().trailing_zeros().min(Self::WINDOW.into()) as u8
    }

    pub(super) fn skip(&mut self, count: u8) {
        self.at += usize::from(count);
    }

    /// Takes up to 8 bits.
    pub(super) fn take(&mut self, count: u8) -> u8 {
        let bits = self.peek() & ((1u16 << count) - 1) as u8;
        self.skip(count);
        bits
    }

    /// The number of bits taken.
    pub(super) fn at(&self) -> usize {
        self.at
    }
}

pub(super) struct BitWriter {
    bytes: [u8; BYTES],
    at: usize,
}

impl BitWriter {
    pub(super) fn new() -> Self {
        Self { bytes: [0; BYTES], at: 0 }
    }

    /// Adds up to 8 bits; bits beyond the end are only counted.
    pub(super) fn put(&mut self, bits: u8, count: u8) {
        let [low, high] = (u16::from(bits) << (self.at % 8)).to_le_bytes();
        for (byte, bits) in self.bytes.iter_mut().skip(self.at / 8).zip([low, high]) {
            *byte |= bits;
        }
        self.at += usize::from(count);
    }

    /// The bytes if they are full, otherwise the number of bits.
    pub(super) fn finish(self) -> Result<[u8; BYTES], usize> {
        if self.at == BitReader::LENGTH { Ok(self.bytes) } else { Err(self.at) }
    }
}
