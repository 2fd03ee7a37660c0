//! What came of a job, as one file to mail: words, tables, plots, pictures, and a small view of the cell with its motion.
//!
//! Nothing is fetched: all is in the file, and it says so to the browser.

mod plan;
mod plots;
mod small;

pub use plan::{places_report, plan_report};

use crate::describe;
use crate::page;
use crate::shown::Loaded;
use kansho::cell::{Cell, InCell, JointMotion};
use kansho::check::scene::{CellGap, Scene};
use kansho::geom::glam::DVec3;
use kansho::io::people::gap_between;
use kansho::picture::{Drawable, Shaded, Shapes, View, light};
use kansho::shown::{EnclosedGaps, NamedMotion, nearest_motion, nearest_pairs};
use kansho::verify::file::base64;
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;

/// Instants at which gaps are measured.
const INSTANTS: usize = 200;

/// Postures of a motion in the file, at most.
const POSTURES: usize = 1500;

/// Size of pictures, in pixels.
const SIZE: [usize; 2] = [840, 520];

/// What is told.
#[derive(Debug)]
pub struct Reported<'a> {
    /// What people call it.
    pub title: &'a str,
    /// What came of it, in a sentence.
    pub verdict: &'a str,
    /// Whether that is what was wanted; nobody knows if there is none.
    pub good: Option<bool>,
    /// Headings, and facts with their names.
    pub sections: Vec<(String, Vec<(String, String)>)>,
    /// Pictures (PNG), with headings and a few words on each.
    pub maps: Vec<(&'a str, &'a str, &'a [u8])>,
    /// The cell, if there is one to show.
    pub scene: Option<&'a Scene>,
    /// A motion of it; several where there are breaks.
    pub motions: Vec<NamedMotion>,
    /// A bound below all gaps, in metres, if the motion was proven free.
    pub clearance: Option<f64>,
}

/// What is measured along a motion.
struct Instants {
    t: Vec<f64>,
    postures: Vec<Vec<f64>>,
    /// The least gap.
    least: Vec<Option<CellGap>>,
}

