//! OFF, the Object File Format of Geomview, as text.

use super::raw::{MAX_TRIANGLES, OddOutlines, Raw, RawMesh, Soup, refuse};
use crate::fault::{Fault, Faults};
use crate::text::{Line, Rows, Word, decoded, lines};
use kansho_geom::glam::DVec3;

/// Reads an OFF file: a header, a vertex per line, a face per line. Colours and normals are not kept. Without those,
/// rows may stand on any lines.
pub(crate) fn read(bytes: &[u8]) -> Raw {
    let text = decoded(bytes);
    read_lines(&text).or_else(|faults| read_words(&text).ok_or(faults))
}

/// Numbers one after the other, if they fit exactly: three counts, three coordinates a vertex, three corners a face at
/// least, and nothing after that.
fn read_words(text: &[u8]) -> Option<RawMesh> {
    let mut words = rows(text).flat_map(Line::words);
    let mut watch = Rows::default();
    let mut line = 0;
    let mut next = |begins_row: bool| {
        let word = words.next()?;
        watch.next(begins_row, word.line > line);
        line = word.line;
        Some(word)
    };
    let first = next(true).filter(|word| word.is("OFF"))?; // Other kinds have more numbers.
    let [vertices, faces, _] = [next(true)?, next(false)?, next(false)?].map(|word| count(&word).ok());
    let mut soup = Soup::default();
    for _ in 0..vertices? {
        let [x, y, z] = [next(true)?, next(false)?, next(false)?].map(|word| word.number().ok());
        soup.points.push(DVec3::new(x?, y?, z?));
    }
    let mut odd = OddOutlines::default();
    for _ in 0..faces? {
        let begin = next(true)?;
        let mut corners = Vec::new();
        for _ in 0..count(&begin).ok().filter(|&corners| corners >= 3)? {
            let corner = next(false)?.integer().ok().and_then(|index| usize::try_from(index).ok());
            corners.push(corner.filter(|&corner| corner < soup.points.len())? as u32);
        }
        odd.add(soup.add_polygon(&corners).ok()?, || begin.place());
    }
    if next(true).is_some() || watch.torn || soup.triangles.len() > MAX_TRIANGLES {
        return None;
    }
    let ragged = first.fault("rows do not keep to one line each: numbers are taken one after the other");
    let warnings = std::iter::once(ragged).chain(odd.warnings()).collect();
    Some(RawMesh { soup, metres_per_unit: None, up: None, warnings })
}

fn read_lines(text: &[u8]) -> Raw {
    let mut rows = rows(text);
    let Some(first) = rows.next() else { return refuse(Fault::of_file("the file is blank")) };
    let header = match Header::of(first, &mut rows) {
        Ok(header) => header,
        Err(fault) => return refuse(fault),
    };
    let mut reader = Reader::after(header.last);
    let whole = reader.vertices(&mut rows, header.vertices) && reader.faces(&mut rows, header.faces);
    let extra = if whole { rows.next() } else { None };
    reader.finish(header.warning, extra)
}

/// Lines that say something, without their comments.
fn rows(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    lines(text)
        .map(|line| {
            let comment = line.text.iter().position(|&c| c == b'#');
            Line { text: &line.text[..comment.unwrap_or(line.text.len())], ..line }
        })
        .filter(|line| line.words().next().is_some())
}

struct Header<'a> {
    vertices: u64,
    faces: u64,
    /// The line with the counts.
    last: Line<'a>,
    warning: Option<Fault>,
}

impl<'a> Header<'a> {
    /// The header that begins on this line. The counts may stand on it too, even without a blank (`OFF8 6 12`).
    fn of(first: Line<'a>, rows: &mut impl Iterator<Item = Line<'a>>) -> Result<Self, Fault> {
        let mut words = first.words();
        let Some(start) = words.next() else { return Err(first.whole().fault("a blank line")) };
        let Some((keyword, glued)) = split_keyword(start) else {
            start.integer().map_err(|_| {
                start.fault(format!("'{}' is neither the word OFF nor a count of vertices", start.shown()))
            })?;
            let warning = start.fault("the word OFF is missing; the numbers are read as if it were there");
            return Self::counts(first, first.words(), Some(warning));
        };
        check_variant(&keyword)?;
        let mut words = glued.into_iter().chain(words).peekable();
        match words.peek() {
            Some(word) if word.is("BINARY") => {
                Err(word.fault("binary OFF is not read").with_help("save it as text, or as PLY or STL"))
            }
            Some(_) => Self::counts(first, words, None),
            None => match rows.next() {
                Some(line) => Self::counts(line, line.words(), None),
                None => Err(keyword.fault("the file ends after its first word: there are no counts")),
            },
        }
    }

