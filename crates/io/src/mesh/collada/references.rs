//! Which element does an id mean?

use crate::xml::{Bad, Element, children, shown, tag};
use roxmltree::Document;
use std::ops::Range;

/// The things in all libraries of one kind, in the order of the document.
pub(super) fn of_library<'a>(
    root: Element<'a>,
    library: &'a str,
    name: &'a str,
) -> impl Iterator<Item = Element<'a>> {
    children(root, library).flat_map(move |library| children(library, name))
}

/// All elements that have an id.
pub(super) struct Ids<'a> {
    /// By id and name, so that elements of the same name and id stand side by side.
    sorted: Vec<(&'a str, &'a str, Element<'a>)>,
}

impl<'a> Ids<'a> {
    pub(super) fn of(document: &'a Document<'a>) -> Self {
        let with_id = |element: Element<'a>| element.attribute("id").map(|id| (id, tag(element), element));
        let mut sorted: Vec<_> = document.descendants().filter_map(with_id).collect();
        sorted.sort_by_key(|&(id, name, _)| (id, name)); // Stable: equals stay in the order of the document.
        Self { sorted }
    }

    /// The element of this name that an attribute of another one refers to.
    pub(super) fn target(&self, from: Element<'a>, attribute: &str, name: &str) -> Result<Element<'a>, Bad> {
        let reference = Reference::of(from, attribute)?;
        let found = match self.named(reference.id, name) {
            [] => self.named(&reference.unescaped(), name),
            found => found,
        };
        match found {
            [(_, _, element)] => Ok(*element),
            [] => Err(reference.bad(self.missing(&reference, name))),
            several => {
                let what = format!(
                    "'#{}' is ambiguous: {} <{name}> have this id",
                    shown(reference.id),
                    several.len()
                );
                Err(reference.bad(what))
            }
        }
    }

    /// The element of this name that an attribute refers to: the one in `scope` if there is one, else any.
    pub(super) fn target_near(
        &self,
        from: Element<'a>,
        attribute: &str,
        scope: Element<'a>,
        name: &'a str,
    ) -> Result<Element<'a>, Bad> {
        let reference = Reference::of(from, attribute)?;
        let mut near = children(scope, name).filter(|child| child.attribute("id") == Some(reference.id));
        match (near.next(), near.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => self.target(from, attribute, name),
            (Some(_), Some(_)) => {
                let what = format!("'#{}' is ambiguous: several <{name}> have this id", shown(reference.id));
                Err(reference.bad(what))
            }
        }
    }

    /// Whether some element of this name is what an attribute refers to.
    pub(super) fn is_target(&self, from: Element<'a>, attribute: &str, name: &str) -> bool {
        self.target(from, attribute, name).is_ok()
    }

    fn named(&self, id: &str, name: &str) -> &[(&'a str, &'a str, Element<'a>)] {
        let start = self.sorted.partition_point(|entry| (entry.0, entry.1) < (id, name));
        let end = self.sorted.partition_point(|entry| (entry.0, entry.1) <= (id, name));
        &self.sorted[start..end]
    }

    fn missing(&self, reference: &Reference, name: &str) -> String {
        let id = shown(reference.id);
        let start = self.sorted.partition_point(|entry| entry.0 < reference.id);
        match self.sorted.get(start) {
            Some((other, other_name, _)) if *other == reference.id => {
                format!("'#{id}' is no <{name}> but a <{}>", shown(other_name))
            }
            _ => format!("'#{id}' refers to a <{name}> that the document does not have"),
        }
    }
}

/// A reference to another element.
struct Reference<'a> {
    id: &'a str,
    span: Range<usize>,
}

impl<'a> Reference<'a> {
    fn of(from: Element<'a>, name: &str) -> Result<Self, Bad> {
        let Some(attribute) = from.attribute_node(name) else {
            return Err(Bad::at(from, format!("<{}> has no {name}", tag(from))));
        };
        let value = attribute.value().trim();
        let span = attribute.range();
        match value.strip_prefix('#') {
            Some(id) if !id.is_empty() => Ok(Self { id, span }),
            _ if value.is_empty() || value == "#" => {
                Err(Bad { span, what: format!("{name} refers to nothing"), help: None })
            }
            _ => {
                let what = format!("'{}' refers to another document, which is not read", shown(value));
                Err(Bad {
                    span,
                    what,
                    help: Some("ids in the same document are written with a # before them".into()),
                })
            }
        }
    }

    fn bad(&self, what: String) -> Bad {
        Bad { span: self.span.clone(), what, help: None }
    }

    /// The id without the escapes of URLs (`%20`).
    fn unescaped(&self) -> String {
        let mut bytes = Vec::with_capacity(self.id.len());
        let mut rest = self.id.as_bytes();
        while let [first, after @ ..] = rest {
            let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
            match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                Some(byte) => {
                    bytes.push(byte);
                    rest = &after[2..];
                }
                None => {
                    bytes.push(*first);
                    rest = after;
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