/// The report.
#[must_use]
pub fn report(reported: &Reported<'_>) -> Vec<u8> {
    let title = escaped(reported.title);
    let kind = match reported.good {
        Some(true) => "good",
        Some(false) => "bad",
        None => "open",
    };
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n<p class=\"verdict {kind}\">{}</p>\n",
        escaped(reported.verdict)
    );
    let shown = reported.scene.map(|scene| Shown::of(reported, scene));
    if let Some(shown) = &shown {
        page += &shown.view(reported);
    }
    for (heading, facts) in &reported.sections {
        let _ = write!(page, "<h2>{}</h2>\n<table>\n", escaped(heading));
        for (name, value) in facts {
            let _ = writeln!(page, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        page += "</table>\n";
    }
    if let Some(Shown { scene, instants: Some(instants), enclosed, .. }) = &shown {
        page += &of_gaps(scene, enclosed);
        let name = (reported.motions.len() > 1).then(|| reported.motions[0].name.as_str());
        page += &of_plots(scene.cell(), instants, enclosed.first(), name);
    }
    for (heading, words, picture) in &reported.maps {
        let _ = write!(
            page,
            "<h2>{heading}</h2>\n<p>{0}</p>\n<img class=\"wide\" src=\"{1}\" alt=\"{0}\">\n",
            escaped(words),
            image(picture)
        );
    }
    if let Some(shown) = &shown {
        page += &pictures(reported, shown);
    }
    let _ = write!(page, "<footer>Made by kansho {}.</footer>\n</body></html>\n", env!("CARGO_PKG_VERSION"));
    page.into_bytes()
}

fn measured(scene: &Scene, motion: &JointMotion) -> Instants {
    let t: Vec<f64> = (0..=INSTANTS).map(|k| k as f64 / INSTANTS as f64).collect();
    let postures: Vec<Vec<f64>> = t.iter().map(|t| motion.at(*t)).collect();
    let look = |workspace: &mut kansho::check::scene::Workspace, posture: &Vec<f64>| {
        scene.least_gap(posture, f64::INFINITY, workspace)
    };
    let least = postures.par_iter().map_init(|| scene.workspace(), look).collect();
    Instants { t, postures, least }
}

fn of_plots(cell: &Cell, instants: &Instants, enclosed: Option<&EnclosedGaps>, name: Option<&str>) -> String {
    let proven = enclosed.map(|enclosed| enclosed.whole.proven);
    let mut page = format!(
        "<h2>The least gap over the motion</h2>\n{}\n<p class=\"dim\">{} at {} instants, so the curve may pass over the least gap{}.</p>\n",
        plots::gaps(instants, proven),
        name.map_or("Measured".to_owned(), |name| format!("Of {}, measured", escaped(name))),
        INSTANTS + 1,
        if proven.is_some() { "; dashed: what is proven at every instant" } else { "" }
    );
    let (plot, names) = plots::joints(cell, instants);
    if !names.is_empty() {
        let _ = write!(page, "<h2>Joints between their limits</h2>\n{plot}\n<p class=\"dim\">");
        for (name, colour) in names {
            let _ = write!(page, "<span style=\"color:{colour}\">━ {}</span> ", escaped(&name));
        }
        page += "</p>\n";
    }
    page
}

/// A sentence for each motion, and a table of pairs over all of them.
fn of_gaps(scene: &Scene, all: &[EnclosedGaps]) -> String {
    let pair_words = |pair| escaped(&scene.pair_name(pair).replace('|', " | "));
    let mut page = "<h2>Pairs and clearances</h2>\n".to_owned();
    for EnclosedGaps { name, whole, .. } in all {
        let _ = match &whole.measured {
            Some((t, found)) => writeln!(
                page,
                "<p class=\"least-gap\">Least gap of {}: <strong>{}</strong>, {}, near {:.1} %.</p>",
                escaped(name),
                gap_between(whole.proven, found.gap),
                pair_words(found.pair),
                100.0 * t
            ),
            None => writeln!(page, "<p class=\"least-gap\">In {} nothing can touch.</p>", escaped(name)),
        };
    }
    page += "<p>The pairs of bodies that come nearest. The first number is proven: at no instant are they nearer. The second was measured at the instant that is named.</p>\n\
             <table class=\"pairs\">\n<tr><th>pair</th><th>least gap</th><th>where</th></tr>\n";
    for row in nearest_pairs(all) {
        let of = if all.len() > 1 { format!("{}, ", escaped(&all[row.motion].name)) } else { String::new() };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{of}{:.1} %</td></tr>",
            pair_words(row.gap.pair),
            gap_between(row.gap.proven, row.gap.measured),
            100.0 * row.gap.t
        );
    }
    page + "</table>\n"
}

/// The whole cell, and the place that is nearest.
fn pictures(reported: &Reported<'_>, shown: &Shown<'_>) -> String {
    let (cell, instants) = (&**shown.scene.cell(), shown.instants.as_ref());
    let drawable = Drawable { cell, surfaces: &shown.surfaces, of_pieces: &shown.shapes.of_pieces };
    let zero = cell.zero_posture();
    let first = instants.map_or(&zero, |instants| &instants.postures[0]);
    let way = instants.map(|instants| tips(cell, &instants.postures)).unwrap_or_default();
    let aspect = SIZE[0] as f64 / SIZE[1] as f64;
    let iso = DVec3::new(1.0, -1.25, 0.75);
    let mut page = "<h2>Pictures</h2>\n<div class=\"pictures\">\n".to_owned();
    let mut add = |picture: Vec<u8>, words: &str| {
        let _ = writeln!(
            page,
            "<figure><img src=\"{}\" alt=\"{words}\"><figcaption>{words}</figcaption></figure>",
            image(&picture)
        );
    };
    let whole = drawable.whole(first, iso, aspect);
    add(drawable.draw(first, &whole, SIZE, &way, None), "The cell, and the way of the tool");
    let above = drawable.whole(first, DVec3::new(0.0, -1e-3, 1.0), aspect);
    add(drawable.draw(first, &above, SIZE, &way, None), "From above");
    if let Some((k, enclosed)) = nearest_motion(&shown.enclosed)
        && let Some((t, found)) = enclosed.whole.measured
    {
        let point = (found.points[0] + found.points[1]) / 2.0;
        let near = View { from: iso.normalize(), target: point, half: whole.half / 5.0 };
        let words = format!(
            "Where {} comes nearest: {} at {:.1} %",
            escaped(&enclosed.name),
            gap_between(enclosed.whole.proven, found.gap),
            100.0 * t
        );
        let posture = reported.motions[k].motion.at(t);
        add(drawable.draw(&posture, &near, SIZE, &way, Some(point)), &words);
    }
    page + "</div>\n"
}

