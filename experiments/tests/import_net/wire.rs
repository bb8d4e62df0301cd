//! Weights files written by hand, field by field: the wire format of protocol buffers and the numbers of Lc0's fields.

/// A message under way.
#[derive(Clone, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn varint(mut self, field: u64, value: u64) -> Self {
        self.number(field << 3);
        self.number(value);
        self
    }

    pub(crate) fn four_bytes(mut self, field: u64, bytes: [u8; 4]) -> Self {
        self.number(field << 3 | 5);
        self.0.extend(bytes);
        self
    }

    pub(crate) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.number(field << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(crate) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// A tensor in 32-bit numbers.
    pub(crate) fn tensor(self, field: u64, numbers: &[f32]) -> Self {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.message(field, &Self::default().bytes(3, &bytes).varint(4, 4))
    }

    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// What a file says about its network: fields 1 to 7 of its format.
pub(crate) fn file(format: [u64; 7], weights: &Message) -> Vec<u8> {
    let network = format.into_iter().zip(1..).fold(Message::default(), |m, (value, field)| m.varint(field, value));
    let format = Message::default().varint(1, 1).message(2, &network);
    Message::default()
        .four_bytes(1, 0x1c0u32.to_le_bytes())
        .bytes(2, b"a licence that is passed over")
        .message(4, &format)
        .message(10, weights)
        .finish()
}
