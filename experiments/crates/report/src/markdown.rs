//! A report as Markdown, with tables in GitHub's form.

use super::document::{Block, blocks, capitalised};
use super::model::Report;
use super::table::Table;
use facts::printable;

pub fn draw(report: &Report) -> String {
    let blocks = blocks(report).into_iter().map(|block| match block {
        Block::Title(name, status) => format!("# {}\n\n{}", escape(&name), escape(&status)),
        Block::Remark(label, text) => format!("**{}.** {}", capitalised(label), escape(&text)),
        Block::List(title, method, lines) => {
            let method = if method.is_empty() { method } else { format!("{}.\n\n", escape(&capitalised(&method))) };
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            format!("### {}\n\n{method}- {}", capitalised(title), lines.join("\n- "))
        }
        Block::Game(name, facts) if facts.is_empty() => format!("## {}", escape(&name)),
        Block::Game(name, facts) => format!("## {}\n\n{}", escape(&name), escape(&facts)),
        Block::Table(_, table) => draw_table(&table),
    });
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A table in GitHub's form, with its title and notes; empty without rows.
pub fn draw_table(table: &Table) -> String {
    if table.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let cells = |texts: &[String]| texts.iter().map(|text| escape_cell(text)).collect::<Vec<_>>();
    let rule = |column| if table.text_columns.contains(&column) { "---" } else { "---:" }.to_owned();
    let mut lines = vec![line(cells(&table.header)), line((0..table.header.len()).map(rule).collect())];
    lines.extend(table.rows.iter().map(|row| line(cells(row))));
    let title = if table.title.is_empty() { String::new() } else { format!("### {}", escape(&table.title)) };
    let notes: Vec<String> = table.notes.iter().map(|note| escape(note)).collect();
    let mut parts = vec![title, lines.join("\n"), notes.join("\n")];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A text in one line that makes no HTML, link, image, emphasis, heading or list. A backslash stands only where a character
/// would act, so labels, numbers and intervals stay as they are, and so do the pairs of backticks of code.
fn escape(text: &str) -> String {
    let line = MarkdownLine::of(text);
    line.escaped(|place| line.acts(place) || line.begins(place))
}

/// The same in a cell of a table, where nothing begins.
fn escape_cell(text: &str) -> String {
    let line = MarkdownLine::of(text);
    line.escaped(|place| line.acts(place))
}

struct MarkdownLine {
    characters: Vec<char>,
    /// The place of the first character that is not a space.
    first: usize,
    /// Whether its backticks are pairs of single ones: then they mark code, in which nothing acts.
    has_code: bool,
    /// Whether it can hold an address, which may stand in angle brackets.
    has_address: bool,
}

impl MarkdownLine {
    fn of(text: &str) -> Self {
        let characters: Vec<char> = printable(text).chars().collect();
        let ticks: Vec<usize> = (0..characters.len()).filter(|&place| characters[place] == '`').collect();
        let has_code = ticks.len().is_multiple_of(2) && ticks.windows(2).all(|pair| pair[0] + 1 < pair[1]);
        Self {
            first: characters.iter().position(|&character| character != ' ').unwrap_or_default(),
            has_code,
            has_address: characters.contains(&'@'),
            characters,
        }
    }

    fn escaped(&self, acts: impl Fn(usize) -> bool) -> String {
        let mut out = String::with_capacity(self.characters.len());
        for (place, &character) in self.characters.iter().enumerate() {
            if acts(place) {
                out.push('\\');
            }
            out.push(character);
        }
        out
    }

    /// Whether Markdown would act on the character at this place.
    fn acts(&self, place: usize) -> bool {
        let (before, rest) = self.characters.split_at(place);
        let (character, after) = (rest[0], &rest[1..]);
        let next = after.first().copied();
        let is_word = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        match character {
            '\\' | '*' | '~' | '|' | '$' => true,
            '`' => !self.has_code,
            '<' => self.has_address || next.is_some_and(|next| !next.is_ascii_digit() && !matches!(next, ' ' | '=')),
            '&' => is_word(next) || next == Some('#'),
            '_' => !(is_word(before.last().copied()) && is_word(next)),
            // A line that begins with a bracket can define what it links to.
            ']' if next == Some(':') => self.characters[self.first] == '[',
            ']' => matches!(next, Some('(' | '[')),
            '{' => next == Some('{'),
            ':' if after.starts_with(&['/', '/']) => true,
            '.' if before.ends_with(&['w', 'w', 'w']) => true,
            _ => false,
        }
    }

    /// Whether the character would begin a heading, a quotation, a rule or a list.
    fn begins(&self, place: usize) -> bool {
        let (character, next) = (self.characters[place], self.characters.get(place + 1).copied());
        let begun = &self.characters[self.first..place.max(self.first)];
        match character {
            '#' | '>' | '=' => begun.is_empty(),
            '-' | '+' | ':' => begun.is_empty() && (matches!(next, None | Some(' ' | '-')) || next == Some(character)),
            '.' | ')' => {
                let is_number = !begun.is_empty() && begun.iter().all(char::is_ascii_digit);
                is_number && matches!(next, None | Some(' '))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, escape_cell};

    #[test]
    fn ordinary_texts_stay_as_they_are() {
        for text in [
            "shaw(q,k), encoding rate × 64 †",
            "[−0.111, −0.082]",
            "absolute [= params of shaw by depth 4 and ffn 160]",
            "<0.0001",
            "p < 0.0001, ≥ 3",
            "+0.003",
            "2.410 ± 0.010",
            "policy_loss.novel in 3 of 3",
            "`train.clip: 10` had no effect (`posenc run`)",
            "absolute [= params of shaw]: chosen at the edge",
        ] {
            assert_eq!(escape(text), text);
        }
        assert_eq!(["> 1000", "- a", "1. b|"].map(escape_cell), ["> 1000", "- a", r"1. b\|"]);
    }

    #[test]
    fn nothing_acts() {
        for (text, expected) in [
            ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
            ("<1@a.b>", r"\<1@a.b>"),
            ("![x](http://a/b.png)", r"![x\](http\://a/b.png)"),
            ("[x]: javascript:1", r"[x\]: javascript:1"),
            ("www.a.b", r"www\.a.b"),
            ("# forged", r"\# forged"),
            ("\n\n## forged", r"  \## forged"),
            ("---", r"\---"),
            ("> a | b", r"\> a \| b"),
            ("1. one", r"1\. one"),
            ("**a** _b_ ~c~ $d$", r"\*\*a\*\* \_b\_ \~c\~ \$d\$"),
            ("`<b>`", r"`\<b>`"),
            ("``a` b`", r"\`\`a\` b\`"),
            ("a\\", r"a\\"),
            ("&lt;", r"\&lt;"),
            ("{{#include /etc/passwd}}", r"\{{#include /etc/passwd}}"),
            ("a\u{1b}[2Jb", "a�[2Jb"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }
}
