//! Letters of 3 × 5 pixels, as many as scales and board names need.

/// Width and height of a letter in pixels.
pub(super) const SIZE: [usize; 2] = [3, 5];

/// The rows of a letter from the top, the leftmost pixel first; `None` for an unused letter.
pub(super) fn rows(letter: char) -> Option<[[bool; SIZE[0]]; SIZE[1]]> {
    let drawn = match letter {
        '0' => ["###", "# #", "# #", "# #", "###"],
        '1' => [" # ", "## ", " # ", " # ", "###"],
        '2' => ["###", "  #", "###", "#  ", "###"],
        '3' => ["###", "  #", " ##", "  #", "###"],
        '4' => ["# #", "# #", "###", "  #", "  #"],
        '5' => ["###", "#  ", "###", "  #", "###"],
        '6' => ["###", "#  ", "###", "# #", "###"],
        '7' => ["###", "  #", " # ", " # ", " # "],
        '8' => ["###", "# #", "###", "# #", "###"],
        '9' => ["###", "# #", "###", "  #", "###"],
        'a' => ["   ", " ##", "# #", "# #", " ##"],
        'b' => ["#  ", "#  ", "## ", "# #", "## "],
        'c' => ["   ", " ##", "#  ", "#  ", " ##"],
        'd' => ["  #", "  #", " ##", "# #", " ##"],
        'e' => [" # ", "# #", "###", "#  ", " ##"],
        'f' => [" ##", "#  ", "###", "#  ", "#  "],
        'g' => [" ##", "# #", " ##", "  #", "## "],
        'h' => ["#  ", "#  ", "## ", "# #", "# #"],
        'i' => [" # ", "   ", " # ", " # ", " # "],
        '.' => ["   ", "   ", "   ", "   ", " # "],
        '-' => ["   ", "   ", "###", "   ", "   "],
        '/' => ["  #", "  #", " # ", "#  ", "#  "],
        _ => return None,
    };
    Some(drawn.map(|row| {
        let mut points = row.chars().map(|point| point == '#');
        std::array::from_fn(|_| points.next().unwrap_or(false))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::names::names;
    use games::GameKind;

    #[test]
    fn every_letter_that_is_written_can_be_drawn() {
        let of_boards = GameKind::ALL.into_iter().flat_map(|kind| {
            let (files, ranks) = names(kind);
            [files, ranks].concat()
        });
        let letters: Vec<char> = of_boards.flat_map(|name| name.chars().collect::<Vec<_>>()).collect();
        let drawn: Vec<_> =
            letters.iter().chain("0123456789-./e".chars().collect::<Vec<_>>().iter()).copied().collect();
        assert!(drawn.iter().all(|&letter| rows(letter).is_some_and(|rows| rows.iter().flatten().any(|&point| point))));
        assert_eq!(rows('7').map(|rows| rows[0]), Some([true; 3]));
        assert_eq!(rows('é'), None);
    }
}