    fn counts(
        line: Line<'a>,
        words: impl Iterator<Item = Word<'a>>,
        warning: Option<Fault>,
    ) -> Result<Self, Fault> {
        let words: Vec<Word<'a>> = words.take(4).collect();
        let (vertices, faces) = match words.as_slice() {
            [vertices, faces] => (count(vertices)?, count(faces)?),
            [vertices, faces, edges] => {
                count(edges)?; // Many writers leave it at 0, so it tells nothing.
                (count(vertices)?, count(faces)?)
            }
            [_, _, _, extra] => {
                return Err(extra.fault("three counts are expected: vertices, faces and edges"));
            }
            _ => {
                return Err(line.whole().fault("the counts of vertices and faces are expected here"));
            }
        };
        if vertices > u64::from(u32::MAX) {
            return Err(words[0].fault("more vertices than 32-bit indices can name"));
        }
        Ok(Self { vertices, faces, last: line, warning })
    }
}

/// The keyword, which ends with OFF, and what is glued to it.
fn split_keyword(word: Word<'_>) -> Option<(Word<'_>, Option<Word<'_>>)> {
    let at = word.text.windows(3).position(|part| part.eq_ignore_ascii_case(b"OFF"))?;
    let (keyword, rest) = word.text.split_at(at + 3);
    let glued = (!rest.is_empty()).then_some(Word { text: rest, ..word });
    Some((Word { text: keyword, ..word }, glued))
}

/// Letters before OFF tell what else a vertex has. Numbers after x, y and z do no harm; other spaces than ours do.
fn check_variant(keyword: &Word) -> Result<(), Fault> {
    let prefix = &keyword.text[..keyword.text.len() - 3];
    match prefix {
        b"" | b"C" | b"c" | b"N" | b"CN" | b"ST" | b"STC" | b"STN" | b"STCN" | b"st" => Ok(()), // A small n is nOFF.
        _ if prefix.ends_with(b"n") => {
            Err(keyword.fault("nOFF holds points of any number of dimensions, not surfaces in space"))
        }
        _ if prefix.ends_with(b"4") => {
            Err(keyword.fault("4OFF holds points of four dimensions, not surfaces in space"))
        }
        _ => Err(keyword.fault(format!("'{}' is no kind of OFF", keyword.shown()))),
    }
}

fn count(word: &Word) -> Result<u64, Fault> {
    let count = word.integer()?;
    u64::try_from(count).map_err(|_| word.fault(format!("a count cannot be {count}")))
}

struct Reader<'a> {
    soup: Soup,
    /// The last line that was read.
    last: Line<'a>,
    odd: OddOutlines,
    faults: Faults,
}

impl<'a> Reader<'a> {
    fn after(header: Line<'a>) -> Self {
        Self { soup: Soup::default(), last: header, odd: OddOutlines::default(), faults: Faults::default() }
    }

    /// Whether there were as many as claimed. Memory grows with what is there, not with what is claimed.
    fn vertices(&mut self, rows: &mut impl Iterator<Item = Line<'a>>, claimed: u64) -> bool {
        for number in 1..=claimed {
            let Some(line) = rows.next() else { return self.ended("vertex", "vertices", number, claimed) };
            self.last = line;
            let point = vertex(line, number).unwrap_or_else(|fault| {
                self.faults.push(fault);
                DVec3::ZERO // Keeps its place, so that faces are checked too.
            });
            self.soup.points.push(point);
        }
        true
    }

    fn faces(&mut self, rows: &mut impl Iterator<Item = Line<'a>>, claimed: u64) -> bool {
        for number in 1..=claimed {
            let Some(line) = rows.next() else { return self.ended("face", "faces", number, claimed) };
            self.last = line;
            if let Err(fault) = self.face(line, number) {
                self.faults.push(fault);
            }
        }
        true
    }

