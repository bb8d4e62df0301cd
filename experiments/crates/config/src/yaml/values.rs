//! Values that an experiment may write in more than one way.

use super::parse::parse;
use super::reader::{self, Refusal};
use super::source::{ConfigError, Source};
use super::visitors::{one_or_list, reads};
use encodings::{EncodingConfig, order};
use models::Schedule;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// The encodings of one network: `shaw`, `{rope: {…}}`, or a list of such. Where the order of a list has no effect, it is that
/// of [`order::in_order`]; elsewhere that of the file.
pub(crate) fn encodings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EncodingConfig>, D::Error> {
    one_or_list("an encoding or a list of encodings (write `none` for no position at all)", deserializer).map(in_order)
}

/// The elements of a list as the `encoding` of as many networks.
pub fn encoding_stacks(list: &Source) -> Result<Vec<Vec<EncodingConfig>>, ConfigError> {
    #[derive(serde::Deserialize)]
    struct Stack(#[serde(deserialize_with = "encodings")] Vec<EncodingConfig>);

    let stacks: Vec<Stack> = reader::read(&parse(list)?).map_err(Refusal::explain)?;
    Ok(stacks.into_iter().map(|Stack(stack)| stack).collect())
}

/// The stored form of a stack: in one order, and without a `none` beside others.
fn in_order(mut stack: Vec<EncodingConfig>) -> Vec<EncodingConfig> {
    let is_none = |one: &EncodingConfig| matches!(one, EncodingConfig::None(_));
    if stack.iter().any(|one| !is_none(one)) && stack.iter().filter(|one| is_none(one)).count() == 1 {
        stack.retain(|one| !is_none(one));
    }
    order::in_order(stack)
}

/// A learning rate: a number for a constant one, or a map with warm-up and either values and boundaries or a cosine.
pub(crate) fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
    deserializer.deserialize_any(RateOrMap)
}

struct RateOrMap;

impl<'de> Visitor<'de> for RateOrMap {
    reads! { Schedule, "a learning rate, or a map {warmup, values, boundaries} or {warmup, cosine}" }

    fn visit_f64<E: Error>(self, rate: f64) -> Result<Schedule, E> {
        Schedule::new(0, vec![rate], Vec::new()).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, rate: u64) -> Result<Schedule, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_i64<E: Error>(self, rate: i64) -> Result<Schedule, E> {
        self.visit_f64(rate as f64)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Schedule, M::Error> {
        Schedule::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(text: &str) -> Vec<EncodingConfig> {
        encodings(serde_yaml::Deserializer::from_str(text)).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn orders_that_cannot_matter_are_one() {
        assert_eq!(stack("[none, shaw]"), stack("shaw"));
        assert_eq!(stack("[shaw, {relative_bias: {share: pair}}]"), stack("[{relative_bias: {share: pair}}, shaw]"));
        assert_eq!(stack("[shaw, {absolute: {at: gate}}]"), stack("[{absolute: {at: gate}}, shaw]"));
        let [every, gate] = ["{absolute: {at: every_layer}}", "{absolute: {at: gate}}"];
        assert_eq!(stack(&format!("[{every}, {gate}]")), stack(&format!("[{gate}, {every}]")));
    }

    #[test]
    fn the_order_of_the_file_stays_where_it_matters() {
        let gate = "{absolute: {at: gate}}";
        let pairs = [
            ["{absolute: {at: input}}", gate],
            ["laplacian", gate],
            ["deberta", "{continuous_bias: {attention: cosine}}"],
        ];
        for [one, other] in pairs {
            let orders = [format!("[{one}, {other}]"), format!("[{other}, {one}]")];
            let [forth, back] = orders.map(|text| stack(&text));
            assert!(forth != back && forth[0] == back[1] && forth[1] == back[0], "{one} and {other}");
        }
        assert_eq!(stack("[none, none]").len(), 2, "what is named twice is refused later");
    }

    #[test]
    fn what_commutes_moves_around_what_does_not() {
        let names = |text: &str| stack(text).iter().map(|one| one.info().name).collect::<Vec<_>>();
        for text in ["[laplacian, {absolute: {at: gate}}, shaw]", "[shaw, laplacian, {absolute: {at: gate}}]"] {
            assert_eq!(names(text), ["shaw", "laplacian", "absolute"]);
        }
        for text in ["[{absolute: {at: gate}}, shaw, laplacian]", "[{absolute: {at: gate}}, laplacian, shaw]"] {
            assert_eq!(names(text), ["absolute", "shaw", "laplacian"]);
        }
    }
}
