//! `web/src/answers.ts` has the types of all that the page is told. It is made from the schemas of the answers, so that both cannot differ:
//! `KANSHO_WRITE=1 cargo test -p kansho-viewer --test api` writes it anew.

use kansho::ask::course::CourseAnswer;
use kansho::ask::held::{DragAnswer, HeldAnswer};
use kansho::ask::path_edit::{MapCellAnswer, PathEditAnswer};
use kansho::ask::posture::PostureAnswer;
use kansho::ask::script::EditAnswer;
use kansho_viewer::Work;
use kansho_viewer::api::{CellDescription, CoarseHeader, GeometryHeader, LiveNews, MapHeader};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Tuples of up to so many numbers are written out; longer ones (poses) are lists.
const LONGEST_TUPLE: u64 = 4;

const WIDTH: usize = 120;

#[test]
fn the_page_has_the_types_of_the_answers() {
    let mut types = BTreeMap::new();
    add::<CellDescription>(&mut types);
    add::<CoarseHeader>(&mut types);
    add::<CourseAnswer>(&mut types);
    add::<DragAnswer>(&mut types);
    add::<EditAnswer>(&mut types);
    add::<GeometryHeader>(&mut types);
    add::<HeldAnswer>(&mut types);
    add::<LiveNews>(&mut types);
    add::<MapCellAnswer>(&mut types);
    add::<MapHeader>(&mut types);
    add::<PathEditAnswer>(&mut types);
    add::<PostureAnswer>(&mut types);
    add::<Work>(&mut types);
    let mut text = "// Types of what the server tells. Made from the schemas of the answers by tests/api.rs: not to be edited.\n".to_owned();
    for (name, schema) in &types {
        text += &declared(name, schema);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/src/answers.ts");
    if std::env::var_os("KANSHO_WRITE").is_some() {
        std::fs::write(&file, &text).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == text, "answers.ts is not what the answers are: KANSHO_WRITE=1 writes it anew");
}

/// A type and all that it is made of, by their names.
fn add<T: JsonSchema>(types: &mut BTreeMap<String, Value>) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let parts = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
    let parts = parts.and_then(|parts| parts.as_object().cloned()).unwrap_or_default();
    types.insert(T::schema_name().into_owned(), schema);
    types.extend(parts);
}

fn declared(name: &str, schema: &Value) -> String {
    let words =
        schema["description"].as_str().map_or(String::new(), |words| format!("/** {} */\n", one_line(words)));
    match schema["properties"].as_object() {
        Some(properties) => {
            format!("\n{words}export interface {name} {{\n{}}}\n", fields(schema, properties, "  "))
        }
        None => {
            let alternatives = alternatives(schema);
            let line = format!("export type {name} = {};", alternatives.join(" | "));
            let line = if line.len() <= WIDTH && !line.contains('\n') {
                line
            } else {
                let each: String =
                    alternatives.iter().map(|one| format!("\n  | {}", one.replace('\n', "\n    "))).collect();
                format!("export type {name} ={each};")
            };
            format!("\n{words}{line}\n")
        }
    }
}

fn fields(schema: &Value, properties: &Map<String, Value>, indent: &str) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = String::new();
    for (name, of) in properties {
        if let Some(words) = of["description"].as_str() {
            let _ = writeln!(text, "{indent}/** {} */", one_line(words));
        }
        // What may be missing is missing rather than null.
        let (optional, of) = match required.contains(&name.as_str()) {
            true => ("", written(of)),
            false => (
                "?",
                alternatives(of).into_iter().filter(|one| one != "null").collect::<Vec<_>>().join(" | "),
            ),
        };
        let _ = writeln!(text, "{indent}{name}{optional}: {of};");
    }
    text
}

fn one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A type as TypeScript has it.
fn written(schema: &Value) -> String {
    alternatives(schema).join(" | ")
}

fn alternatives(schema: &Value) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return vec![name.rsplit('/').next().unwrap_or_default().to_owned()];
    }
    for list in ["anyOf", "oneOf", "allOf"] {
        if let Some(all) = schema[list].as_array() {
            return all.iter().flat_map(alternatives).collect();
        }
    }
    if let Some(value) = schema.get("const") {
        return vec![value.to_string()];
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect();
    }
    match &schema["type"] {
        Value::Array(types) => {
            types.iter().map(|name| plain(schema, name.as_str().unwrap_or_default())).collect()
        }
        name => vec![plain(schema, name.as_str().unwrap_or_default())],
    }
}

fn plain(schema: &Value, name: &str) -> String {
    match name {
        "number" | "integer" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => listed(schema),
        "object" => {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            format!("{{\n{}}}", fields(schema, &properties, "  "))
        }
        _ => "unknown".to_owned(),
    }
}

fn listed(schema: &Value) -> String {
    if let Some(each) = schema["prefixItems"].as_array() {
        return format!("[{}]", each.iter().map(written).collect::<Vec<_>>().join(", "));
    }
    let item = written(&schema["items"]);
    let count = schema["minItems"].as_u64();
    match count.filter(|count| schema["maxItems"].as_u64() == Some(*count) && *count <= LONGEST_TUPLE) {
        Some(count) => format!("[{}]", vec![item; count as usize].join(", ")),
        None if item.contains(' ') && !item.starts_with('[') => format!("({item})[]"),
        None => format!("{item}[]"),
    }
}
