//! The header of a PLY file: which elements follow, how many, and how each is laid out.

use crate::fault::{Fault, Faults};
use crate::text::{Line, Word, lines};

/// What a header promises about the body.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element<'a>>,
    /// The word `end_header`. The body begins on the line after it.
    pub(super) end: Word<'a>,
    /// Offset of the body's first byte.
    pub(super) body: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// A table of the body: so many rows of these properties.
#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: Word<'a>,
    pub(super) count: u64,
    pub(super) properties: Vec<Property<'a>>,
    pub(super) holds: Holds,
}

/// What the rows of an element are to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Vertices,
    Faces,
    Strips,
    /// Edges, materials, grids: read past.
    Other,
}

#[derive(Debug)]
pub(super) struct Property<'a> {
    pub(super) name: Word<'a>,
    pub(super) kind: Kind,
    pub(super) role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Single(Scalar),
    List { length: Scalar, item: Scalar },
}

/// What we take from a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A coordinate: 0 for x, 1 for y, 2 for z.
    Axis(usize),
    /// Indices of vertices.
    Corners,
    Unused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(word: &Word) -> Result<Self, Fault> {
        const NAMES: [(&str, &str, Scalar); 8] = [
            ("char", "int8", Scalar::I8),
            ("uchar", "uint8", Scalar::U8),
            ("short", "int16", Scalar::I16),
            ("ushort", "uint16", Scalar::U16),
            ("int", "int32", Scalar::I32),
            ("uint", "uint32", Scalar::U32),
            ("float", "float32", Scalar::F32),
            ("double", "float64", Scalar::F64),
        ];
        let found = NAMES.iter().find(|(old, new, _)| word.is(old) || word.is(new));
        found.map(|&(_, _, scalar)| scalar).ok_or_else(|| {
            word.fault(format!("'{}' is no type of PLY", word.shown())).with_help(
                "types are char, uchar, short, ushort, int, uint, float, double (or int8 … float64)",
            )
        })
    }

    pub(super) fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// Elements and properties that a header may declare: each name is compared with all others.
const MAX_DECLARATIONS: usize = 10_000;

/// Reads the header, or names everything that is wrong with it.
pub(super) fn parse(file: &[u8]) -> Result<Header<'_>, Vec<Fault>> {
    let mut lines = lines(file).filter(|line| line.words().next().is_some());
    let Some(first) = lines.next() else { return Err(vec![Fault::of_file("the file is blank")]) };
    let magic = first.whole();
    if !magic.is("ply") && magic.text != b"\xEF\xBB\xBFply" {
        return Err(vec![magic.fault("a PLY file begins with the word 'ply' on a line of its own")]);
    }
    let mut header = Draft::default();
    let mut last = first;
    let end = loop {
        let Some(line) = lines.next() else {
            header.faults.push(last.whole().fault("the header has no 'end_header': the file ends here"));
            break None;
        };
        last = line;
        match header.take(line) {
            Next::Line => {}
            Next::Body(end) => break end,
        }
    };
    header.check_encoding(&magic);
    if let Some(end) = &end {
        header.assign_roles(end);
    }
    header.faults.into_result()?;
    Ok(Header {
        encoding: header.encoding.expect("a missing format is a fault"),
        elements: header.elements,
        body: body_offset(file, &magic, last),
        end: end.expect("a missing end is a fault"),
    })
}

/// Where the body begins: after the line end of `end_header`.
///
/// If lines end with a bare `\r`, a `\n` after it is the first byte of the body, so the first line tells what a line
/// end is in this file.
fn body_offset(file: &[u8], magic: &Word, last: Line) -> usize {
    let offset_after = |text: &[u8]| text.as_ptr() as usize - file.as_ptr() as usize + text.len();
    let bare_return = |from: usize| file[from..].starts_with(b"\r") && !file[from..].starts_with(b"\r\n");
    let end = offset_after(last.text);
    match &file[end..] {
        [b'\r', b'\n', ..] if !bare_return(offset_after(magic.line_text)) => end + 2,
        [] => end,
        _ => end + 1,
    }
}

/// What follows a line of the header.
enum Next<'a> {
    Line,
    /// The body, or what seems to be one if `end_header` is missing.
    Body(Option<Word<'a>>),
}

