//! Text fields with their places, for reading FEN and SFEN.

/// A place (offset in bytes) and what is wrong there.
pub(crate) type Wrong = (usize, String);

/// One whitespace-separated field of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) text: &'a str,
    /// Where it starts in the whole text, in bytes.
    pub(crate) at: usize,
}

impl<'a> Field<'a> {
    /// Its characters and their places in the whole text.
    pub(crate) fn chars(self) -> impl Iterator<Item = (usize, char)> + 'a {
        self.text.char_indices().map(move |(i, c)| (self.at + i, c))
    }

    pub(crate) fn end(self) -> usize {
        self.at + self.text.len()
    }
}

/// Splits a text into as many fields as one of `counts`; `needs` describes them in the error.
pub(crate) fn split<'a>(text: &'a str, counts: &[usize], needs: &str) -> Result<Vec<Field<'a>>, Wrong> {
    let start = text.as_ptr().addr();
    let fields: Vec<Field<'_>> =
        text.split_ascii_whitespace().map(|field| Field { text: field, at: field.as_ptr().addr() - start }).collect();
    if counts.contains(&fields.len()) {
        return Ok(fields);
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let at = fields.get(most).map_or(text.len(), |extra| extra.at);
    Err((at, format!("{needs}; {} found", fields.len())))
}
