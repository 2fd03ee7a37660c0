//! Keys of a document: a misspelt one has no effect, and would leave a mesh elsewhere or its numbers at other bytes without a word.

use crate::fault::{Fault, Faults};
use crate::text::shortened;
use kansho_cell::nearest_name;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// An object of glTF 2.0 and the keys that it has.
struct Kind {
    name: &'static str,
    keys: &'static [(&'static str, Key)],
}

/// What a key holds.
#[derive(Clone, Copy)]
enum Key {
    /// Something that bears on triangles, and is read elsewhere.
    Read,
    /// Something that does not.
    Idle,
    /// An object.
    One(&'static Kind),
    /// A list of objects.
    Many(&'static Kind),
    /// Extensions by their names.
    Extensions,
}

use Key::{Extensions, Idle, Many, One, Read};

const EXTENSIONS: (&str, Key) = ("extensions", Extensions);
const EXTRAS: (&str, Key) = ("extras", Idle);
const NAME: (&str, Key) = ("name", Idle);

const DOCUMENT: Kind = Kind {
    name: "the document",
    keys: &[
        ("extensionsUsed", Read),
        ("extensionsRequired", Read),
        ("asset", One(&ASSET)),
        ("scene", Read),
        ("scenes", Many(&SCENE)),
        ("nodes", Many(&NODE)),
        ("meshes", Many(&MESH)),
        ("accessors", Many(&ACCESSOR)),
        ("bufferViews", Many(&VIEW)),
        ("buffers", Many(&BUFFER)),
        ("skins", Idle),
        ("animations", Read),
        ("cameras", Idle),
        ("images", Idle),
        ("materials", Idle),
        ("samplers", Idle),
        ("textures", Idle),
        EXTENSIONS,
        EXTRAS,
    ],
};
const ASSET: Kind = Kind {
    name: "asset",
    keys: &[
        ("version", Read),
        ("minVersion", Read),
        ("copyright", Idle),
        ("generator", Idle),
        EXTENSIONS,
        EXTRAS,
    ],
};
const SCENE: Kind = Kind { name: "scene", keys: &[("nodes", Read), NAME, EXTENSIONS, EXTRAS] };
const NODE: Kind = Kind {
    name: "node",
    keys: &[
        ("children", Read),
        ("mesh", Read),
        ("skin", Read),
        ("matrix", Read),
        ("translation", Read),
        ("rotation", Read),
        ("scale", Read),
        ("camera", Idle),
        ("weights", Idle),
        NAME,
        EXTENSIONS,
        EXTRAS,
    ],
};
const MESH: Kind = Kind {
    name: "mesh",
    keys: &[("primitives", Many(&PRIMITIVE)), ("weights", Idle), NAME, EXTENSIONS, EXTRAS],
};
const PRIMITIVE: Kind = Kind {
    name: "primitive",
    keys: &[
        ("attributes", Read),
        ("indices", Read),
        ("mode", Read),
        ("targets", Read),
        ("material", Idle),
        EXTENSIONS,
        EXTRAS,
    ],
};
const ACCESSOR: Kind = Kind {
    name: "accessor",
    keys: &[
        ("bufferView", Read),
        ("byteOffset", Read),
        ("componentType", Read),
        ("normalized", Read),
        ("count", Read),
        ("type", Read),
        ("sparse", One(&SPARSE)),
        ("min", Read),
        ("max", Read),
        NAME,
        EXTENSIONS,
        EXTRAS,
    ],
};
const SPARSE: Kind = Kind {
    name: "sparse",
    keys: &[
        ("count", Read),
        ("indices", One(&SPARSE_PART)),
        ("values", One(&SPARSE_PART)),
        EXTENSIONS,
        EXTRAS,
    ],
};
const SPARSE_PART: Kind = Kind {
    name: "its part",
    keys: &[("bufferView", Read), ("byteOffset", Read), ("componentType", Read), EXTENSIONS, EXTRAS],
};
const VIEW: Kind = Kind {
    name: "bufferView",
    keys: &[
        ("buffer", Read),
        ("byteOffset", Read),
        ("byteLength", Read),
        ("byteStride", Read),
        ("target", Idle),
        NAME,
        EXTENSIONS,
        EXTRAS,
    ],
};
const BUFFER: Kind =
    Kind { name: "buffer", keys: &[("uri", Read), ("byteLength", Read), NAME, EXTENSIONS, EXTRAS] };

/// What the keys of a document say beside its values.
#[derive(Default)]
pub(super) struct Words {
    /// Keys that are spelt nearly like one that is read.
    pub(super) faults: Faults,
    /// Other keys that nobody knows, each once of every kind of object.
    pub(super) warnings: Vec<Fault>,
    /// Extensions of the objects that are read.
    pub(super) extensions: BTreeSet<String>,
    told: BTreeSet<(&'static str, String)>,
    /// Objects from the document down to where we are, with their numbers.
    path: Vec<(&'static str, Option<usize>)>,
}

impl Words {
    /// Of a document. What is no JSON is left to the reader of values, which says so.
    pub(super) fn of(json: &[u8]) -> Self {
        let mut words = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let _ = Look { kind: &DOCUMENT, words: &mut words }.deserialize(&mut deserializer);
        words
    }

    fn place(&self) -> String {
        let shown = |(name, number): &(&str, Option<usize>)| match number {
            Some(number) => format!("{name} {number}"),
            None => (*name).to_owned(),
        };
        self.path.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    fn unknown(&mut self, kind: &'static Kind, key: &str) {
        let nearest = nearest_name(key, kind.keys.iter().map(|(known, _)| *known));
        let is_read =
            |near: &String| kind.keys.iter().any(|(known, key)| known == near && !matches!(key, Idle));
        let shown = shortened(key.as_bytes(), 40);
        let place = |what: String| match self.path.is_empty() {
            true => Fault::of_file(what),
            false => Fault::of_part(self.place(), what),
        };
        match nearest.filter(is_read) {
            Some(near) => {
                let fault = place(format!("glTF has no key '{shown}' here"))
                    .with_help(format!("did you mean '{near}'?"));
                self.faults.push(fault);
            }
            None if !self.told.contains(&(kind.name, key.to_owned())) && self.told.len() < 100 => {
                let fault = place(format!("the key '{shown}' is not known and passed over"));
                self.warnings.push(fault);
                self.told.insert((kind.name, key.to_owned()));
            }
            None => {}
        }
    }
}

/// What is no object or list where one should be: the reader of values says so, or takes `null` for nothing.
macro_rules! no_such_thing {
    ($($visit:ident($value:ty)),*) => {
        $(fn $visit<E>(self, _: $value) -> Result<(), E> {
            Ok(())
        })*

        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    };
}

/// Looks through an object of some kind.
struct Look<'w> {
    kind: &'static Kind,
    words: &'w mut Words,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    no_such_thing!(visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64), visit_str(&str));

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { kind, words } = self;
        while let Some(key) = map.next_key::<String>()? {
            match kind.keys.iter().find(|(known, _)| *known == key).map(|(_, key)| *key) {
                Some(One(inner)) => {
                    words.path.push((inner.name, None));
                    map.next_value_seed(Look { kind: inner, words: &mut *words })?;
                    words.path.pop();
                }
                Some(Many(inner)) => map.next_value_seed(List { kind: inner, words: &mut *words })?,
                Some(Extensions) => map.next_value_seed(Names { words: &mut *words })?,
                Some(Read | Idle) => drop(map.next_value::<IgnoredAny>()?),
                None => {
                    words.unknown(kind, &key);
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Looks through a list of objects.
struct List<'w> {
    kind: &'static Kind,
    words: &'w mut Words,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    no_such_thing!(visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64), visit_str(&str));

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { kind, words } = self;
        for number in 0.. {
            words.path.push((kind.name, Some(number)));
            let more = list.next_element_seed(Look { kind, words: &mut *words })?;
            words.path.pop();
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }
}

/// Notes the names of extensions.
struct Names<'w> {
    words: &'w mut Words,
}

impl<'de> DeserializeSeed<'de> for Names<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Names<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("extensions")
    }

    no_such_thing!(visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64), visit_str(&str));

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        /// A document that names more is odd enough to be told of these.
        const MOST: usize = 100;
        while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
            if self.words.extensions.len() < MOST {
                self.words.extensions.insert(name);
            }
        }
        Ok(())
    }
}
