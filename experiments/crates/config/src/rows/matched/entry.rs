//! `controls:` as an experiment file writes it.

use crate::settings::setting::Point;
use crate::yaml::visitors::{read_by, reads};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};

/// One entry: the rows that get a control, and its goal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlEntry {
    /// The rows whose network is made larger or smaller; they stay in the experiment beside their controls.
    pub row: RowName,
    /// The quantity to match, and the row that has it.
    #[serde(rename = "match")]
    pub matching: Match,
}

/// `{params: <row>, by: <sizes>}`: exactly one of the quantities.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Match {
    /// As many parameters as this row.
    pub params: Option<RowName>,
    /// As many floating-point operations in a forward pass as this row.
    pub flops: Option<RowName>,
    /// As long a training step as this row.
    pub step_time: Option<RowName>,
    /// The sizes that may change.
    pub by: SizeSource,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RowName {
    /// By its name in `posenc check`, with or without the game: `shaw`, `chess-shaw`.
    Label(String),
    /// By its values, as `reference` names one: `{encoding: shaw}`.
    Values(Box<Point>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeSource {
    /// They are found: all but the last come as near to the goal as they can without crossing it, the last takes up
    /// the rest.
    Found(Vec<Size>),
    /// They are given, `{ffn: 352}`, and only checked.
    Given(Vec<(Size, usize)>),
}

games::named! {
    /// A size of a network.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Size {
        /// Width of the feed-forward layers' inside (`ff`).
        Ffn = "ffn",
        /// Width of every token (`width`), with as many heads as before; sizes that are the width by default follow it.
        Width = "width",
        Depth = "depth",
        /// The one option of the encoding that is a size, where it has one.
        Encoding = "encoding",
    }
}

read_by! { LabelOrValues => RowName }

impl<'de> Visitor<'de> for LabelOrValues {
    reads! { RowName, "the name of a row, or its values like {encoding: shaw}" }

    fn visit_str<E: Error>(self, label: &str) -> Result<RowName, E> {
        Ok(RowName::Label(label.to_owned()))
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<RowName, M::Error> {
        Point::deserialize(MapAccessDeserializer::new(map)).map(|point| RowName::Values(Box::new(point)))
    }
}

read_by! { NamesOrSizes => SizeSource }

impl<'de> Visitor<'de> for NamesOrSizes {
    reads! { SizeSource, "a size (ffn, width, depth, encoding), a list of them, or a map of them to numbers" }

    fn visit_str<E: Error>(self, name: &str) -> Result<SizeSource, E> {
        Size::deserialize(StrDeserializer::new(name)).map(|size| SizeSource::Found(vec![size]))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, seq: S) -> Result<SizeSource, S::Error> {
        let sizes = Vec::<Size>::deserialize(SeqAccessDeserializer::new(seq))?;
        each_once(&sizes)?;
        Ok(SizeSource::Found(sizes))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<SizeSource, M::Error> {
        let mut given = Vec::new();
        while let Some(entry) = map.next_entry::<Size, usize>()? {
            given.push(entry);
        }
        each_once(&given.iter().map(|(size, _)| *size).collect::<Vec<_>>())?;
        Ok(SizeSource::Given(given))
    }
}

fn each_once<E: Error>(sizes: &[Size]) -> Result<(), E> {
    if sizes.is_empty() {
        return Err(E::custom("`by` names no size; write ffn, width, depth or encoding"));
    }
    match (1..sizes.len()).find(|&i| sizes[..i].contains(&sizes[i])) {
        None => Ok(()),
        Some(i) => Err(E::custom(format!("`by` names `{}` twice; name each size once", sizes[i].name()))),
    }
}
