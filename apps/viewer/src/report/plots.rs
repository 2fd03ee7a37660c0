//! Plots as SVG: how near anything comes over the path, and where the joints are between their limits.

use super::Instants;
use kansho::cell::Cell;
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 58.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 8.0;

const COLOURS: [&str; 8] =
    ["#c6362f", "#e07b22", "#2f9e57", "#2b6fd6", "#7d4bb0", "#8a6a42", "#c2508f", "#557"];

fn x(t: f64) -> f64 {
    LEFT + t * (WIDTH - LEFT - 8.0)
}

fn begun(label: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\"><g font-size=\"11\" fill=\"#555\">"
    )
}

/// A scale at the left, and parts of the motion below.
fn scale(svg: &mut String, ticks: &[(f64, String)]) {
    for (y, text) in ticks {
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            x(1.0),
            LEFT - 6.0,
            y + 4.0
        );
    }
    for k in 0..=10 {
        let t = f64::from(k) / 10.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{} %</text>",
            x(t).min(WIDTH - 16.0),
            HEIGHT - 6.0,
            10 * k
        );
    }
}

fn curve(svg: &mut String, points: impl Iterator<Item = [f64; 2]>, colour: &str) {
    let points: Vec<String> = points.map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(
        svg,
        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" points=\"{}\"/>",
        points.join(" ")
    );
}

/// The least gap over the motion, measured; and below it what is proven.
pub(super) fn gaps(instants: &Instants, proven: Option<f64>) -> String {
    let most = instants.least.iter().flatten().map(|found| found.gap).fold(1e-6, f64::max);
    let y = |gap: f64| HEIGHT - BOTTOM - gap / (1.08 * most) * (HEIGHT - BOTTOM - TOP);
    let mut svg = begun("The least gap over the motion");
    let step = step(most / 3.0);
    let ticks: Vec<(f64, String)> = (0..)
        .map(|k| f64::from(k) * step)
        .take_while(|gap| *gap <= 1.05 * most)
        .map(|gap| (y(gap), format!("{} mm", short(1e3 * gap))))
        .collect();
    scale(&mut svg, &ticks);
    let points = instants.t.iter().zip(&instants.least);
    curve(&mut svg, points.filter_map(|(t, found)| Some([x(*t), y(found.as_ref()?.gap)])), "#2b6fd6");
    if let Some(proven) = proven.filter(|proven| proven.is_finite()) {
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#2f9e57\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>",
            x(1.0),
            y(proven)
        );
    }
    svg + "</g></svg>"
}

/// Where each joint is between its limits; those without limits are left out.
pub(super) fn joints(cell: &Cell, instants: &Instants) -> (String, Vec<(String, &'static str)>) {
    let y = |part: f64| HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
    let mut svg = begun("Joints between their limits over the motion");
    let ticks =
        [(0.0, "lower"), (0.5, "middle"), (1.0, "upper")].map(|(part, text)| (y(part), text.to_owned()));
    scale(&mut svg, &ticks);
    let mut names = Vec::new();
    for (k, joint) in cell.coordinates().iter().enumerate() {
        let Some(limits) = joint.limits.filter(|limits| limits.upper > limits.lower) else { continue };
        let colour = COLOURS[names.len() % COLOURS.len()];
        let part = |value: f64| (value - limits.lower) / (limits.upper - limits.lower);
        let points = instants.t.iter().zip(&instants.postures);
        curve(&mut svg, points.map(|(t, posture)| [x(*t), y(part(posture[k]))]), colour);
        names.push((joint.full_name(), colour));
    }
    (svg + "</g></svg>", names)
}

/// One, two or five of a power of ten.
fn step(about: f64) -> f64 {
    let power = 10.0_f64.powf(about.log10().floor());
    [5.0, 2.0, 1.0].into_iter().find(|factor| factor * power <= about).unwrap_or(1.0) * power
}

/// A number without digits that say nothing.
pub(super) fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    let digits = (2 - number.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_numbers_are_short() {
        assert_eq!([0.7, 0.011, 2.5, 900.0].map(step), [0.5, 0.01, 2.0, 500.0]);
        let texts = [0.0, 1.923_456, 37.0, 0.002_185, 1234.5].map(short);
        assert_eq!(texts, ["0", "1.92", "37", "0.00218", "1234"].map(String::from));
    }
}