#[derive(Default)]
struct Draft<'a> {
    encoding: Option<Encoding>,
    has_format: bool,
    declarations: usize,
    elements: Vec<Element<'a>>,
    faults: Faults,
}

impl<'a> Draft<'a> {
    fn take(&mut self, line: Line<'a>) -> Next<'a> {
        let mut words = line.words();
        let Some(keyword) = words.next() else { return Next::Line };
        if keyword.is("comment") || keyword.is("obj_info") {
            return Next::Line;
        }
        self.declarations += 1;
        if self.declarations > MAX_DECLARATIONS {
            self.faults.push(keyword.fault(format!("more than {MAX_DECLARATIONS} lines in the header")));
            return Next::Body(None);
        }
        // No line has more than five words. A hostile one is not collected whole.
        let fields: Vec<Word<'a>> = words.take(5).collect();
        let read = if keyword.is("format") {
            self.format(line, &fields)
        } else if keyword.is("element") {
            self.element(line, &fields)
        } else if keyword.is("property") {
            self.property(line, &fields)
        } else if keyword.is("end_header") {
            if let Some(extra) = fields.first() {
                self.faults.push(extra.fault("nothing may follow 'end_header' on its line"));
            }
            return Next::Body(Some(keyword));
        } else if keyword.text[0].is_ascii_alphabetic() {
            Err(keyword.fault(format!("'{}' is no keyword of a PLY header", keyword.shown())))
        } else {
            self.faults.push(keyword.fault("the header has no 'end_header': data seem to begin here"));
            return Next::Body(None);
        };
        if let Err(fault) = read {
            self.faults.push(fault);
        }
        Next::Line
    }

    fn format(&mut self, line: Line<'a>, fields: &[Word<'a>]) -> Result<(), Fault> {
        let again = std::mem::replace(&mut self.has_format, true);
        let [name, version] = fields else {
            return Err(line.whole().fault("a format line reads 'format <encoding> 1.0'"));
        };
        if again {
            return Err(line.whole().fault("a second format line"));
        }
        if version.text != b"1.0" {
            return Err(version.fault(format!("version '{}' is unknown, PLY has 1.0 only", version.shown())));
        }
        let encodings = [
            ("ascii", Encoding::Ascii),
            ("binary_little_endian", Encoding::LittleEndian),
            ("binary_big_endian", Encoding::BigEndian),
        ];
        let found = encodings.into_iter().find(|(known, _)| name.is(known));
        let Some((_, encoding)) = found else {
            return Err(name
                .fault(format!("'{}' is no encoding of PLY", name.shown()))
                .with_help("encodings are ascii, binary_little_endian and binary_big_endian"));
        };
        self.encoding = Some(encoding);
        Ok(())
    }

