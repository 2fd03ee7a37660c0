//! Which triangles a `<geometry>` holds.

use super::references::Ids;
use super::report::Report;
use super::scene::unknown;
use crate::fault::Place;
use crate::mesh::raw::{Outline, Soup};
use crate::xml::{self, Bad, Element};
use kansho_geom::glam::DVec3;
use roxmltree::NodeId;
use std::collections::HashMap;
use std::rc::Rc;

/// The geometries of a document, each read when it is first asked for.
pub(super) struct Shapes<'a, 'r> {
    ids: &'r Ids<'a>,
    /// Nothing stands for faults that have been reported.
    soups: HashMap<NodeId, Option<Soup>>,
    arrays: HashMap<NodeId, Option<Rc<[f64]>>>,
    /// Where one geometry after the other is put together: one soup, because it limits the effort for the whole file.
    bench: Soup,
}

impl<'a, 'r> Shapes<'a, 'r> {
    pub(super) fn new(ids: &'r Ids<'a>) -> Self {
        Self { ids, soups: HashMap::new(), arrays: HashMap::new(), bench: Soup::default() }
    }

    /// The triangles of a geometry and the points they need; nothing after a fault.
    pub(super) fn of(&mut self, geometry: Element<'a>, report: &mut Report<'a>) -> Option<&Soup> {
        if !self.soups.contains_key(&geometry.id()) {
            let soup = self.read(geometry, report);
            self.soups.insert(geometry.id(), soup);
        }
        self.soups.get(&geometry.id()).and_then(Option::as_ref)
    }

    fn read(&mut self, geometry: Element<'a>, report: &mut Report<'a>) -> Option<Soup> {
        let is_unknown = |part: &Element<'_>| part.is_element() && !GEOMETRY.contains(&xml::tag(*part));
        if let Some(part) = geometry.children().find(is_unknown) {
            report.fault(unknown(part, &GEOMETRY));
            return None;
        }
        let kinds = ["mesh", "convex_mesh", "spline", "brep"];
        let mut shapes = geometry.children().filter(|child| kinds.contains(&xml::tag(*child)));
        let (first, second) = (shapes.next(), shapes.next());
        if let (Some(first), Some(second)) = (first, second) {
            let (first, tag) = (xml::tag(first), xml::tag(second));
            let what = format!(
                "{}: a <{tag}> beside a <{first}> in one <geometry>, which has one shape",
                xml::label(geometry)
            );
            report.fault(Bad::at(second, what).with_help("give it a <geometry> of its own"));
            return None;
        }
        let Some(kind) = first else {
            report.without_mesh.add(|| Place::Part(xml::label(geometry)));
            return Some(Soup::default());
        };
        let name = xml::label(geometry);
        let refusal = match xml::tag(kind) {
            "convex_mesh" if kind.has_attribute("convex_hull_of") => "the hull of another geometry",
            "spline" => "a spline, which has no surface",
            "brep" => "a boundary representation, which has curved surfaces and no triangles",
            _ => return self.mesh(kind, &name, report),
        };
        report.fault(Bad::at(kind, format!("{name} is {refusal}: this is not read")));
        None
    }

    fn mesh(&mut self, mesh: Element<'a>, name: &str, report: &mut Report<'a>) -> Option<Soup> {
        let mut surfaces = Vec::new();
        let mut good = true;
        for element in mesh.children().filter(Element::is_element) {
            match xml::tag(element) {
                "source" | "vertices" | "extra" | "asset" => {}
                "lines" | "linestrips" => report.lines.add(|| Place::Part(name.to_owned())),
                "triangles" | "tristrips" | "trifans" | "polylist" | "polygons" => surfaces.push(element),
                other => {
                    good = false;
                    report.fault(Bad::at(element, format!("{name}: <{}> is unknown", xml::shown(other))));
                }
            }
        }
        if surfaces.is_empty() {
            return good.then(Soup::default);
        }
        let vertices = self.vertices(mesh, name, report)?;
        let numbers = vec![Part::UNUSED; vertices.count];
        let mut part = Part { name, numbers, vertices, soup: &mut self.bench, report };
        for surface in surfaces {
            good &= part.surface(surface).is_some();
        }
        let mut soup = Soup::new(std::mem::take(&mut self.bench.points));
        soup.triangles = std::mem::take(&mut self.bench.triangles);
        good.then_some(soup)
    }

