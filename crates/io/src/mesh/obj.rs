//! Wavefront OBJ: vertices and polygonal faces; what carries no surface is passed over.

use super::raw::{MAX_TRIANGLES, OddOutlines, Raw, RawMesh};
use crate::fault::{Counted, Fault, Faults};
use crate::text::{self, Word};
use kansho_geom::Mesh;
use kansho_geom::glam::DVec3;
use std::fmt::Write;

/// Statements that say nothing about the surface: names, looks, texture coordinates, normals.
const NO_SURFACE: [&str; 19] = [
    "vt",
    "vn",
    "vp",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "end",
    "step",
];

/// Free-form curves and surfaces, and commands: leaving them out would leave geometry out.
const REFUSED: [&str; 14] = [
    "cstype", "deg", "bmat", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "con", "call",
    "csh",
];

/// Numbers of a vertex: its place, a weight, a colour.
const MOST_NUMBERS: usize = 7;

pub(crate) fn read(bytes: &[u8]) -> Raw {
    let text = text::decoded(bytes);
    let mut raw = RawMesh::default();
    let mut faults = Faults::default();
    // Faces may name vertices that come later, so the vertices are read first.
    for_each_statement(&text, |keyword, words| {
        if keyword.text == b"v" {
            raw.soup.points.push(vertex(&keyword, words, &mut faults));
        }
    });
    let mut odd = Oddities::default();
    let mut vertices_so_far = 0;
    let mut corners = Vec::new();
    let swallowed = for_each_statement(&text, |keyword, words| match keyword.text {
        b"v" => vertices_so_far += 1,
        b"f" | b"fo" => {
            corners.clear();
            for word in words {
                match corner(word, vertices_so_far, raw.soup.points.len()) {
                    Ok(index) => corners.push(index),
                    Err(fault) => faults.push(fault),
                }
            }
            if corners.len() < words.len() {
                return; // Faults are noted; the rest of the file is still looked at.
            }
            match raw.soup.add_polygon(&corners) {
                Ok(outline) => odd.outlines.add(outline, || keyword.place()),
                Err(what) => faults.push(keyword.fault(what)),
            }
        }
        b"p" | b"l" => odd.points_and_lines.add(|| keyword.place()),
        name if NO_SURFACE.iter().any(|known| known.as_bytes() == name) => {}
        name if REFUSED.iter().any(|known| known.as_bytes() == name) => {
            faults.push(keyword.fault(format!(
                "'{}': curves, free-form surfaces and commands are not supported",
                keyword.shown()
            )));
        }
        _ => odd.unknown.add(|| keyword.place()),
    });
    if raw.soup.triangles.len() > MAX_TRIANGLES {
        faults.push(Fault::of_file(format!("more than {MAX_TRIANGLES} triangles")));
    }
    faults.into_result()?;
    raw.warnings.extend(odd.warnings());
    raw.warnings.extend(swallowed.warning(|n| {
        format!("lines that look like statements of their own, but go on what the backslash before them continues: {n}")
    }));
    Ok(raw)
}

#[derive(Default)]
struct Oddities {
    outlines: OddOutlines,
    points_and_lines: Counted,
    unknown: Counted,
}

impl Oddities {
    fn warnings(self) -> impl Iterator<Item = Fault> {
        let left_out = self
            .points_and_lines
            .warning(|n| format!("points and lines, which are no surface, left out: {n}"));
        let unknown =
            self.unknown.warning(|n| format!("statements that are not understood, passed over: {n}"));
        self.outlines.warnings().chain(left_out).chain(unknown)
    }
}

/// Calls with the keyword and the words of every statement; a backslash at the end of a line goes on in the next, and
/// a `#` begins a comment. Answers with the lines that go on another, but begin with a keyword.
fn for_each_statement<'a>(text: &'a [u8], mut call: impl FnMut(Word<'a>, &[Word<'a>])) -> Counted {
    let mut swallowed = Counted::default();
    let mut words: Vec<Word> = Vec::new();
    for line in text::lines(text) {
        if !words.is_empty()
            && let Some(first) = line.words().next()
            && is_keyword(first.text)
        {
            swallowed.add(|| first.place());
        }
        let mut goes_on = false;
        for mut word in line.words().take_while(|word| !word.text.starts_with(b"#")) {
            let end = word.text.strip_suffix(b"\\");
            goes_on = end.is_some(); // As the last word of the line has it.
            word.text = end.unwrap_or(word.text);
            if !word.text.is_empty() {
                words.push(word);
            }
        }
        if goes_on {
            continue;
        }
        if let Some((&keyword, rest)) = words.split_first() {
            call(keyword, rest);
        }
        words.clear();
    }
    if let Some((&keyword, rest)) = words.split_first() {
        call(keyword, rest);
    }
    swallowed
}

fn is_keyword(word: &[u8]) -> bool {
    let mut known = ["v", "f", "fo", "p", "l"].iter().chain(&NO_SURFACE).chain(&REFUSED);
    known.any(|known| known.as_bytes() == word)
}

