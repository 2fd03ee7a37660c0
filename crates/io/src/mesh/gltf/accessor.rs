use super::document::{Accessor, Document, Shape};
use kansho_geom::glam::DVec3;
use std::borrow::Cow;

/// A document and the bytes behind it.
pub(super) struct Source<'a> {
    pub(super) document: &'a Document,
    /// By number; `None` for buffers that are not needed or whose fault was named.
    pub(super) buffers: Vec<Option<Cow<'a, [u8]>>>,
    /// Bytes of the file and of those beside it.
    pub(super) bytes: usize,
}

/// The elements of an accessor: all of them exist, no matter which is asked for below `count`.
///
/// Nothing is copied: an accessor of a billion elements costs no more than one of three.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    pub(super) count: usize,
    pub(super) component: Component,
    normalized: bool,
    /// `None` for elements that are all zero.
    dense: Option<Strided<'a>>,
    sparse: Option<Replaced<'a>>,
}

/// Elements at equal distances in a buffer.
#[derive(Clone, Copy, Debug)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
    /// At most `stride`.
    size: usize,
}

/// Elements that stand in the place of others.
#[derive(Clone, Copy, Debug)]
struct Replaced<'a> {
    count: usize,
    /// Strictly increasing, each below the number of elements.
    indices: Strided<'a>,
    index_type: Component,
    values: Strided<'a>,
}

/// The type of one number in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// Why elements cannot be had: a new fault of the accessor, or `None` if its buffer's fault was named already.
type Trouble = Option<String>;

impl Source<'_> {
    /// The accessor with a number.
    pub(super) fn accessor(&self, index: u32) -> Result<&Accessor, String> {
        let accessors = &self.document.accessors;
        accessors.get(index as usize).ok_or_else(|| match accessors.len() {
            0 => "there are no accessors".into(),
            n => format!("there is no such accessor: they are numbered 0 to {}", n - 1),
        })
    }

    /// Positions: triples of floats, or of small integers.
    pub(super) fn positions(&self, accessor: &Accessor) -> Result<Elements<'_>, Trouble> {
        if accessor.shape != Shape::Vec3 {
            return Err(Some("positions must be of type VEC3".into()));
        }
        match Component::of(accessor.component_type)? {
            Component::U32 => Err(Some("positions cannot be of component type 5125 (unsigned int)".into())),
            component => self.elements(accessor, component, 3, Strides::Free),
        }
    }

    /// Indices: unsigned integers.
    pub(super) fn indices(&self, accessor: &Accessor) -> Result<Elements<'_>, Trouble> {
        if accessor.shape != Shape::Scalar {
            return Err(Some("indices must be of type SCALAR".into()));
        }
        let component = Component::of_index(accessor.component_type)?;
        self.elements(accessor, component, 1, Strides::Tight)
    }

    fn elements(
        &self,
        accessor: &Accessor,
        component: Component,
        width: usize,
        strides: Strides,
    ) -> Result<Elements<'_>, Trouble> {
        let size = component.size() * width;
        let dense = match accessor.buffer_view {
            Some(view) => {
                Some(self.strided(view, accessor.byte_offset, accessor.count, size, strides, "it")?)
            }
            None if accessor.count > self.bytes as u64 => {
                // Nothing in the file stands behind this number.
                return Err(Some(format!(
                    "has no buffer view, but {} elements, more than the file has bytes ({})",
                    accessor.count, self.bytes
                )));
            }
            None => None,
        };
        let count = usize::try_from(accessor.count).map_err(|_| Some("has too many elements".to_owned()))?;
        let sparse = self.replaced(accessor, count, size)?;
        Ok(Elements { count, component, normalized: accessor.normalized, dense, sparse })
    }

    fn replaced(
        &self,
        accessor: &Accessor,
        elements: usize,
        size: usize,
    ) -> Result<Option<Replaced<'_>>, Trouble> {
        let Some(sparse) = accessor.sparse.as_deref() else {
            return Ok(None);
        };
        if sparse.count > accessor.count {
            return Err(Some(format!("replaces {} of its {} elements", sparse.count, accessor.count)));
        }
        let index_type = Component::of_index(sparse.indices.component_type)?;
        let indices = self.strided(
            sparse.indices.buffer_view,
            sparse.indices.byte_offset,
            sparse.count,
            index_type.size(),
            Strides::Tight,
            "the list of its sparse indices",
        )?;
        let values = self.strided(
            sparse.values.buffer_view,
            sparse.values.byte_offset,
            sparse.count,
            size,
            Strides::Tight,
            "the list of its sparse values",
        )?;
        // Fits: it is at most the number of elements.
        let replaced = Replaced { count: sparse.count as usize, indices, index_type, values };
        replaced.check(elements)?;
        Ok(Some(replaced))
    }

    /// `count` elements of `size` bytes in a buffer view, if all of them lie in it and it lies in its buffer.
    fn strided(
        &self,
        view: u32,
        offset: u64,
        count: u64,
        size: usize,
        strides: Strides,
        what: &str,
    ) -> Result<Strided<'_>, Trouble> {
        let Some(in_document) = self.document.buffer_views.get(view as usize) else {
            return Err(Some(format!("names buffer view {view}, which does not exist")));
        };
        let Some(buffer) = self.buffers.get(in_document.buffer as usize) else {
            return Err(Some(format!(
                "its buffer view {view} names buffer {}, which does not exist",
                in_document.buffer
            )));
        };
        let Some(buffer) = buffer else { return Err(None) };
        let Some(viewed) = part(buffer, in_document.byte_offset, in_document.byte_length) else {
            return Err(Some(format!(
                "its buffer view {view} takes {} bytes from byte {} of a buffer of {}",
                in_document.byte_length,
                in_document.byte_offset,
                buffer.len()
            )));
        };
        let stride = in_document.byte_stride.unwrap_or(size as u64);
        if stride < size as u64 || (strides == Strides::Tight && stride != size as u64) {
            return Err(Some(format!(
                "{what} has elements of {size} bytes, but buffer view {view} a byteStride of {stride}"
            )));
        }
        let length = match count.checked_sub(1) {
            None => Some(0),
            Some(last) => last.checked_mul(stride).and_then(|start| start.checked_add(size as u64)),
        };
        match length.and_then(|length| part(viewed, offset, length)) {
            // Two elements lie in one slice, so their distance fits; with fewer it is not used.
            Some(bytes) => Ok(Strided { bytes, stride: stride as usize, size }),
            None => Err(Some(format!(
                "{what} has {count} elements of {size} bytes, {stride} apart from byte {offset} on, \
                 but buffer view {view} has {} bytes",
                viewed.len()
            ))),
        }
    }
}

