//! Answers as JSON are what their schemas say.

use crate::run::kansho;
use serde_json::{Value, json};
use std::fs;

/// What of an answer does not fit a schema, as far as `schemars` writes them: types, references, choices, required keys. Keys that no schema
/// names do not fit, either.
fn misfit(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let mut named = Vec::new();
    let wrong = fits(value, schema, root, &mut named);
    if wrong.is_some() {
        return wrong;
    }
    let keys = value.as_object().into_iter().flat_map(serde_json::Map::keys);
    keys.filter(|key| !named.contains(key)).map(|key| format!("no schema names '{key}'")).next()
}

fn fits(value: &Value, schema: &Value, root: &Value, named: &mut Vec<String>) -> Option<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().expect("a name");
        if let Some(why) = fits(value, &root["$defs"][name], root, named) {
            return Some(why);
        }
    }
    if let Some(wanted) = schema.get("const")
        && value != wanted
    {
        return Some(format!("{value} is not {wanted}"));
    }
    if let Some(all) = schema["enum"].as_array()
        && !all.contains(value)
    {
        return Some(format!("{value} is none of {all:?}"));
    }
    let kinds = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_kind = |kind: &str| match kind {
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => value.is_object(),
    };
    if !kinds.is_empty() && !kinds.into_iter().any(is_kind) {
        return Some(format!("{value} is not {}", schema["type"]));
    }
    for choice in ["oneOf", "anyOf"] {
        let Some(all) = schema[choice].as_array() else { continue };
        let mut whys = Vec::new();
        let found = all.iter().find_map(|one| {
            let mut of_this = Vec::new();
            match fits(value, one, root, &mut of_this) {
                None => Some(of_this),
                Some(why) => {
                    whys.push(why);
                    None
                }
            }
        });
        match found {
            Some(of_this) => named.extend(of_this),
            None => return Some(whys.join("; or ")),
        }
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        if let Some(why) = fits(value, part, root, named) {
            return Some(why);
        }
    }
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(key).is_none() {
            return Some(format!("'{key}' is missing"));
        }
    }
    for (key, of) in schema["properties"].as_object().into_iter().flatten() {
        named.push(key.clone());
        if let Some(inner) = value.get(key)
            && let Some(why) = if of.is_object() { misfit(inner, of, root) } else { None }
        {
            return Some(format!("{key}: {why}"));
        }
    }
    // A map: any key, with such a value.
    for (key, inner) in
        value.as_object().into_iter().flatten().filter(|_| schema["additionalProperties"].is_object())
    {
        named.push(key.clone());
        if let Some(why) = misfit(inner, &schema["additionalProperties"], root) {
            return Some(format!("{key}: {why}"));
        }
    }
    let items = value.as_array().filter(|_| schema["items"].is_object());
    items.into_iter().flatten().find_map(|item| misfit(item, &schema["items"], root))
}

#[test]
fn answers_are_what_their_schemas_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(kansho(["demo", "--no-plan", "--out", &at("")]).code, 0);
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("the folder is ours");
    let joints = "joint_1,joint_2,joint_3,joint_4,joint_5,joint_6\n";
    write("aside.csv", &format!("{joints}0,-35,15,0,35,0\n5,-35,15,0,35,0\n"));
    write("into.csv", &format!("{joints}0,-35,15,0,35,0\n0,20,10,0,60,180\n"));
    write("segments.csv", "0 -0.6 0.3 0 0.6 0 0.1 -0.6 0.3 0 0.6 0\n0 -0.6 0.3 0 0.6 0 0 0.4 0.2 0 1 3.1\n");
    write(
        "program.mod",
        "MODULE m\nPROC main()\nMoveAbsJ [[0,-35,15,0,35,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nMoveAbsJ [[5,-35,15,0,35,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;\nIF di1=1 THEN\nTPWrite \"a\";\nENDIF\nENDPROC\nENDMODULE\n",
    );
    let asked = [
        ("check", "check cell.toml aside.csv --units deg --certificate free.json", 0),
        ("check", "check cell.toml into.csv --units deg", 1),
        ("check", "check cell.toml aside.csv --units deg --timeout 0", 2),
        ("check", "check cell.toml aside.csv --units deg --motion lin --law both --certificate led.json", 0),
        ("check", "check cell.toml program.mod", 0),
        ("check-segments", "check cell.toml --segments segments.csv", 1),
        ("postures", "postures cell.toml --postures into.csv --units deg --all", 1),
        ("postures", "postures cell.toml --postures aside.csv --units deg --distance", 0),
        ("postures", "postures cell.toml --postures aside.csv --units deg --explain", 0),
        ("postures", "postures cell.toml --postures aside.csv --units deg --timeout 0", 2),
        ("verify", "verify free.json cell.toml", 0),
        ("verify", "verify led.json cell.toml", 0),
        ("verify", "verify free.json cell.toml into.csv --units deg", 1),
    ];
    let schema_of = |question: &str| kansho(["schema", question]).json();
    for (question, command, expected) in asked {
        let word = |word: &str| if word.contains('.') { at(word) } else { word.to_owned() };
        let run = kansho(command.split(' ').map(word).chain(["--json".to_owned()]));
        let (answer, schema) = (run.json(), schema_of(question));
        assert_eq!((run.code, &answer["format"]), (expected, &json!(1)), "{command}: {}", run.stderr);
        assert_eq!(misfit(&answer, &schema, &schema), None, "{command}: {answer}");
    }
    // The check itself is one that can fail.
    let schema = schema_of("verify");
    assert!(misfit(&json!({ "format": 1, "accepted": "yes" }), &schema, &schema).is_some());
    assert!(misfit(&json!({ "format": 1, "accepted": false, "other": 1 }), &schema, &schema).is_some());
    assert!(misfit(&json!({ "accepted": false }), &schema, &schema).is_some());
}
