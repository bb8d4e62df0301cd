//! From a tree to types: a serde deserializer whose errors point at the innermost value that is wrong.
//!
//! An enum is a name, or a map of one name to its options; a name alone stands for all options at their defaults.

use super::source::{ConfigError, Step, dotted};
use super::suggest::{example, nearest, path_in_base};
use super::tree::{Content, Node, Origin, within};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::fmt;
use std::sync::Arc;

/// The key of `base` that names a file whose `base` it inherits.
pub(crate) const FROM: &str = "from";

/// Why a tree cannot be read.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) problem: Problem,
    refused: Option<Box<Refused>>,
    /// The path from the root to the error.
    pub(crate) key_path: Vec<String>,
    /// Whether `null` is a valid value there.
    is_optional: bool,
}

/// The value or the key that is wrong, with the kind of the value.
#[derive(Debug, Clone)]
enum Refused {
    Value(Arc<Origin>, String),
    Key(Arc<Origin>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// A map has no such key; those that it has.
    Key(String, Vec<String>),
    /// An unknown name, with the known ones.
    Name(String, Vec<String>),
    Missing(String),
    /// The value has another type, or lies out of range: what was expected.
    Type(String),
    /// The form is right, the meaning is refused.
    Meaning(String),
}

impl Refusal {
    fn new(problem: Problem) -> Self {
        Self { problem, refused: None, key_path: Vec::new(), is_optional: false }
    }

    /// A problem of a value, with its path from the root.
    pub(crate) fn of(problem: Problem, node: &Node, key_path: &[&str]) -> Self {
        let key_path = key_path.iter().map(|&step| step.to_owned()).collect();
        Self { refused: Some(Box::new(Reader(node).refused())), key_path, ..Self::new(problem) }
    }

    /// The path of the value that is wrong, or of the key that is unknown or missing.
    pub(crate) fn problem_path(&self) -> Vec<String> {
        let key = match (&self.problem, self.refused.as_deref()) {
            (Problem::Key(name, _), Some(Refused::Key(_))) | (Problem::Missing(name), _) => Some(name.clone()),
            _ => None,
        };
        self.key_path.iter().cloned().chain(key).collect()
    }

    fn at(mut self, refused: impl FnOnce() -> Refused) -> Self {
        self.refused.get_or_insert_with(|| Box::new(refused()));
        self
    }

    /// The same refusal of a value for which `null` is valid too.
    fn or_null(mut self) -> Self {
        self.is_optional |= self.key_path.is_empty();
        self
    }

    fn below(mut self, step: impl ToString) -> Self {
        self.key_path.insert(0, step.to_string());
        self
    }

    /// An error that has its location already.
    pub(crate) fn about(self, mut error: ConfigError) -> ConfigError {
        error.message = self.to_string();
        if let Problem::Key(name, valid) = self.problem { unknown("key", &name, valid, "", error) } else { error }
    }

    /// The error, with its line and a remedy.
    pub(crate) fn explain(self) -> ConfigError {
        let Some(refused) = self.refused else { unreachable!("the root of a tree has an origin") };
        let (origin, is_key) = match &*refused {
            Refused::Value(origin, _) => (origin, false),
            Refused::Key(origin) => (origin, true),
        };
        let error = |message: String| if is_key { origin.key_error(message) } else { origin.error(message) };
        let path: &[Step] = if is_key { origin.of_map() } else { &origin.path };
        // The text of an option begins in the middle of a run.
        let path: &[Step] = match origin.source.is_option {
            true => &self.key_path.iter().map(|step| Step::from(step.as_str())).collect::<Vec<_>>(),
            false => path,
        };
        // Where settings are named, their names begin below `base`.
        let base = match path.first() {
            None if !origin.source.is_option => "base.",
            Some(Step::Key(key)) if key == "base" => "base.",
            _ => "",
        };
        match self.problem {
            Problem::Key(key, mut valid) => {
                // Files that inherit are read before `base` is.
                if matches!(path, [Step::Key(key)] if key == "base") {
                    valid.insert(0, FROM.to_owned());
                }
                unknown("key", &key, valid, base, error(format!("unknown key `{key}` {}", within(path))))
            }
            Problem::Name(name, valid) => {
                unknown("value", &name, valid, base, error(format!("unknown value `{name}` {}", within(path))))
            }
            Problem::Missing(key) => {
                let error = origin.lacks(format!("`{key}` is missing {}", within(path)));
                error.help(match example(&self.key_path) {
                    Some(example) => format!("write options, as in `{example}`; `{key}` has no default"),
                    None => format!("add `{key}: …`; it has no default"),
                })
            }
            Problem::Type(expected) => {
                let found = if let Refused::Value(_, found) = &*refused { found.as_str() } else { "this key" };
                let at = if path.is_empty() { String::new() } else { format!("`{}`: ", dotted(path)) };
                let (expected, remedy) = in_words(&expected);
                let remedy = of_key(path).unwrap_or(remedy);
                let or_null = if self.is_optional { "; for none write `null`, or leave the key out" } else { "" };
                error(format!("{at}expected {expected}, found {found}")).help(format!("{remedy}{or_null}"))
            }
            Problem::Meaning(reason) if path.is_empty() => error(reason),
            Problem::Meaning(reason) => error(format!("`{}`: {reason}", dotted(path))),
        }
    }
}

/// An error about a name that is not known, with the valid ones.
fn unknown(what: &str, name: &str, valid: Vec<String>, base: &str, error: ConfigError) -> ConfigError {
    if name == "<<" {
        return error
            .valid(valid)
            .help("merge keys are not read: give a whole value an anchor and repeat it, `key: *name`");
    }
    let elsewhere = path_in_base(name)
        .filter(|key_path| what == "key" || key_path.starts_with("model."))
        .map(|key_path| format!("{base}{key_path}"));
    // As `list games` prints a vocabulary: its name in files, followed by the game and the number of its moves.
    let begins = |known: &&String| what == "value" && name.starts_with(&format!("{known}_"));
    let start = valid.iter().find(begins).cloned();
    let help = match nearest(name, valid.iter().map(String::as_str)).map(str::to_owned).or(elsewhere).or(start) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if valid.is_empty() => "nothing can be set here: write {} or leave it out".to_owned(),
        None => format!("write one of the valid {what}s"),
    };
    error.valid(valid).help(help)
}