    fn element(&mut self, line: Line<'a>, fields: &[Word<'a>]) -> Result<(), Fault> {
        let (name, count) = match *fields {
            [name, count] => (name, whole_count(&count)),
            [name, ..] => (name, Err(line.whole().fault("an element line reads 'element <name> <count>'"))),
            [] => return Err(line.whole().fault("an element line reads 'element <name> <count>'")),
        };
        let again = self.elements.iter().any(|element| element.name.text == name.text);
        let holds = match name.text {
            b"vertex" => Holds::Vertices,
            b"face" => Holds::Faces,
            b"tristrips" => Holds::Strips,
            _ => Holds::Other,
        };
        // Also a faulty element owns the properties after it.
        let known_count = *count.as_ref().unwrap_or(&0);
        self.elements.push(Element { name, count: known_count, properties: Vec::new(), holds });
        if again {
            return Err(name.fault(format!("a second element '{}'", name.shown())));
        }
        if holds == Holds::Vertices && known_count > u64::from(u32::MAX) {
            return Err(fields[1].fault("more vertices than 32-bit indices can name"));
        }
        count.map(|_| ())
    }

    fn property(&mut self, line: Line<'a>, fields: &[Word<'a>]) -> Result<(), Fault> {
        let Some(element) = self.elements.last_mut() else {
            return Err(line.whole().fault("a property before the first element"));
        };
        let (kind, name) = match *fields {
            [list, length, item, name] if list.is("list") => (list_kind(&length, &item), name),
            [kind, name] if !kind.is("list") => (Scalar::named(&kind).map(Kind::Single), name),
            _ => {
                return Err(line.whole().fault(
                    "a property line reads 'property <type> <name>' or 'property list <type> <type> <name>'",
                ));
            }
        };
        let again = element.properties.iter().any(|property| property.name.text == name.text);
        // A property of unknown type is no missing property: one fault is enough.
        let stand_in = *kind.as_ref().unwrap_or(&Kind::Single(Scalar::U8));
        let role = if kind.is_ok() { Role::Unused } else { Role::Corners };
        element.properties.push(Property { name, kind: stand_in, role });
        if again {
            return Err(name.fault(format!("a second property '{}' of one element", name.shown())));
        }
        kind.map(|_| ())
    }

    fn check_encoding(&mut self, magic: &Word) {
        if !self.has_format {
            self.faults.push(magic.fault("the header has no format line"));
        }
    }

    /// Finds the properties that make the mesh; each missing one is a fault.
    fn assign_roles(&mut self, end: &Word) {
        let faults = &mut self.faults;
        if !self.elements.iter().any(|element| element.holds == Holds::Vertices) {
            faults.push(end.fault("the header has no element 'vertex'"));
        }
        for element in &mut self.elements {
            match element.holds {
                Holds::Vertices => assign_axes(element, faults),
                // Point clouds often declare no faces without saying what they would be.
                Holds::Faces | Holds::Strips if element.count > 0 => assign_corners(element, faults),
                // Faces by another name would be lost. A range grid has none: it says which ray of a scanner met which vertex.
                Holds::Other if element.count > 0 && element.name.text != b"range_grid" => {
                    let lists = |name: &[u8]| [&b"vertex_indices"[..], b"vertex_index"].contains(&name);
                    if element.properties.iter().any(|property| lists(property.name.text)) {
                        faults.push(
                            element
                                .name
                                .fault(format!(
                                    "element '{}' lists vertices, and is not known",
                                    element.name.shown()
                                ))
                                .with_help("faces are elements 'face' or 'tristrips'"),
                        );
                    }
                }
                _ => {}
            }
        }
    }
}

fn whole_count(word: &Word) -> Result<u64, Fault> {
    let count = word.integer()?;
    u64::try_from(count).map_err(|_| word.fault(format!("an element cannot have {count} rows")))
}

fn list_kind(length: &Word, item: &Word) -> Result<Kind, Fault> {
    let kind = Kind::List { length: Scalar::named(length)?, item: Scalar::named(item)? };
    match kind {
        Kind::List { length: Scalar::F32 | Scalar::F64, .. } => {
            Err(length.fault("the length of a list is a whole number"))
        }
        _ => Ok(kind),
    }
}

fn assign_axes(element: &mut Element, faults: &mut Faults) {
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let found = element.properties.iter_mut().find(|property| property.name.text == name.as_bytes());
        match found {
            None => faults.push(element.name.fault(format!("vertices have no property '{name}'"))),
            Some(Property { name: at, kind: Kind::List { .. }, .. }) => {
                faults.push(at.fault(format!("'{name}' of a vertex is a number, not a list")));
            }
            Some(property) => property.role = Role::Axis(axis),
        }
    }
}

fn assign_corners(element: &mut Element, faults: &mut Faults) {
    let owner = element.name.shown();
    let mut found = element
        .properties
        .iter_mut()
        .filter(|property| matches!(property.name.text, b"vertex_indices" | b"vertex_index"));
    match (found.next(), found.next()) {
        (None, _) => faults.push(
            element
                .name
                .fault(format!("element '{owner}' has no property 'vertex_indices' (or 'vertex_index')")),
        ),
        (Some(_), Some(second)) => faults.push(
            second.name.fault("both 'vertex_indices' and 'vertex_index': which one is meant is unclear"),
        ),
        (Some(property), None) => match property.kind {
            Kind::List { .. } => property.role = Role::Corners,
            Kind::Single(_) if property.role == Role::Corners => {} // Its type is unknown: said already.
            Kind::Single(_) => {
                faults.push(property.name.fault("vertex indices are a list, this is a single number"));
            }
        },
    }
}
