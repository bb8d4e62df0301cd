//! Vocabularies of planes: a move is a class (a direction, or a dropped piece) and its target square.
//!
//! These are the outputs of a convolutional policy: one plane of logits for each class. The class does not include the
//! distance, so an entry determines a move only in a position, where no two legal moves share an entry.

/// One entry of the vocabulary, in the frame of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaneEntry {
    /// Which class, an index into [`Planes::classes`].
    pub class: u8,
    /// The target square.
    pub to: u8,
}

/// A vocabulary: an ordered list of entries. Checkpoints depend on its order, so it is hashed.
#[derive(Debug)]
pub struct Planes {
    /// Its versioned name.
    pub name: &'static str,
    /// Names of the classes.
    pub classes: &'static [&'static str],
    entries: Vec<PlaneEntry>,
}

impl Planes {
    pub(crate) fn new(name: &'static str, classes: &'static [&'static str], entries: Vec<PlaneEntry>) -> Self {
        Self { name, classes, entries }
    }

    /// Every entry, by index.
    pub fn entries(&self) -> &[PlaneEntry] {
        &self.entries
    }

    /// The vocabulary's hash: BLAKE3 (64 hex digits) of its name, its classes, and its entries in order.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for word in std::iter::once(&self.name).chain(self.classes) {
            hasher.update(word.as_bytes());
            hasher.update(b"\n");
        }
        for entry in &self.entries {
            hasher.update(&[entry.class, entry.to]);
        }
        hasher.finalize().to_hex().to_string()
    }
}