/// What a buffer view may say about the distance of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strides {
    /// As for vertices: anything that keeps them apart.
    Free,
    /// As for indices: elements touch.
    Tight,
}

/// A part of a slice, by numbers that the file gives.
fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    bytes.get(usize::try_from(offset).ok()?..end)
}

impl<'a> Elements<'a> {
    /// True if no number in the file stands behind these elements.
    pub(super) fn are_zero(&self) -> bool {
        self.dense.is_none() && self.sparse.is_none()
    }

    /// A position, as it stands in the file: perhaps not finite.
    pub(super) fn point(&self, index: usize) -> DVec3 {
        let Some(bytes) = self.bytes(index) else { return DVec3::ZERO };
        let size = self.component.size();
        let number = |axis: usize| self.component.number(&bytes[axis * size..], self.normalized);
        DVec3::new(number(0), number(1), number(2))
    }

    /// An index.
    pub(super) fn index(&self, index: usize) -> u32 {
        self.bytes(index).map_or(0, |bytes| self.component.unsigned(bytes))
    }

    fn bytes(&self, index: usize) -> Option<&'a [u8]> {
        let replaced = self.sparse.and_then(|sparse| sparse.find(index));
        replaced.or_else(|| self.dense.map(|dense| dense.get(index)))
    }
}

impl<'a> Strided<'a> {
    fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[index * self.stride..][..self.size]
    }
}

impl<'a> Replaced<'a> {
    fn index(&self, at: usize) -> usize {
        self.index_type.unsigned(self.indices.get(at)) as usize
    }

    fn find(&self, index: usize) -> Option<&'a [u8]> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.index(middle).cmp(&index) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(self.values.get(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn check(&self, elements: usize) -> Result<(), Trouble> {
        let mut least = 0;
        for at in 0..self.count {
            let index = self.index(at);
            if index >= elements {
                return Err(Some(format!("its sparse index {at} names element {index} of {elements}")));
            }
            if index < least {
                return Err(Some(format!("its sparse index {at} ({index}) is not above the one before it")));
            }
            least = index + 1;
        }
        Ok(())
    }
}

impl Component {
    fn of(component_type: u32) -> Result<Self, Trouble> {
        Ok(match component_type {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return Err(Some(format!("there is no component type {component_type}"))),
        })
    }

    fn of_index(component_type: u32) -> Result<Self, Trouble> {
        match Self::of(component_type)? {
            component @ (Self::U8 | Self::U16 | Self::U32) => Ok(component),
            _ => Err(Some(format!("indices must be unsigned integers, not component type {component_type}"))),
        }
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest index of this type, which the format reserves.
    pub(super) fn largest(self) -> u32 {
        match self {
            Self::U8 => u8::MAX.into(),
            Self::U16 => u16::MAX.into(),
            _ => u32::MAX,
        }
    }

    /// The number at the start of the bytes; integers that are `normalized` map to -1 .. 1 or 0 .. 1 by the formulas
    /// of the format (section 3.11).
    fn number(self, bytes: &[u8], normalized: bool) -> f64 {
        let (number, one) = match self {
            Self::I8 => (f64::from(i8::from_le_bytes(first(bytes))), f64::from(i8::MAX)),
            Self::U8 => (f64::from(u8::from_le_bytes(first(bytes))), f64::from(u8::MAX)),
            Self::I16 => (f64::from(i16::from_le_bytes(first(bytes))), f64::from(i16::MAX)),
            Self::U16 => (f64::from(u16::from_le_bytes(first(bytes))), f64::from(u16::MAX)),
            Self::U32 => (f64::from(u32::from_le_bytes(first(bytes))), f64::from(u32::MAX)),
            Self::F32 => return f64::from(f32::from_le_bytes(first(bytes))),
        };
        if normalized { (number / one).max(-1.0) } else { number }
    }

    fn unsigned(self, bytes: &[u8]) -> u32 {
        match self {
            Self::U8 => u8::from_le_bytes(first(bytes)).into(),
            Self::U16 => u16::from_le_bytes(first(bytes)).into(),
            _ => u32::from_le_bytes(first(bytes)),
        }
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("an element holds all its components")
}