    /// The points of a mesh, through all that stands between it and its numbers.
    fn vertices(&mut self, mesh: Element<'a>, name: &str, report: &mut Report<'a>) -> Option<Vertices<'a>> {
        let only = |element: Element<'a>, child: &'a str| {
            let mut found = xml::children(element, child);
            match (found.next(), found.next()) {
                (Some(only), None) => Ok(only),
                (None, _) => {
                    Err(Bad::at(element, format!("{name}: <{}> has no <{child}>", xml::tag(element))))
                }
                (Some(_), Some(second)) => {
                    Err(Bad::at(second, format!("{name}: <{}> has a second <{child}>", xml::tag(element))))
                }
            }
        };
        let vertices = report.keep(only(mesh, "vertices"))?;
        let mut positions =
            xml::children(vertices, "input").filter(|input| input.attribute("semantic") == Some("POSITION"));
        let Some(input) = positions.next() else {
            report
                .fault(Bad::at(vertices, format!("{name}: <vertices> has no input with semantic POSITION")));
            return None;
        };
        if let Some(second) = positions.next() {
            let what = format!("{name}: <vertices> has a second input with semantic POSITION");
            report.fault(Bad::at(second, what));
            return None;
        }
        let source = report.keep(self.ids.target_near(input, "source", mesh, "source"))?;
        let technique = report.keep(only(source, "technique_common"))?;
        let accessor = report.keep(only(technique, "accessor"))?;
        let array = report.keep(self.ids.target_near(accessor, "source", source, "float_array"))?;
        let floats = self.floats(array, name, report)?;
        report.keep(Vertices::new(vertices, accessor, floats, name))
    }

    fn floats(&mut self, array: Element<'a>, name: &str, report: &mut Report<'a>) -> Option<Rc<[f64]>> {
        if let Some(known) = self.arrays.get(&array.id()) {
            return known.clone();
        }
        let floats = report.numbers(array);
        let count = report.keep(xml::whole(array, "count"));
        let floats = floats.zip(count).and_then(|(floats, count)| match count {
            Some(count) if count != floats.len() => {
                let what = format!(
                    "{name}: {} says count=\"{count}\", but holds {} numbers",
                    xml::label(array),
                    floats.len()
                );
                report.fault(Bad::at(array, what));
                None
            }
            _ => Some(Rc::from(floats)),
        });
        self.arrays.insert(array.id(), floats.clone());
        floats
    }
}

/// What may stand in a geometry.
const GEOMETRY: [&str; 6] = ["asset", "mesh", "convex_mesh", "spline", "brep", "extra"];

/// What may stand in a surface.
const SURFACE: [&str; 5] = ["input", "p", "ph", "vcount", "extra"];

/// Points as numbers in an array.
struct Vertices<'a> {
    id: Option<&'a str>,
    floats: Rc<[f64]>,
    count: usize,
    offset: usize,
    stride: usize,
    /// Where the coordinates stand among the numbers of one point.
    xyz: [usize; 3],
}

impl<'a> Vertices<'a> {
    fn new(vertices: Element<'a>, accessor: Element<'a>, floats: Rc<[f64]>, name: &str) -> Result<Self, Bad> {
        let bad = |what: String| Bad::at(accessor, format!("{name}: {what}"));
        let Some(count) = xml::whole(accessor, "count")? else {
            return Err(bad("the accessor of the positions has no count".into()));
        };
        let offset = xml::whole(accessor, "offset")?.unwrap_or(0);
        let stride = xml::whole(accessor, "stride")?.unwrap_or(1);
        let xyz = coordinates(accessor).map_err(bad)?;
        let widest = xyz.into_iter().max().unwrap_or_default();
        if widest >= stride {
            return Err(bad(format!("a stride of {stride} is too short for {} parameters", widest + 1)));
        }
        // One past the last number that is read.
        let end = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(offset)?.checked_add(widest + 1));
        if end.is_none_or(|end| end > floats.len()) {
            return Err(bad(format!(
                "{count} positions with a stride of {stride} from offset {offset} do not fit into {} numbers",
                floats.len()
            )));
        }
        Ok(Self { id: vertices.attribute("id"), floats, count, offset, stride, xyz })
    }

    fn point(&self, index: usize) -> DVec3 {
        let start = self.offset + index * self.stride;
        DVec3::from_array(self.xyz.map(|axis| self.floats[start + axis]))
    }
}

