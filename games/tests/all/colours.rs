//! The same position with the colours exchanged, by text alone: what both players' frames must show alike.

/// A FEN mirrored by rank, colours exchanged.
pub(crate) fn chess(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let board: Vec<String> = fields[0].rsplit('/').map(swap_case).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = fields[3].replace('6', "x").replace('3', "6").replace('x', "3");
    let castling = swap_case(fields[2]);
    format!("{} {turn} {castling} {en_passant} {} {}", board.join("/"), fields[4], fields[5])
}

/// An SFEN turned by 180°, colours exchanged.
pub(crate) fn shogi(sfen: &str) -> String {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut squares: Vec<String> = Vec::new();
    for c in fields[0].chars() {
        match squares.last_mut() {
            Some(plus) if plus == "+" => plus.push(c),
            _ => squares.push(c.to_string()),
        }
    }
    squares.reverse();
    let turn = if fields[1] == "b" { "w" } else { "b" };
    format!("{} {turn} {} {}", swap_case(&squares.concat()), swap_case(fields[2]), fields[3])
}

fn swap_case(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect()
}
