//! The colours of a picture, and the colour of a value.

/// A colour of the picture, an index into [`palette`].
pub(super) type Colour = u8;

/// How many colours the scale has; odd, so that one is the middle.
const STEPS: u8 = 251;

/// Colour of marks and letters.
pub(super) const INK: Colour = STEPS;
pub(super) const PAPER: Colour = STEPS + 1;
pub(super) const GRID: Colour = STEPS + 2;

/// Blue, white, red: ends and middle of ColorBrewer's RdBu, which is safe for red-green colour blindness.
const ANCHORS: [[f64; 3]; 5] =
    [[33.0, 102.0, 172.0], [146.0, 197.0, 222.0], [247.0, 247.0, 247.0], [244.0, 165.0, 130.0], [178.0, 24.0, 43.0]];

/// The colour of a value from −1 to 1; values outside get the end's colour, NaN the middle's.
pub(super) fn of_share(share: f64) -> Colour {
    let share = if share.is_nan() { 0.0 } else { share.clamp(-1.0, 1.0) };
    ((share + 1.0) / 2.0 * f64::from(STEPS - 1)).round() as Colour
}

/// Red, green, blue of every colour, concatenated.
pub(super) fn palette() -> Vec<u8> {
    let of_scale = (0..STEPS).map(|step| {
        let place = f64::from(step) / f64::from(STEPS - 1) * (ANCHORS.len() - 1) as f64;
        let below = (place as usize).min(ANCHORS.len() - 2);
        let share = place - below as f64;
        let mixed = |channel: usize| ANCHORS[below][channel] * (1.0 - share) + ANCHORS[below + 1][channel] * share;
        [0, 1, 2].map(|channel| mixed(channel).round() as u8)
    });
    let others = [[30, 30, 30], [255, 255, 255], [190, 190, 190]];
    of_scale.chain(others).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_white_and_the_ends_are_blue_and_red() {
        let palette = palette();
        let rgb = |colour: Colour| &palette[3 * usize::from(colour)..][..3];
        assert_eq!(rgb(of_share(-1.0)), [33, 102, 172]);
        assert_eq!(rgb(of_share(0.0)), [247, 247, 247]);
        assert_eq!(rgb(of_share(1.0)), [178, 24, 43]);
        assert_eq!((of_share(7.0), of_share(f64::NEG_INFINITY), of_share(f64::NAN)), (250, 0, 125));
        assert_eq!((rgb(INK), rgb(PAPER)), (&[30, 30, 30][..], &[255, 255, 255][..]));
    }
}