    fn ended(&mut self, one: &str, many: &str, number: u64, claimed: u64) -> bool {
        let line = self.last.number;
        self.faults.push(self.last.whole().fault(format!(
            "the file ends after line {line}, before {one} {number}: {claimed} {many} were announced"
        )));
        false
    }

    fn face(&mut self, line: Line<'a>, number: u64) -> Result<(), Fault> {
        let mut words = line.words();
        let Some(first) = words.next() else { return Err(line.whole().fault("a blank line")) };
        let claimed = first.integer().map_err(|fault| of_row("face", number, fault))?;
        let claimed = u64::try_from(claimed)
            .map_err(|_| first.fault(format!("face {number} cannot have {claimed} corners")))?;
        let mut corners = Vec::new();
        for found in 0..claimed {
            let Some(word) = words.next() else {
                return Err(first.fault(format!(
                    "face {number} announces {claimed} corners, but only {found} stand on its line"
                )));
            };
            corners.push(self.corner(&word, number)?);
        }
        let outline =
            self.soup.add_polygon(&corners).map_err(|what| first.fault(format!("face {number}: {what}")))?;
        self.odd.add(outline, || line.whole().place());
        Ok(())
    }

    fn corner(&self, word: &Word, face: u64) -> Result<u32, Fault> {
        let index = word.integer().map_err(|fault| of_row("face", face, fault))?;
        let count = self.soup.points.len();
        match u32::try_from(index) {
            Ok(corner) if (corner as usize) < count => Ok(corner),
            _ => Err(word.fault(format!(
                "face {face}: there is no vertex {index}: there are {count}, counted from 0"
            ))),
        }
    }

    fn finish(mut self, header: Option<Fault>, extra: Option<Line>) -> Raw {
        if self.soup.triangles.len() > MAX_TRIANGLES {
            self.faults.push(Fault::of_file(format!("more than {MAX_TRIANGLES} triangles")));
        }
        self.faults.into_result()?;
        let points = self.soup.points.len();
        let cloud = self.soup.triangles.is_empty() && points > 0;
        let cloud = cloud
            .then(|| Fault::of_file(format!("a point cloud: {points} vertices and no faces between them")));
        let extra =
            extra.map(|line| line.whole().fault("more follows after the announced faces; it is ignored"));
        let warnings = header.into_iter().chain(cloud).chain(self.odd.warnings()).chain(extra).collect();
        Ok(RawMesh { soup: self.soup, metres_per_unit: None, up: None, warnings })
    }
}

fn vertex(line: Line, number: u64) -> Result<DVec3, Fault> {
    let mut point = DVec3::ZERO;
    let mut words = line.words();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let Some(word) = words.next() else {
            return Err(line.whole().fault(format!("vertex {number} has no {name}")));
        };
        point[axis] = word.number().map_err(|fault| of_row("vertex", number, fault))?;
    }
    Ok(point)
}