/// Where the tool of the first robot that has one goes.
fn tips(cell: &Cell, postures: &[Vec<f64>]) -> Vec<DVec3> {
    let Some(tool) = cell.robots().iter().find_map(|robot: &InCell| robot.tool) else { return Vec::new() };
    let tip = |posture: &Vec<f64>| {
        (cell.place(posture).world_from_link(tool.on) * tool.link_from_tcp).translation()
    };
    postures.iter().map(tip).collect()
}

/// A cell that is shown, and what is measured of its motion.
struct Shown<'a> {
    scene: &'a Scene,
    shapes: Shapes,
    surfaces: Vec<Shaded>,
    /// Of the first motion.
    instants: Option<Instants>,
    /// Of every motion that was proven free.
    enclosed: Vec<EnclosedGaps>,
}

impl<'a> Shown<'a> {
    fn of(reported: &Reported<'_>, scene: &'a Scene) -> Self {
        let shapes = Shapes::of(scene.cell());
        let surfaces = light(&shapes);
        let instants = reported.motions.first().map(|named| measured(scene, &named.motion));
        // What was not proven free has no bound below its gaps.
        let proven = if reported.clearance.is_some() { reported.motions.as_slice() } else { &[] };
        let enclosed = proven.iter().map(|named| EnclosedGaps::of(scene, named)).collect();
        Self { scene, shapes, surfaces, instants, enclosed }
    }

    /// The view in three dimensions; without Node.js at build time, what is missing.
    fn view(&self, reported: &Reported<'_>) -> String {
        let Some(script) = page::report_script() else {
            return format!(
                "<p class=\"dim\" id=\"no-view\">There is no view in three dimensions here, for kansho was built without it: {}.</p>\n",
                escaped(page::missing().unwrap_or("it was left out"))
            );
        };
        let loaded = Loaded {
            title: reported.title.to_owned(),
            cell: Arc::clone(self.scene.cell()),
            motions: Vec::new(),
            warnings: Vec::new(),
            words: None,
            task: None,
            live: None,
            busy: None,
            tour: false,
        };
        let words = describe::words(&loaded, &self.shapes, 0);
        let motions = reported.motions.iter().map(|named| (named.name.as_str(), sampled(&named.motion)));
        let geometry = small::packed(&self.surfaces, motions, self.scene.cell().coordinates().len());
        let gaps = self.instants.as_ref().map(|instants| {
            let bodies =
                |found: &Option<CellGap>| found.map(|found| self.scene.bodies(found.pair).map(|body| body.0));
            json!({
                "t": instants.t,
                "gap": instants.least.iter().map(|found| found.map(|found| found.gap)).collect::<Vec<_>>(),
                "bodies": instants.least.iter().map(bodies).collect::<Vec<_>>(),
            })
        });
        let clearance =
            self.enclosed.first().map(|enclosed| enclosed.whole.proven).filter(|gap| gap.is_finite());
        let data = json!({ "cell": words, "gaps": gaps, "clearance": clearance });
        // Nothing in the data can end the element that it stands in.
        let data = data.to_string().replace("</", "<\\/").replace("<!--", "<\\!--");
        format!(
            "<section id=\"view\" aria-label=\"The cell in 3-D\"><canvas id=\"stage\" tabindex=\"0\"></canvas><div id=\"bar\"></div></section>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script type=\"text/plain\" id=\"geometry\">{}</script>\n<script>{script}</script>\n",
            base64(&geometry)
        )
    }
}

/// Postures that follow each other; as many as an eye needs.
fn sampled(motion: &JointMotion) -> Vec<Vec<f64>> {
    let count = motion.pieces().len().clamp(200, POSTURES);
    (0..=count).map(|k| motion.at(k as f64 / count as f64)).collect()
}