/// How to write the value of a key that stands in few files.
fn of_key(path: &[Step]) -> Option<&'static str> {
    let [Step::Key(key)] = path else { return None };
    match key.as_str() {
        "primary" => Some("write `primary: {metric: policy_loss, at: last, weights: raw}`"),
        "equivalent_within" => {
            Some("name the primary metric, and a margin in its unit: `equivalent_within: {policy_loss: 0.02}`")
        }
        "floor" => Some("name the primary metric, and a value in its unit: `floor: {policy_loss: 1.4}`"),
        "extrapolate" => Some("write a number of positions: `extrapolate: {to: 1000000}`"),
        _ => None,
    }
}

/// serde's expectation in the words of YAML, and how to write it.
fn in_words(expected: &str) -> (&str, &'static str) {
    const DIGITS: &str = "write digits only, at most 18446744073709551615: 1000, not 1e3, 1_000 or \"1000\"";
    const NUMBER: &str = "write it like 0.001 or 1e-3, without quotes";
    const EXAMPLE: &str = "compare experiments/quickstart.yaml";
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => ("a whole number, 0 or more", DIGITS),
        "i32" | "i64" | "isize" => ("a whole number", DIGITS),
        "f32" | "f64" => ("a number", NUMBER),
        "a boolean" => ("true or false", "YAML 1.2 has true and false only; yes, no, on and off are texts"),
        "a sequence" => ("a list", "write a list: [a, b], or one `- a` per line"),
        "a string" | "path string" => ("a text", "put it in quotes"),
        other if other.starts_with("struct ") || other == "a map" => ("a map of keys to values", EXAMPLE),
        other if other.starts_with("a whole number") => (other, DIGITS),
        other if other.starts_with("a number") => (other, NUMBER),
        other => (other, EXAMPLE),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::Key(name, _) => write!(f, "unknown key `{name}`"),
            Problem::Name(name, _) => write!(f, "unknown value `{name}`"),
            Problem::Missing(key) => write!(f, "`{key}` is missing"),
            Problem::Type(expected) => write!(f, "expected {expected}"),
            Problem::Meaning(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Refusal {}

impl Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Problem::Meaning(message.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Problem::Type(expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Problem::Type(expected.to_string()))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(Problem::Type(expected.to_string()))
    }

    fn unknown_variant(name: &str, valid: &'static [&'static str]) -> Self {
        Self::new(Problem::Name(name.to_owned(), valid.iter().map(|&name| name.to_owned()).collect()))
    }

    fn unknown_field(name: &str, valid: &'static [&'static str]) -> Self {
        Self::new(Problem::Key(name.to_owned(), valid.iter().map(|&name| name.to_owned()).collect()))
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(Problem::Missing(key.to_owned()))
    }
}

pub(crate) fn read<T: DeserializeOwned>(node: &Node) -> Result<T, Refusal> {
    T::deserialize(Reader(node))
}

#[derive(Clone, Copy)]
struct Reader<'a>(&'a Node);