/// The fault of a word with the row it stands in.
fn of_row(noun: &str, number: u64, fault: Fault) -> Fault {
    Fault { what: format!("{noun} {number}: {}", fault.what), ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CORNERS: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n";

    fn good(file: &str) -> RawMesh {
        read(file.as_bytes()).expect("the file is good")
    }

    fn worded(faults: &[Fault]) -> Vec<String> {
        faults.iter().map(ToString::to_string).collect()
    }

    /// A good file with the four corners.
    fn check(file: &str, triangles: &[[u32; 3]], warnings: &[&str]) {
        let mesh = good(file);
        let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 0.5)];
        assert_eq!(mesh.soup.points, corners);
        assert_eq!(mesh.soup.triangles, triangles);
        assert_eq!(worded(&mesh.warnings), warnings);
        assert_eq!((mesh.metres_per_unit, mesh.up), (None, None));
    }

    fn check_faults(file: &str, expected: &[&str]) {
        assert_eq!(worded(&read(file.as_bytes()).expect_err("the file is bad")), expected);
    }

    #[test]
    fn headers_of_every_kind() {
        let rest = format!("{CORNERS}3 0 1 2\n3 0 2 3\n");
        for header in [
            "OFF\n4 2 0\n",
            "OFF 4 2 0\n",
            "OFF4 2 5\n",
            "\t OFF4 2 5 # glued\n",
            "off\r\n4 2\r\n",
            "# a comment\n\nOFF # another\n\n# and counts\n4 2 # no edges\n\n",
            "COFF\n4 2 0\n",
            "NOFF\n4 2 0\n",
            "CNOFF 4 2 0\n",
            "STOFF\n4 2 0\n",
            "STCNOFF\n4 2 0\n",
            "\u{FEFF}OFF\n4 2 0\n",
        ] {
            check(&format!("{header}{rest}"), &[[0, 1, 2], [0, 2, 3]], &[]);
        }
        check(
            &format!("4 2 0\n{rest}"),
            &[[0, 1, 2], [0, 2, 3]],
            &["line 1, column 1: the word OFF is missing; the numbers are read as if it were there"],
        );
        check(&format!("OFF 4 2 0\n{rest}").replace('\n', "\r"), &[[0, 1, 2], [0, 2, 3]], &[]);
    }

    #[test]
    fn headers_that_are_refused() {
        for (file, fault) in [
            ("", "the file is blank"),
            ("# nothing\n\n", "the file is blank"),
            (
                "4OFF\n1 0 0\n",
                "line 1, column 1: 4OFF holds points of four dimensions, not surfaces in space",
            ),
            ("C4OFF 1 0 0", "line 1, column 1: 4OFF holds points of four dimensions, not surfaces in space"),
            (
                "nOFF\n2\n",
                "line 1, column 1: nOFF holds points of any number of dimensions, not surfaces in space",
            ),
            (
                "4nOFF\n2\n",
                "line 1, column 1: nOFF holds points of any number of dimensions, not surfaces in space",
            ),
            ("OFF BINARY\n\0\0", "line 1, column 5: binary OFF is not read"),
            ("XOFF\n1 2", "line 1, column 1: 'XOFF' is no kind of OFF"),
            ("solid a\n", "line 1, column 1: 'solid' is neither the word OFF nor a count of vertices"),
            ("OFF", "line 1, column 1: the file ends after its first word: there are no counts"),
            ("OFF\n8\n", "line 2, column 1: the counts of vertices and faces are expected here"),
            ("OFF\n8 six 12\n", "line 2, column 3: 'six' is not a whole number"),
            ("OFF\n8 -6 12\n", "line 2, column 3: a count cannot be -6"),
            ("OFF8 6 12 1\n", "line 1, column 11: three counts are expected: vertices, faces and edges"),
            ("OFF 4294967296 1 0\n", "line 1, column 5: more vertices than 32-bit indices can name"),
        ] {
            check_faults(file, &[fault]);
        }
    }

    #[test]
    fn extras_and_comments_are_read_past() {
        let file = "CNOFF\n4 2 0\n0 0 0 0 0 1 255 0 0 255\n\n1 0 0 nan x # odd\n1 1 0#glued\n0 1 0.5\n\
                    3 0 1 2 0.5 0.5 0.5\n# between\n4 0 1 2 3 7\n";
        let mesh = good(file);
        assert_eq!(mesh.soup.triangles[0], [0, 1, 2]);
        assert_eq!(mesh.soup.triangles.len(), 3);
        let uneven = "line 10, column 1: 1 polygon is not flat: how it is cut into triangles is a choice";
        assert_eq!(worded(&mesh.warnings), [uneven]);
    }

    #[test]
    fn rows_may_stand_on_any_lines_if_all_fits() {
        let ragged =
            "line 1, column 1: rows do not keep to one line each: numbers are taken one after the other";
        for file in [
            "OFF 4 1 0 0 0 0 1 0 0 1 1 0 0 1 0.5 3 0 1 2",
            "OFF\n4 1\n0\n0 0 0 1 0 0\n1 1 0\n 0 1 0.5\n 3 0 1 2",
            "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1\n0\n0 1 0.5\n3\n0 1 2",
        ] {
            check(file, &[[0, 1, 2]], &[ragged]);
        }
        for file in [
            "OFF 4 1 0 0 0 0 1 0 0 1 1 0 0 1 0.5 3 0 1 2 3", // A number too many,
            "OFF 4 1 0\n0 0\n1 0 0\n1 1 0\n0 1 0.5 7\n3 0 1 2", // and one too few as well,
            "OFF 4 1 0\n0 0 0 1 0 0\n1 1 0\n0 1 0.5\n2 0 1", // or a face that is none.
        ] {
            assert!(read(file.as_bytes()).is_err(), "{file}");
        }
    }

    #[test]
    fn odd_faces_are_counted() {
        check(
            &format!("OFF 4 4 0\n{CORNERS}2 0 1\n3 0 1 2\n0\n1 3\n"),
            &[[0, 1, 2]],
            &["line 6, column 1: 3 faces have fewer than 3 corners and are left out"],
        );
        let mesh = good("OFF 4 1 0\n0 0 0\n4 0 0\n1 2 0\n3 2 0\n4 0 1 2 3\n");
        assert_eq!(mesh.soup.triangles.len(), 2);
        assert_eq!(
            worded(&mesh.warnings),
            ["line 6, column 1: 1 polygon crosses or touches itself: which area is meant is unclear"]
        );
        check(&format!("OFF 4 0\n{CORNERS}"), &[], &["a point cloud: 4 vertices and no faces between them"]);
        check(
            &format!("OFF 4 1\n{CORNERS}3 0 1 2\n3 0 2 3\n"),
            &[[0, 1, 2]],
            &["line 7, column 1: more follows after the announced faces; it is ignored"],
        );
    }

    #[test]
    fn all_faults_are_named() {
        check_faults(
            "OFF\n4 6 0\n0 0\n1 inf 0\n1 1,5 0\n0 1 zero\n3 0 1 4\n3 0 1 -1\n4 0 1 2\n-3 0 1 2\n\
             4294967295 0 1 2\n3 0 1 2.5\n",
            &[
                "line 3, column 1: vertex 1 has no z",
                "line 4, column 3: vertex 2: 'inf' is not a finite number",
                "line 5, column 3: vertex 3: '1,5' is not a number",
                "line 6, column 5: vertex 4: 'zero' is not a number",
                "line 7, column 7: face 1: there is no vertex 4: there are 4, counted from 0",
                "line 8, column 7: face 2: there is no vertex -1: there are 4, counted from 0",
                "line 9, column 1: face 3 announces 4 corners, but only 3 stand on its line",
                "line 10, column 1: face 4 cannot have -3 corners",
                "line 11, column 1: face 5 announces 4294967295 corners, but only 3 stand on its line",
                "line 12, column 7: face 6: '2.5' is not a whole number",
            ],
        );
    }

    #[test]
    fn a_file_that_ends_early_is_refused_wherever_it_ends() {
        let file = format!("OFF 4 2 0\n{CORNERS}3 0 1 2\n3 0 2 3");
        good(&file);
        for end in 0..file.len() {
            assert!(!read(&file.as_bytes()[..end]).expect_err("it is cut off").is_empty(), "cut at {end}");
        }
        check_faults(
            &format!("OFF 5 2 0\n{CORNERS}\n\n"),
            &["line 5, column 1: the file ends after line 5, before vertex 5: 5 vertices were announced"],
        );
        check_faults(
            &format!("OFF 4 2 0\n{CORNERS}3 0 1 2\n# the end\n"),
            &["line 6, column 1: the file ends after line 6, before face 2: 2 faces were announced"],
        );
        check_faults(
            "OFF 4294967295 4294967295 0\n0 0 0\n",
            &[
                "line 2, column 1: the file ends after line 2, before vertex 2: 4294967295 vertices were announced",
            ],
        );
        check_faults(
            "OFF 0 9223372036854775807 0\n0\n",
            &[
                "line 2, column 1: the file ends after line 2, before face 2: 9223372036854775807 faces were announced",
            ],
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut file = format!("OFF 4 2 0\n{CORNERS}3 0 1 2\n4 0 1 2 3\n").into_bytes();
            for (at, byte) in changes {
                let at = at.index(file.len());
                file[at] = byte;
            }
            if let Ok(mesh) = read(&file) {
                let count = mesh.soup.points.len();
                prop_assert!(mesh.soup.triangles.iter().flatten().all(|&corner| (corner as usize) < count));
            }
        }
    }
}