fn image(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", base64(png))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#1c2733}\
h1{font-size:1.5em;margin-bottom:.2em}h2{font-size:1.1em;margin-top:1.8em;border-bottom:1px solid #dde3ea}\
td,th{text-align:left;padding:.15em 1.5em .15em 0;vertical-align:top}th{font-weight:normal;color:#5b6b7c}\
.pairs td+td{font-variant-numeric:tabular-nums;text-align:right}.pairs th+th{text-align:right}\
.verdict{font-size:1.15em;padding:.5em .9em;border-radius:8px;border:1px solid;margin:.6em 0}\
.good{color:#12692d;background:#e9f7ee;border-color:#9fd4b1}.bad{color:#a31621;background:#fdecee;border-color:#eba5ab}.open{color:#7a5200;background:#fff6dd;border-color:#e6cf8a}\
.wide,svg{max-width:100%;display:block}.wide{border:1px solid #dde3ea}.dim{color:#5b6b7c}\
.pictures{display:flex;flex-wrap:wrap;gap:12px}figure{margin:0;flex:1 1 300px}figure img{width:100%;border:1px solid #dde3ea;border-radius:6px}figcaption{color:#5b6b7c}\
#view{position:relative;height:460px;border:1px solid #dde3ea;border-radius:8px;overflow:hidden;background:linear-gradient(#fff,#dfe7ef)}\
#stage{position:absolute;inset:0;width:100%;height:100%;touch-action:none;outline:none}\
#bar{position:absolute;left:0;right:0;bottom:0;display:flex;gap:10px;align-items:center;padding:6px 10px;background:#ffffffd9;border-top:1px solid #dde3ea;font-size:13px}\
#bar input[type=range]{flex:1}#bar button,#bar select{font:inherit;padding:1px 9px}#bar .told{min-width:15em;font-variant-numeric:tabular-nums}\
footer{margin-top:3em;color:#5b6b7c;font-size:.9em}@media print{#view{display:none}}";

#[cfg(test)]
mod tests {
    use super::*;
    use kansho::cell::builtin;
    use kansho::shown::TimeBase;

    #[test]
    fn a_report_tells_all_and_asks_nobody() {
        let scene = Scene::new(Arc::new(builtin::cell())).with_models();
        let mut aside = builtin::home();
        aside[0] += 0.3;
        let motion = JointMotion::lines(&[builtin::home(), aside]).expect("two postures");
        let reported = Reported {
            title: "<b> & \"job\"",
            verdict: "a </script> path",
            good: Some(true),
            sections: vec![("Facts".into(), vec![("x".into(), "<i>1</i>".into())])],
            maps: vec![("Path map", "Points across, rotation up", b"\x89PNG")],
            scene: Some(&scene),
            motions: vec![NamedMotion { name: "path".into(), motion, margin: 0.0, times: TimeBase::Unknown }],
            clearance: Some(0.001),
        };
        let text = String::from_utf8(report(&reported)).expect("text");
        assert!(text.contains("<h1>&lt;b&gt; &amp; &quot;job&quot;</h1>"));
        assert!(text.contains("a &lt;/script&gt; path") && text.contains("&lt;i&gt;1&lt;/i&gt;"));
        assert!(text.contains("Pairs and clearances") && text.matches("<svg").count() == 2);
        assert_eq!(text.matches("data:image/png;base64,").count(), 4);
        // Whatever the data hold, elements end where they should.
        let scripts = if page::report_script().is_some() { 3 } else { 0 };
        assert_eq!((text.matches("<script").count(), text.matches("</script>").count()), (scripts, scripts));
        assert!(!text.contains("src=\"http") && !text.contains("href="));
        // One enclosure, wherever the least gap is told: in the sentence, in the table, and below the picture.
        let whole = EnclosedGaps::of(&scene, &reported.motions[0]).whole;
        let (_, found) = whole.measured.expect("things move");
        let words = gap_between(whole.proven, found.gap);
        assert_eq!(text.matches(&words).count(), 4, "{words}");
    }
}
