//! Weights files written by hand, field by field: the wire format of protocol buffers and the numbers of Lc0's fields.

#[derive(Clone, Default)]
pub struct Message(Vec<u8>);

impl Message {
    pub fn varint(mut self, field: u64, value: u64) -> Self {
        self.number(field << 3);
        self.number(value);
        self
    }

    pub fn four_bytes(mut self, field: u64, bytes: [u8; 4]) -> Self {
        self.number(field << 3 | 5);
        self.0.extend(bytes);
        self
    }

    pub fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.number(field << 3 | 2);
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// A tensor in 32-bit numbers.
    pub fn tensor(self, field: u64, numbers: &[f32]) -> Self {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.message(field, &Self::default().bytes(3, &bytes).varint(4, 4))
    }

    /// A tensor in 16 bits between its smallest and its largest number, as Lc0's training code writes them.
    pub fn linear(self, field: u64, numbers: &[f32]) -> Self {
        let (min, max) = ends(numbers);
        let word = |number: &f32| ((number - min) / (max - min) * 65535.0).round() as u16;
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| word(number).to_le_bytes()).collect();
        let layer = Self::default().four_bytes(1, min.to_le_bytes()).four_bytes(2, max.to_le_bytes());
        self.message(field, &layer.bytes(3, &bytes))
    }

    pub fn cut(&self, len: usize) -> Self {
        Self(self.0[..len].to_vec())
    }

    fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

fn ends(numbers: &[f32]) -> (f32, f32) {
    let (min, max) = numbers.iter().fold((f32::MAX, f32::MIN), |(min, max), &x| (min.min(x), max.max(x)));
    // A tensor of one number has 0 as its smallest.
    if min < max { (min, max) } else { (0.0, if max == 0.0 { 1.0 } else { max }) }
}

/// The numbers that come out of [`Message::linear`].
pub fn rounded(numbers: &[f32]) -> Vec<f32> {
    let (min, max) = ends(numbers);
    let share = |number: &f32| ((number - min) / (max - min) * 65535.0).round() / 65535.0;
    numbers.iter().map(|number| min * (1.0 - share(number)) + max * share(number)).collect()
}

/// What a file says about its network: its format's fields from 1 on.
pub fn file<const FIELDS: usize>(format: [u64; FIELDS], weights: &Message) -> Vec<u8> {
    let network = format.into_iter().zip(1..).fold(Message::default(), |m, (value, field)| m.varint(field, value));
    let format = Message::default().varint(1, 1).message(2, &network);
    Message::default()
        .four_bytes(1, 0x1c0u32.to_le_bytes())
        .bytes(2, b"a licence that is passed over")
        .message(4, &format)
        .message(10, weights)
        .finish()
}