/// Where X, Y and Z stand among the parameters of an accessor. Parameters without a name are skipped, as COLLADA wants.
fn coordinates(accessor: Element) -> Result<[usize; 3], String> {
    let params =
        || xml::children(accessor, "param").map(|param| param.attribute("name").unwrap_or("")).enumerate();
    let named = |name: &str| params().find(|(_, param)| *param == name).map(|(index, _)| index);
    if let (Some(x), Some(y), Some(z)) = (named("X"), named("Y"), named("Z")) {
        return Ok([x, y, z]);
    }
    let all: Vec<usize> = params().filter(|(_, name)| !name.is_empty()).map(|(index, _)| index).collect();
    <[usize; 3]>::try_from(all)
        .map_err(|all| format!("the positions have {} named parameters, not the three X, Y and Z", all.len()))
}

/// A mesh whose surfaces are being read.
struct Part<'a, 'p> {
    name: &'p str,
    vertices: Vertices<'a>,
    /// The number in the soup of each vertex: only those that some triangle needs get one.
    numbers: Vec<u32>,
    soup: &'p mut Soup,
    report: &'p mut Report<'a>,
}

/// How the indices of a surface are laid out: one for each input per corner, the vertex at `vertex`.
#[derive(Clone, Copy)]
struct Layout {
    stride: usize,
    vertex: usize,
}

