//! The encodings by name, as experiments write them.
//!
//! In YAML an encoding is a map of its name to its options, `rope: {layout: axial_2d, theta: 100}`, or the bare name
//! where every option has a default: `none` and `none: {}` are the same.

use crate::{Act, Configure, Dims, Encoding, EncodingError, EncodingInfo, Tokens, zoo};
use nn::Scope;
use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

macro_rules! encodings {
    ($($variant:ident = $module:ident,)*) => {
        /// One encoding and its options.
        ///
        /// ```
        /// let shaw: encodings::EncodingConfig = serde_json::from_str(r#"{"shaw": {"terms": ["q", "k"]}}"#)?;
        /// assert_eq!(shaw.label(), "shaw(q,k)");
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        pub enum EncodingConfig {
            $(#[doc = concat!("See [`", stringify!($module), "`](crate::", stringify!($module), ").")]
            $variant(zoo::$module::Config),)*
        }

        impl EncodingConfig {
            /// Every encoding, in the order in which they are listed.
            pub const REGISTRY: &'static [EncodingInfo] = &[$(<zoo::$module::Config as Configure>::INFO),*];

            /// The name of every encoding, in the order of [`Self::REGISTRY`].
            pub const NAMES: &'static [&'static str] = &[$(<zoo::$module::Config as Configure>::INFO.name),*];

            /// Configurations that reach every encoding and every option of each.
            pub fn examples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(zoo::$module::Config::examples().into_iter().map(Self::$variant));)*
                all
            }

            /// Its name, summary, source and example.
            pub fn info(&self) -> EncodingInfo {
                match self {
                    $(Self::$variant(_) => <zoo::$module::Config as Configure>::INFO,)*
                }
            }

            /// Under which name its parameters live; a [`Stack`](crate::Stack) may hold each key once.
            pub fn key(&self) -> String {
                match self {
                    $(Self::$variant(config) => config.key(),)*
                }
            }

            /// The option that makes it larger or smaller: its key in YAML and its value; `None` if it has no such
            /// option ([`Configure::size_mut`]).
            pub fn size_mut(&mut self) -> Option<(&'static str, &mut usize)> {
                match self {
                    $(Self::$variant(config) => config.size_mut(),)*
                }
            }

            /// What it does to what earlier encodings of a stack have left.
            pub(crate) fn act(&self) -> Act {
                match self {
                    $(Self::$variant(config) => config.act(),)*
                }
            }

            fn options(&self) -> Vec<String> {
                match self {
                    $(Self::$variant(config) => config.options(),)*
                }
            }

            /// Declares its parameters in `scope`, below its [`Self::key`]. An error if the options contradict each other or
            /// the sizes of the network.
            pub fn declare(
                &self,
                scope: &mut Scope<'_>,
                dims: Dims,
                tokens: &Tokens,
            ) -> Result<Box<dyn Encoding>, EncodingError> {
                let mut own = scope.sub_part(self.key(), nn::Part::Encoding);
                match self {
                    $(Self::$variant(config) => config.declare(&mut own, dims, tokens),)*
                }
            }

            fn with_default_options<E: serde::de::Error>(name: &str) -> Result<Self, E> {
                let no_options = || MapDeserializer::<_, E>::new(std::iter::empty::<(&str, &str)>());
                $(if name == <zoo::$module::Config as Configure>::INFO.name {
                    return zoo::$module::Config::deserialize(no_options()).map(Self::$variant);
                })*
                Err(E::unknown_variant(name, Self::NAMES))
            }

            fn with_options<'de, M: MapAccess<'de>>(name: &str, map: &mut M) -> Result<Self, M::Error> {
                $(if name == <zoo::$module::Config as Configure>::INFO.name {
                    return map.next_value().map(Self::$variant);
                })*
                Err(M::Error::unknown_variant(name, Self::NAMES))
            }

            fn write_entry<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                match self {
                    $(Self::$variant(config) => map.serialize_entry(self.info().name, config),)*
                }
            }
        }
    };
}

encodings! {
    None = none,
    Absolute = absolute,
    RelativeBias = relative_bias,
    Shaw = shaw,
    Smolgen = smolgen,
    ClsMap = cls_map,
    DynamicRelative = dynamic_relative,
    GabTemplates = gab_templates,
    Rope = rope,
    Alibi = alibi,
    Kerple = kerple,
    LogBuckets = log_buckets,
    Fire = fire,
    ContinuousBias = continuous_bias,
    Relations = relations,
    Laplacian = laplacian,
    Lepe = lepe,
    String = string,
    Irpe = irpe,
    Deberta = deberta,
    Cope = cope,
    Rove = rove,
    Pope = pope,
    LowRank = low_rank,
    Spherical = spherical,
    Liere = liere,
    Pape = pape,
    Tab = tab,
}

impl EncodingConfig {
    /// A short name for tables: the encoding, and in brackets what distinguishes this configuration of it, e.g.
    /// `shaw(q,k,v)`, `absolute(gate)`.
    pub fn label(&self) -> String {
        let (name, options) = (self.info().name, self.options());
        if options.is_empty() { name.to_owned() } else { format!("{name}({})", options.join(",")) }
    }

    /// Lists of encodings as one network carries them: every example by itself, and the stacks that papers use.
    pub fn example_stacks() -> Vec<Vec<Self>> {
        use crate::zoo::{absolute, relative_bias, rope, shaw, smolgen};
        let gate = || Self::Absolute(absolute::Config::new(absolute::InjectAt::Gate));
        let every_layer = Self::Absolute(absolute::Config::new(absolute::InjectAt::EveryLayer));
        let keys_only = absolute::Config { values: false, ..absolute::Config::new(absolute::InjectAt::EveryLayer) };
        let shaw = || Self::Shaw(shaw::Config::default());
        let smolgen = Self::Smolgen(smolgen::Config { compress: 3, hidden: 5, gen_width: 6, ..Default::default() });
        let bias = Self::RelativeBias(relative_bias::Config { share: crate::displacements::PairSharing::Displacement });
        let rope = Self::Rope(rope::Config::new(rope::Layout::Axial2d, 100.0));
        let mut stacks: Vec<_> = Self::examples().into_iter().map(|single| vec![single]).collect();
        stacks.extend([
            vec![gate(), shaw()],
            vec![gate(), every_layer],
            vec![gate(), smolgen],
            vec![Self::Absolute(keys_only), shaw(), bias, rope],
        ]);
        stacks
    }
}

impl Serialize for EncodingConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        self.write_entry(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for EncodingConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrMap)
    }
}

/// Reads straight from the document, without a buffer in between, so that errors keep their line and column.
struct NameOrMap;

impl<'de> Visitor<'de> for NameOrMap {
    type Value = EncodingConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of an encoding ({}) or a map of it to its options", EncodingConfig::NAMES.join(", "))
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<EncodingConfig, E> {
        EncodingConfig::with_default_options(name)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<EncodingConfig, M::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(M::Error::invalid_length(0, &self));
        };
        let config = EncodingConfig::with_options(&name, &mut map)?;
        match map.next_key::<String>()? {
            None => Ok(config),
            Some(second) => Err(M::Error::custom(format!(
                "\"{second}\" is in the same map as \"{name}\": several encodings are a list with one map each, \
                 and options of \"{name}\" belong one level deeper"
            ))),
        }
    }
}