impl Reader<'_> {
    /// Reads named fields. A list of values, which serde would read by their order, is not a map.
    fn map<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0.content {
            Content::List(_) => {
                Err(Refusal::new(Problem::Type("a map of keys to values".to_owned())).at(|| self.refused()))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn refused(self) -> Refused {
        Refused::Value(self.0.origin.clone(), self.0.kind())
    }
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        let read = match &self.0.content {
            Content::Null => visitor.visit_unit(),
            Content::Bool(value) => visitor.visit_bool(*value),
            Content::Unsigned(number) => visitor.visit_u64(*number),
            Content::Signed(number) => visitor.visit_i64(*number),
            Content::Float(number) => visitor.visit_f64(*number),
            // A name alone stands for a map of it to its options, which lacks a key then.
            Content::Text(text) => visitor.visit_str(text).map_err(|refusal: Refusal| match refusal.problem {
                Problem::Missing(_) => refusal.below(text),
                _ => refusal,
            }),
            Content::List(elements) => visitor.visit_seq(Elements { elements, next: 0 }),
            Content::Map(entries) => visitor.visit_map(Entries { entries, next: 0 }),
        };
        read.map_err(|refusal| refusal.at(|| self.refused()))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match &self.0.content {
            Content::Null => visitor.visit_none(),
            _ => visitor.visit_some(self).map_err(Refusal::or_null),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        if name != Node::NAME {
            return self.map(visitor);
        }
        let handed_over = serde_yaml::to_value(self.0).and_then(|node| node.deserialize_struct(name, fields, visitor));
        handed_over.map_err(Refusal::custom)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let read = match &self.0.content {
            Content::Text(name) => visitor.visit_enum(Choice { name, options: None, origin: &self.0.origin }),
            Content::Map(entries) if !entries.is_empty() => match &entries[..] {
                [(name, options)] => {
                    visitor.visit_enum(Choice { name, options: Some(options), origin: &options.origin })
                }
                entries => match entries.iter().find(|(name, _)| !variants.contains(&name.as_str())) {
                    // Written beside the name, as by an axis `model.layers`.
                    Some((name, node)) => {
                        let refused = || Refused::Key(Arc::clone(&node.origin));
                        Err(Refusal::unknown_field(name, variants).at(refused))
                    }
                    None => {
                        let names: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
                        let (valid, names) = (variants.join(", "), names.join(" and "));
                        Err(Refusal::custom(format!("expected one key of {valid}, found {names}")))
                    }
                },
            },
            _ => Err(Refusal::new(Problem::Type(format!(
                "a name ({}), or a map of it to its options",
                variants.join(", ")
            )))),
        };
        read.map_err(|refusal| refusal.at(|| self.refused()))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

struct Elements<'a> {
    elements: &'a [Node],
    next: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Refusal;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refusal> {
        let Some(element) = self.elements.get(self.next) else { return Ok(None) };
        let number = self.next;
        self.next += 1;
        let read = seed.deserialize(Reader(element)).map(Some);
        read.map_err(|refusal| refusal.at(|| Reader(element).refused()).below(number))
    }
}

struct Entries<'a> {
    entries: &'a [(String, Node)],
    next: usize,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refusal> {
        let Some((key, node)) = self.entries.get(self.next) else { return Ok(None) };
        let text: StrDeserializer<'_, Refusal> = key.as_str().into_deserializer();
        seed.deserialize(text).map(Some).map_err(|refusal| refusal.at(|| Refused::Key(node.origin.clone())))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refusal> {
        let (key, node) = &self.entries[self.next];
        self.next += 1;
        seed.deserialize(Reader(node)).map_err(|refusal| refusal.at(|| Reader(node).refused()).below(key))
    }
}

/// A name, with options or without.
struct Choice<'a> {
    name: &'a str,
    options: Option<&'a Node>,
    origin: &'a Arc<Origin>,
}

impl Choice<'_> {
    fn read<T>(self, read: impl FnOnce(Reader<'_>) -> Result<T, Refusal>) -> Result<T, Refusal> {
        match self.options {
            Some(options) => read(Reader(options)).map_err(|refusal| refusal.below(self.name)),
            None => read(Reader(&Node::empty_map(Arc::clone(self.origin)))),
        }
    }
}

impl<'de> EnumAccess<'de> for Choice<'_> {
    type Error = Refusal;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refusal> {
        let name: StrDeserializer<'_, Refusal> = self.name.into_deserializer();
        match seed.deserialize(name) {
            Ok(value) => Ok((value, self)),
            Err(refusal) if self.options.is_some() => Err(refusal.at(|| Refused::Key(Arc::clone(self.origin)))),
            Err(refusal) => Err(refusal),
        }
    }
}

impl<'de> VariantAccess<'de> for Choice<'_> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        self.read(|options| match &options.0.content {
            Content::Null => Ok(()),
            Content::Map(entries) if entries.is_empty() => Ok(()),
            _ => Err(Refusal::custom("this name has no options").at(|| options.refused())),
        })
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refusal> {
        self.read(|options| seed.deserialize(options))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.read(|options| options.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Refusal> {
        self.read(|options| options.map(visitor))
    }
}