impl<'a> Part<'a, '_> {
    /// The number of a vertex that no triangle needs yet.
    const UNUSED: u32 = u32::MAX;

    /// Adds a surface; nothing if that failed, after saying why.
    fn surface(&mut self, surface: Element<'a>) -> Option<()> {
        let is_unknown = |part: &Element<'_>| part.is_element() && !SURFACE.contains(&xml::tag(*part));
        if let Some(part) = surface.children().find(is_unknown) {
            self.report.fault(unknown(part, &SURFACE));
            return None;
        }
        let layout = self.layout(surface);
        let layout = self.report.keep(layout)?;
        let count = self.report.keep(xml::whole(surface, "count"))?;
        match xml::tag(surface) {
            "triangles" => self.triangles(surface, layout, count),
            "polylist" => self.polylist(surface, layout, count),
            "polygons" => self.polygons(surface, layout, count),
            "tristrips" => self.rows(surface, layout, count, |row, i| {
                // Every other triangle of a strip turns the other way.
                if i % 2 == 0 { [row[i], row[i + 1], row[i + 2]] } else { [row[i + 1], row[i], row[i + 2]] }
            }),
            _ => self.rows(surface, layout, count, |row, i| [row[0], row[i + 1], row[i + 2]]),
        }
    }

    fn layout(&self, surface: Element<'a>) -> Result<Layout, Bad> {
        let here = self.here(surface);
        let mut vertex = None;
        let mut last = 0;
        for input in xml::children(surface, "input") {
            let Some(offset) = xml::whole(input, "offset")? else {
                return Err(Bad::at(input, format!("{here}: this input has no offset")));
            };
            last = last.max(offset);
            if input.attribute("semantic") != Some("VERTEX") {
                continue;
            }
            let id = input.attribute("source").and_then(|source| source.trim().strip_prefix('#'));
            if id.is_none() || id != self.vertices.id {
                return Err(Bad::at(
                    input,
                    format!("{here}: its VERTEX input is not the <vertices> of its mesh"),
                ));
            }
            if vertex.replace(offset).is_some() {
                return Err(Bad::at(input, format!("{here}: a second VERTEX input")));
            }
        }
        let Some(vertex) = vertex else {
            return Err(Bad::at(surface, format!("{here}: there is no VERTEX input")));
        };
        let Some(stride) = last.checked_add(1) else {
            return Err(Bad::at(surface, format!("{here}: an offset of {last} is beyond reason")));
        };
        Ok(Layout { stride, vertex })
    }

    fn triangles(&mut self, surface: Element<'a>, layout: Layout, count: Option<usize>) -> Option<()> {
        let corners = self.joined_corners(surface, layout)?;
        let held = corners.len() / 3;
        if corners.len() % 3 != 0 || count.is_some_and(|count| count != held) {
            let said = count.map_or(String::new(), |count| format!("count=\"{count}\" triangles, "));
            return self.miscounted(surface, layout, &format!("{said}three corners each"), corners.len());
        }
        self.soup.triangles.extend(corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]));
        Some(())
    }

    fn polylist(&mut self, surface: Element<'a>, layout: Layout, count: Option<usize>) -> Option<()> {
        let corners = self.joined_corners(surface, layout);
        let lengths = self.lengths(surface);
        let (corners, lengths) = corners.zip(lengths)?;
        if let Some(count) = count.filter(|count| *count != lengths.len()) {
            let what = format!("count=\"{count}\" polygons, but {} numbers in <vcount>", lengths.len());
            return self.fail(surface, &what);
        }
        let total = lengths.iter().try_fold(0_usize, |sum, length| sum.checked_add(*length));
        if total != Some(corners.len()) {
            let said = total.map_or("more than any file holds".into(), |total| format!("{total}"));
            return self.miscounted(
                surface,
                layout,
                &format!("<vcount> adds up to {said} corners"),
                corners.len(),
            );
        }
        let mut rest = corners.as_slice();
        for (index, length) in lengths.into_iter().enumerate() {
            let (outline, after) = rest.split_at(length);
            rest = after;
            self.polygon(surface, index, outline, &[])?;
        }
        Some(())
    }

    /// The corners of each polygon of a `<polylist>`.
    fn lengths(&mut self, surface: Element<'a>) -> Option<Vec<usize>> {
        let mut lengths = Some(Vec::new());
        for vcount in xml::children(surface, "vcount") {
            for word in xml::content(vcount).split_ascii_whitespace() {
                match (word.parse(), &mut lengths) {
                    (Ok(length), Some(lengths)) => lengths.push(length),
                    (Ok(_), None) => {}
                    (Err(_), _) => {
                        let what =
                            format!("{}: '{}' is no number of corners", self.here(surface), xml::shown(word));
                        self.report.fault(xml::bad_word(vcount, word, what));
                        lengths = None;
                    }
                }
            }
        }
        lengths
    }

    fn polygons(&mut self, surface: Element<'a>, layout: Layout, count: Option<usize>) -> Option<()> {
        let lists = || surface.children().filter(|child| matches!(xml::tag(*child), "p" | "ph"));
        if let Some(count) = count.filter(|count| *count != lists().count()) {
            return self.fail(surface, &format!("count=\"{count}\" polygons, but holds {}", lists().count()));
        }
        let mut good = true;
        for (index, list) in lists().enumerate() {
            let holed = xml::tag(list) == "ph";
            let outline = if holed { xml::child(list, "p") } else { Some(list) };
            let Some(outline) = outline else {
                good = false;
                self.report.fault(Bad::at(list, format!("{}: <ph> has no <p>", self.here(surface))));
                continue;
            };
            let outline = self.corners(surface, outline, layout);
            let mut holes = Vec::new();
            for hole in xml::children(list, "h") {
                match self.corners(surface, hole, layout) {
                    Some(hole) if hole.len() < 3 => self.odd(surface, index, Outline::TooFew),
                    Some(hole) => holes.push(hole),
                    None => good = false,
                }
            }
            let filled = outline.and_then(|outline| self.polygon(surface, index, &outline, &holes));
            good &= filled.is_some();
        }
        good.then_some(())
    }

    /// Strips or fans: a `<p>` for each, and a triangle for each corner but two.
    fn rows(
        &mut self,
        surface: Element<'a>,
        layout: Layout,
        count: Option<usize>,
        triangle: impl Fn(&[u32], usize) -> [u32; 3],
    ) -> Option<()> {
        let rows = || xml::children(surface, "p");
        if let Some(count) = count.filter(|count| *count != rows().count()) {
            return self.fail(surface, &format!("count=\"{count}\", but {} <p>", rows().count()));
        }
        let mut good = true;
        for (index, row) in rows().enumerate() {
            match self.corners(surface, row, layout) {
                Some(row) if row.len() < 3 => self.odd(surface, index, Outline::TooFew),
                Some(row) => self.soup.triangles.extend((0..row.len() - 2).map(|i| triangle(&row, i))),
                None => good = false,
            }
        }
        good.then_some(())
    }

    fn polygon(
        &mut self,
        surface: Element<'a>,
        index: usize,
        outline: &[u32],
        holes: &[Vec<u32>],
    ) -> Option<()> {
        // An outline without area has no holes either.
        let filled = if holes.is_empty() || outline.len() < 3 {
            self.soup.add_polygon(outline)
        } else {
            self.soup.add_polygon_with_holes(outline, holes)
        };
        match filled {
            Ok(outline) => {
                self.odd(surface, index, outline);
                Some(())
            }
            Err(fault) => self.fail(surface, &format!("polygon {}: {fault}", index + 1)),
        }
    }

    /// The corners of all lists of a surface.
    fn joined_corners(&mut self, surface: Element<'a>, layout: Layout) -> Option<Vec<u32>> {
        let mut all = Some(Vec::new());
        for list in xml::children(surface, "p") {
            let corners = self.corners(surface, list, layout);
            all = all.zip(corners).map(|(mut all, corners)| {
                if all.is_empty() {
                    return corners;
                }
                all.extend(corners);
                all
            });
        }
        all
    }

    /// The corners of a list of indices.
    fn corners(&mut self, surface: Element<'a>, list: Element<'a>, layout: Layout) -> Option<Vec<u32>> {
        let mut corners = Vec::new();
        let mut good = true;
        let mut input = 0; // Whose index comes next.
        let text = xml::content(list);
        for word in text.split_ascii_whitespace() {
            let index = word.parse::<i64>().ok();
            if input == layout.vertex {
                let vertex = index.and_then(|index| usize::try_from(index).ok());
                let number =
                    vertex.filter(|vertex| *vertex < self.vertices.count).map(|vertex| self.number(vertex));
                corners.extend(number);
                if number.is_none() && index.is_some() {
                    good = false;
                    let what = format!("vertex {word} does not exist: the mesh has {}", self.vertices.count);
                    self.bad_index(surface, list, word, &what);
                }
            }
            if index.is_none() {
                good = false;
                self.bad_index(surface, list, word, &format!("'{}' is no index", xml::shown(word)));
            }
            input += 1;
            if input == layout.stride {
                input = 0;
            }
        }
        if input != 0 {
            let what = format!(
                "a list of {} indices cannot be divided among {} inputs",
                text.split_ascii_whitespace().count(),
                layout.stride
            );
            return self.fail(surface, &what);
        }
        good.then_some(corners)
    }

    /// The number of a vertex in the soup.
    fn number(&mut self, vertex: usize) -> u32 {
        if self.numbers[vertex] == Self::UNUSED {
            self.numbers[vertex] = self.soup.points.len() as u32;
            self.soup.points.push(self.vertices.point(vertex));
        }
        self.numbers[vertex]
    }

    fn bad_index(&mut self, surface: Element<'a>, list: Element<'a>, word: &str, what: &str) {
        let bad = xml::bad_word(list, word, format!("{}: {what}", self.here(surface)));
        self.report.fault(bad);
    }

    fn miscounted(
        &mut self,
        surface: Element<'a>,
        layout: Layout,
        needed: &str,
        corners: usize,
    ) -> Option<()> {
        let words = corners * layout.stride;
        self.fail(surface, &format!("{needed}, but {corners} corners ({words} indices) in <p>"))
    }

    fn fail<T>(&mut self, surface: Element<'a>, what: &str) -> Option<T> {
        let bad = Bad::at(surface, format!("{}: {what}", self.here(surface)));
        self.report.fault(bad);
        None
    }

    /// Notes what is odd about an outline.
    fn odd(&mut self, surface: Element<'a>, index: usize, outline: Outline) {
        let (text, name) = (self.report.text, self.name);
        self.report.outlines.add(outline, || polygon_place(text, name, surface, index));
    }

    fn here(&self, surface: Element<'a>) -> String {
        format!("{}, <{}>", self.name, xml::tag(surface))
    }
}

fn polygon_place(text: &str, name: &str, surface: Element, index: usize) -> Place {
    let line = xml::line(text, surface);
    Place::Part(format!("{name}, <{}> in line {line}, polygon {}", xml::tag(surface), index + 1))
}
