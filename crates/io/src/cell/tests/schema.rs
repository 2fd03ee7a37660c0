//! The schema says what the reader reads.

use super::super::schema::{ALLOW, CELL, Key, OBJECT, POSE, ROBOT, SHAPES, TOOL};
use super::*;

/// What of JSON Schema our schema uses, judged on a value. A keyword that is not known here fails the test.
fn valid(schema: &serde_json::Value, value: &serde_json::Value, root: &serde_json::Value) -> bool {
    let all = |list: &serde_json::Value, test: &dyn Fn(&serde_json::Value) -> bool| {
        list.as_array().expect("a list of schemas").iter().filter(|schema| test(schema)).count()
    };
    let holds = |schema: &serde_json::Value| valid(schema, value, root);
    schema.as_object().expect("a schema").iter().all(|(keyword, rule)| {
        let count = || rule.as_u64().expect("a count") as usize;
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "default" => true,
            "$ref" => {
                let name = rule.as_str().and_then(|path| path.strip_prefix("#/$defs/")).expect("one of ours");
                valid(&root["$defs"][name], value, root)
            }
            "type" => match rule.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                other => panic!("type {other}"),
            },
            "enum" => rule.as_array().expect("a list").contains(value),
            "properties" => value.as_object().is_none_or(|entries| {
                entries.iter().all(|(key, value)| rule.get(key).is_none_or(|rule| valid(rule, value, root)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|entries| {
                let known =
                    |key: &String| schema.get("properties").is_some_and(|known| known.get(key).is_some());
                let mut others = entries.iter().filter(|(key, _)| !known(key));
                others
                    .all(|(_, value)| if rule.is_boolean() { rule == true } else { valid(rule, value, root) })
            }),
            "required" => {
                let keys = rule.as_array().expect("a list").iter().map(|key| key.as_str().expect("a key"));
                value.as_object().is_none_or(|entries| keys.into_iter().all(|key| entries.contains_key(key)))
            }
            "dependentRequired" => value.as_object().is_none_or(|entries| {
                let rules =
                    rule.as_object().expect("keys").iter().filter(|(key, _)| entries.contains_key(*key));
                rules.into_iter().all(|(_, keys)| {
                    keys.as_array()
                        .expect("keys")
                        .iter()
                        .all(|key| entries.contains_key(key.as_str().expect("a key")))
                })
            }),
            "items" => value.as_array().is_none_or(|items| items.iter().all(|item| valid(rule, item, root))),
            "minItems" => value.as_array().is_none_or(|items| items.len() >= count()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() <= count()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() >= count()),
            "exclusiveMinimum" => {
                value.as_f64().is_none_or(|number| number > rule.as_f64().expect("a number"))
            }
            "pattern" => {
                assert_eq!(rule, "^[^|/]*$");
                value.as_str().is_none_or(|text| !text.contains(['|', '/']))
            }
            "anyOf" => all(rule, &holds) >= 1,
            "oneOf" => all(rule, &holds) == 1,
            "not" => !holds(rule),
            other => panic!("keyword {other}"),
        }
    })
}

fn json_of(value: &::toml::de::DeValue) -> serde_json::Value {
    use ::toml::de::DeValue;
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(integer) => integer.as_str().parse::<f64>().expect("a number").into(),
        DeValue::Float(float) => float.as_str().parse::<f64>().expect("a number").into(),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(_) => panic!("no dates here"),
        DeValue::Array(list) => list.iter().map(|value| json_of(value.get_ref())).collect(),
        DeValue::Table(entries) => {
            entries.iter().map(|(key, value)| (key.get_ref().to_string(), json_of(value.get_ref()))).collect()
        }
    }
}

#[test]
fn the_schema_and_the_reader_agree() {
    let folder = workshop();
    let schema = schema();
    let check = |text: &str, expected: bool| {
        let document = ::toml::de::DeTable::parse(text).expect("TOML");
        let json = json_of(&::toml::de::DeValue::Table(document.into_inner()));
        assert_eq!(valid(&schema, &json, &schema), expected, "schema: {text}");
        assert_eq!(read_text(folder.path(), text).is_ok(), expected, "reader: {text}");
    };
    check(EVERYTHING, true);
    check("[[object]]\nname = \"a\"\nsphere = 1\n", true);
    check("units = \"m\"\n", false);
    check("units = \"mile\"\n[[object]]\nname = \"a\"\nsphere = 1\n", false);
    check("[[object]]\nsphere = 1\n", false);
    check("[[object]]\nname = \"a\"\n", false);
    check("[[object]]\nname = \"a/b\"\nsphere = 1\n", false);
    check("[object]\nname = \"a\"\nsphere = 1\n", false);
    for rest in [
        "sphere = 1\nbox = [1, 2, 3]",
        "sphere = 0",
        "box = [1, 2]",
        "box = [1, 2, 0]",
        "sphere = 1\nunits = \"mm\"",
        "sphere = 1\nscale = 3",
        "sphere = 1\nat = { xyz = [0, 0] }",
        "sphere = 1\nat = { rpy = [0, 0, 0] }",
        "sphere = 1\nat = { matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], xyz = [0, 0, 0] }",
        "sphere = 1\n[allow]\npairs = [[\"a\"]]",
        "mesh = 3",
        "mesh = \"\"",
        "mesh = []",
        "mesh = [\"block.stl\", 3]",
    ] {
        check(&format!("[[object]]\nname = \"a\"\n{rest}\n"), false);
    }
    for (rest, expected) in [
        ("", true),
        ("tool = { on = \"hand\" }", true),
        ("tool = { on = \"hand\", sphere = 1, box = [1, 1, 1] }", false),
        ("tool = { sphere = 1 }", false),
        ("tool = { on = \"hand\", plane = [0, 0, 1, 0] }", false),
        ("hold = { slide = \"far\" }", false),
        ("packages = \".\"", false),
    ] {
        check(&format!("[[robot]]\nname = \"r\"\nurdf = \"arm.urdf\"\n{rest}\n"), expected);
    }
}

#[test]
fn every_key_is_in_the_schema_and_explained() {
    let schema = schema();
    let keys_of = |table: &serde_json::Value| -> Vec<String> {
        table["properties"].as_object().expect("a table").keys().cloned().collect()
    };
    let check = |table: &serde_json::Value, keys: &[Key]| {
        let mut known: Vec<String> = keys.iter().map(|key| key.name.to_owned()).collect();
        known.sort();
        assert_eq!(keys_of(table), known);
        assert_eq!(table["additionalProperties"], false);
        assert!(keys.iter().all(|key| table["properties"][key.name]["description"] == key.about));
    };
    check(&schema, CELL);
    check(&schema["properties"]["robot"]["items"], ROBOT);
    check(&schema["properties"]["robot"]["items"]["properties"]["tool"], TOOL);
    check(&schema["properties"]["object"]["items"], OBJECT);
    check(&schema["properties"]["allow"], ALLOW);
    check(&schema["$defs"]["pose"], POSE);
    assert!(SHAPES.iter().all(|shape| OBJECT.iter().any(|key| key.name == *shape)));
}
