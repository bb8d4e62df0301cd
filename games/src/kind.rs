//! The list of games.

use serde::{Deserialize, Serialize};

/// The list of games and of [boards for probes](crate::probe_boards): `for_games!([callback] arguments)` calls the macro `callback`
/// with a list in brackets, then the arguments. The list has for each of them a variant of [`GameKind`], a module, whose name is
/// the game's name, and a type. A new game is one more line here.
#[macro_export]
macro_rules! for_games {
    ([$($callback:tt)+] $($arguments:tt)*) => {
        $crate::with_games_of_tests! {
            [
                (Chess chess Chess)
                (Shogi shogi Shogi)
                (Minishogi minishogi Minishogi)
                (Board5 board5 Board5)
                (Board6 board6 Board6)
                (Board8 board8 Board8)
                (Board9 board9 Board9)
                (Board11 board11 Board11)
            ]
            [$($callback)+] $($arguments)*
        }
    };
}

/// Adds the game that exists in tests only.
#[cfg(feature = "skirmish")]
#[doc(hidden)]
#[macro_export]
macro_rules! with_games_of_tests {
    ([$($game:tt)+] [$($callback:tt)+] $($arguments:tt)*) => {
        $($callback)+! { [$($game)+ (Skirmish skirmish Skirmish)] $($arguments)* }
    };
}

#[cfg(not(feature = "skirmish"))]
#[doc(hidden)]
#[macro_export]
macro_rules! with_games_of_tests {
    ([$($game:tt)+] [$($callback:tt)+] $($arguments:tt)*) => {
        $($callback)+! { [$($game)+] $($arguments)* }
    };
}

macro_rules! game_kind {
    ([$(($variant:ident $module:ident $type:ident))+]) => {
        /// The games by name. [`with_game!`](crate::with_game) maps a kind to a type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum GameKind {
            $(#[doc = concat!("The game of [`", stringify!($module), "`](crate::", stringify!($module), ").")]
            $variant,)+
        }

        impl GameKind {
            /// Every game and every board.
            pub const LISTED: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];
        }
    };
}

for_games! { [game_kind] }