/// The three coordinates; a weight and a colour may follow and say nothing about the place.
fn vertex(keyword: &Word, words: &[Word], faults: &mut Faults) -> DVec3 {
    if words.len() < 3 {
        faults.push(keyword.fault(format!("a vertex needs three coordinates, this has {}", words.len())));
        return DVec3::ZERO;
    }
    let mut point = DVec3::ZERO;
    for axis in 0..3 {
        match words[axis].number() {
            Ok(number) => point[axis] = number,
            Err(fault) => faults.push(fault),
        }
    }
    let extra = words.iter().enumerate().skip(3);
    let odd = |(index, word): &(usize, &Word)| *index >= MOST_NUMBERS || !word.is_number();
    if let Some((_, word)) = extra.into_iter().find(odd) {
        faults.push(word.fault(format!(
            "'{}' stands after the coordinates of a vertex, where at most a weight and a colour may",
            word.shown()
        )));
    }
    point
}

/// The vertex that `7`, `7/3`, `7//2`, `7/3/2` or their negative forms name, from 0.
fn corner(word: &Word, vertices_so_far: usize, vertices: usize) -> Result<u32, Fault> {
    let mut parts = word.text.split(|&c| c == b'/').map(|text| Word { text, ..*word });
    let named = parts.next().expect("a split has a first part");
    let given = named.integer().map_err(|_| word.fault(format!("'{}' names no vertex", word.shown())))?;
    for part in parts.filter(|part| !part.text.is_empty()) {
        part.integer()?;
    }
    let index = match given {
        1.. => given - 1,
        0 => return Err(word.fault("vertices count from 1, this names vertex 0")),
        _ => vertices_so_far as i64 + given,
    };
    if (0..vertices as i64).contains(&index) {
        Ok(index as u32)
    } else if given > 0 {
        Err(word.fault(format!("names vertex {given}, but the file has only {vertices}")))
    } else {
        Err(word.fault(format!(
            "names the vertex {} back, but only {vertices_so_far} stand before this line",
            -given
        )))
    }
}

/// OBJ with every digit of the coordinates.
pub(crate) fn write(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::from("# made by kansho, metres\n");
    for p in mesh.vertices() {
        writeln!(text, "v {} {} {}", p.x, p.y, p.z).expect("writing to a string succeeds");
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("writing to a string succeeds");
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Place;

    const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    #[test]
    fn faces_in_many_shapes() {
        let check = |text: &str, triangles: usize, warnings: usize| {
            let raw = read(text.as_bytes()).expect("the file is good");
            assert_eq!((raw.soup.triangles.len(), raw.warnings.len()), (triangles, warnings), "{text}");
        };
        check(&format!("{CORNERS}f 1 2 3"), 1, 0);
        check(&format!("{CORNERS}f 1/1 2/2 3/3 4/4"), 2, 0);
        check(&format!("{CORNERS}f -4//1 -3//1 -2//1 # comment 9 9"), 1, 0);
        check(&format!("{CORNERS}f 1// \\\n 2// \\\n3//\n"), 1, 0);
        check(&format!("f 1 2 3\n{CORNERS}"), 1, 0);
        check(&format!("{CORNERS}f 1 2\nf 2 1\np 1\nl 1 2\nfoo\nf 1 2 3"), 1, 3);
        check("v 0 0 0 1 nan nan nan\ng a f 1 2 3\nmtllib ../../x\no f\n", 0, 0);
        check(&format!("{CORNERS}f 1 3 2 4"), 2, 1);
        check(&format!("v 0 0 0 # C:\\tmp\\\n{CORNERS}f 1 2 3"), 1, 0);
        check(&format!("{CORNERS}usemtl C:\\mat\\\nf 1 2 3\nf 1 3 4"), 1, 1);
        check("v 0 0 0\nv 1 0 0\nv 1 1 0.01\nv 0 1 0\nf 1 2 3 4", 2, 1);
        check("v 0 0 0\nv 1 0 0\nv 1 1 0.001\nv 0 1 0\nf 1 2 3 4", 2, 0);
    }

    #[test]
    fn utf16_is_read() {
        let text = format!("{CORNERS}f 1 2 3");
        let units = [0xFEFF].into_iter().chain(text.encode_utf16());
        let bytes: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&bytes).expect("good").soup.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn faults_name_line_and_column() {
        let check = |text: &str, at: (u32, u32), what: &str| {
            let faults = read(text.as_bytes()).expect_err("the file is bad");
            assert_eq!(faults.len(), 1, "{faults:?}");
            let Place::Line { line, column, .. } = faults[0].place else { panic!("{}", faults[0]) };
            assert_eq!((line, column), at, "{}", faults[0]);
            assert!(faults[0].what.contains(what), "{}", faults[0]);
        };
        check(&format!("{CORNERS}f 1 2 9"), (5, 7), "vertex 9");
        check(&format!("{CORNERS}f 1 -2 -5"), (5, 8), "5 back");
        check(&format!("{CORNERS}f 1 0 2"), (5, 5), "vertex 0");
        check(&format!("{CORNERS}f 1 x 2"), (5, 5), "'x'");
        check(&format!("{CORNERS}f 1 2/x 3"), (5, 7), "'x'");
        check("v 0 0\n", (1, 1), "this has 2");
        check("v 0 0 1e\n", (1, 7), "'1e'");
        check("v 0 inf 1\n", (1, 5), "finite");
        check("v 0 0 0 v 1 0 0\n", (1, 9), "'v' stands after the coordinates");
        check("v 0 0 0 1 2 3 4 5\n", (1, 17), "'5' stands after the coordinates");
        check("v 0 0 0\nsurf 0 1 0 1 1 2\n", (2, 1), "free-form");
        check(&format!("{CORNERS}f 1 2 99999999999999999999"), (5, 7), "names no vertex");
    }
}
