//! Numbers as people read them: millimetres, and no more digits than matter.

/// A gap that lies between two numbers, in metres: `1.91 to 1.93 mm`. The lower number is rounded down and the upper one up, so that the words are as
/// true as the numbers. One number alone where both are the same, as where something touches.
///
/// ```
/// use kansho_io::people::gap_between;
/// assert_eq!(gap_between(0.001_916, 0.001_918), "1.916 to 1.918 mm");
/// assert_eq!(gap_between(0.001_731, 0.001_923), "1.73 to 1.93 mm");
/// assert_eq!(gap_between(0.25, 0.25), "250 mm");
/// ```
#[must_use]
pub fn gap_between(low: f64, high: f64) -> String {
    let (low, high) = (1e3 * low, 1e3 * high);
    if !(high.is_finite() && low >= 0.0) {
        return "not known".into();
    }
    if low == high {
        return format!("{} mm", tidy(format!("{low:.3}")));
    }
    // Steps of at most half the width, or of all of it where that is less than a micrometre or two: two numbers that differ are not written as if
    // they did not, and nobody reads tenths of micrometres.
    let steps = |width: f64| (-width.log10()).ceil().clamp(0.0, 9.0);
    let digits = steps(0.5 * (high - low)).min(steps(high - low).max(3.0)) as usize;
    let unit = 10_f64.powi(digits as i32);
    // A number that is a decimal already is not pushed to the next one by its last bit.
    let [down, up] = [(low * unit * (1.0 + 1e-15)).floor(), (high * unit * (1.0 - 1e-15)).ceil()];
    let words = |number: f64| if number == 0.0 { "0".into() } else { format!("{:.digits$}", number / unit) };
    format!("{} to {} mm", words(down), words(up))
}

/// Without zeros that say nothing.
fn tidy(number: String) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_never_narrower_than_numbers() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let low = 10_f64.powf(6.0 * next() - 7.0);
            let high = low * (1.0 + 10_f64.powf(5.0 * next() - 5.0));
            let words = gap_between(low, high);
            let numbers: Vec<f64> = words
                .trim_end_matches(" mm")
                .split(" to ")
                .map(|word| word.parse().expect("a number"))
                .collect();
            let [down, up] = numbers[..] else { panic!("{words}") };
            assert!(
                down <= 1e3 * low * (1.0 + 1e-12) && up >= 1e3 * high * (1.0 - 1e-12),
                "{low} {high}: {words}"
            );
            assert!(up - down <= 3.01e3 * (high - low) + 1e-9, "{low} {high}: {words}");
        }
        let cases = [(0.0, 0.0, "0 mm"), (0.0, 1.2e-7, "0 to 0.0002 mm"), (f64::NAN, 1.0, "not known")];
        for (low, high, words) in cases {
            assert_eq!(gap_between(low, high), words);
        }
    }
}
