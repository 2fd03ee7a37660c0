//! Which codes of G-code move nothing, and why others are refused.

/// M codes that leave the tip and the frames of a program where they are: stops, spindle, tool change, coolant, clamps, gears, overrides.
const HARMLESS_M: [u32; 33] = [
    0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 19, 29, 40, 41, 42, 43, 44, 45, 48, 49, 50, 51, 61, 62,
    63, 64, 65, 88, 89,
];

/// Whether an M code leaves the tip where it is.
pub(in crate::toolpath) fn is_harmless_m(code: f64) -> bool {
    HARMLESS_M.iter().any(|known| f64::from(*known) == code)
}

/// Whether a G code, in tenths, changes nothing: exact stops, smoothing within the tolerance of the machine, ends of cycles, of scaling and of
/// rotation, radii that are not compensated, levels of cycles, speed of the spindle.
pub(super) fn is_harmless_g(tenths: u32) -> bool {
    matches!(tenths, 90 | 400 | 500 | 610..=649 | 690 | 800 | 911 | 970 | 980 | 990)
}

/// Modal groups: two codes of one group in one block contradict each other.
pub(super) fn group(tenths: u32) -> Option<&'static str> {
    Some(match tenths {
        0 | 10 | 20 | 30 => "how to move",
        170 | 180 | 190 => "which plane",
        200 | 210 | 700 | 710 => "which unit",
        900 | 910 => "absolute or incremental",
        930 | 940 => "how the feed counts",
        430 | 434 | 435 | 440 | 490 | 1510 => "which tool-tip mode",
        540..=599 => "which work offset",
        _ => return None,
    })
}

/// Why a G code is refused, in tenths.
pub(super) fn why_not_g(tenths: u32) -> String {
    let code = f64::from(tenths) / 10.0;
    match tenths {
        410 | 420 => "the radius of the cutter is compensated by the machine (G41, G42): the tip is not known. Let the CAM system compensate it".into(),
        100 | 101 | 520 | 920..=923 => format!(
            "G{code} sets coordinates: from there on, where X, Y and Z are is not known. Write the path in one coordinate system"
        ),
        310 | 380..=389 => format!("G{code} probes: where it stops is not known"),
        510 | 680 | 160 => format!("G{code} changes what coordinates mean, and is not understood"),
        650..=679 => format!("macros (G{code}) are not followed"),
        _ => format!("G{code} is not understood"),
    }
}

/// Why an M code is refused.
pub(super) fn why_not_m(code: f64) -> String {
    match code {
        17.0 | 99.0 => {
            format!("M{code} ends a subprogram, or starts the program again: remove it if the path ends here")
        }
        97.0 | 98.0 | 198.0 => {
            format!("subprograms (M{code}) are not followed: write their moves into this file")
        }
        21.0..=23.0 => format!("M{code} may mirror axes, and is not understood"),
        _ => format!("M{code} is not understood, and may move the machine: remove it if it does not"),
    }
}
