//! JSON in which every key stands once: of two values for one key, nobody could say which is meant.

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads a value from memory; marks of byte order are no part of it.
///
/// # Errors
/// What is no JSON, and a key that stands twice, with line and column.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let text = crate::text::decoded(bytes);
    let mut deserializer = serde_json::Deserializer::from_slice(&text);
    let value = Once.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Whether a text is JSON rather than a table: its first letter is a bracket.
pub(crate) fn is_meant(bytes: &[u8]) -> bool {
    let text = crate::text::decoded(bytes);
    text.iter().find(|c| !c.is_ascii_whitespace()).is_some_and(|c| b"[{".contains(c))
}

/// A value of which each key stands once.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = list.next_element_seed(Once)? {
            all.push(value);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(A::Error::custom(format!("\"{}\" stands twice", crate::fault::printable(&key))));
            }
            all.insert(key, map.next_value_seed(Once)?);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_serde_and_keys_stand_once() {
        for text in
            ["null", "[1, -2, 3.5, true, \"a\", {\"b\": {\"c\": []}}]", "18446744073709551615", "1e-300"]
        {
            let wanted: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(parse(text.as_bytes()).expect("JSON"), wanted);
        }
        for (text, expected) in [
            ("{\"a\": 1, \"a\": 2}", "\"a\" stands twice at line 1 column 12"),
            ("[{\"q\": {\"x\": 1,\n \"x\": 1}}]", "\"x\" stands twice at line 2"),
            ("{\"a\": 1} 2", "trailing"),
            ("{\"a\": NaN}", "expected value"),
        ] {
            let fault = parse(text.as_bytes()).expect_err(text).to_string();
            assert!(fault.contains(expected), "{text}: {fault}");
        }
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
