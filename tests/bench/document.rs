//! A made OpenAPI document as large suites of business software have them: a thousand operations whose parameters, bodies
//! and answers refer to shared schemas.

use serde_json::{Map, Value, json};

/// Operations of each resource.
const VERBS: usize = 10;
/// The names of resources, with the area before: `BillingInvoice`.
const THINGS: [&str; 20] = [
    "Invoice",
    "Order",
    "Customer",
    "Ticket",
    "Employee",
    "Contract",
    "Shipment",
    "Payment",
    "Report",
    "Appointment",
    "Message",
    "Product",
    "Warehouse",
    "Budget",
    "Meeting",
    "Vehicle",
    "Sensor",
    "Lesson",
    "Refund",
    "Quote",
];
const AREAS: [&str; 5] = ["Billing", "Support", "Travel", "Logistics", "People"];
/// Fields of each resource besides what refers to shared schemas: name, type, format.
const FIELDS: [(&str, &str, &str); 16] = [
    ("id", "string", "uuid"),
    ("number", "string", ""),
    ("title", "string", ""),
    ("description", "string", ""),
    ("created_at", "string", "date-time"),
    ("updated_at", "string", "date-time"),
    ("due_on", "string", "date"),
    ("quantity", "integer", "int32"),
    ("weight", "number", "double"),
    ("is_archived", "boolean", ""),
    ("priority", "integer", "int32"),
    ("external_reference", "string", ""),
    ("language", "string", ""),
    ("contact_email", "string", "email"),
    ("callback_url", "string", "uri"),
    ("internal_note", "string", ""),
];

/// Operations of the document.
pub(crate) const OPERATIONS: usize = THINGS.len() * AREAS.len() * VERBS;

/// The document of a system at this address that serves one division of the company, which all its texts name; an empty
/// name is the company itself.
pub(crate) fn made(base: &str, division: &str) -> Value {
    let (mut paths, mut schemas) = (Map::new(), shared());
    for area in AREAS.map(|area| format!("{division}{area}")) {
        for thing in THINGS {
            add(&area, thing, &mut paths, &mut schemas);
        }
    }
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Business suite", "version": "7.2.0", "description": "Everything the company runs on."},
        "servers": [{"url": base}],
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
            "schemas": schemas,
            "parameters": {
                "Limit": parameter("limit", "query", "Most that is answered.", json!({"type": "integer", "maximum": 500})),
                "Cursor": parameter("cursor", "query", "Where the last page ended.", json!({"type": "string"})),
            },
        },
    })
}

fn parameter(name: &str, place: &str, description: &str, schema: Value) -> Value {
    json!({"name": name, "in": place, "required": place == "path", "description": description, "schema": schema})
}

fn of(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

fn shared() -> Map<String, Value> {
    let text = |what: &str| json!({"type": "string", "maxLength": 200, "description": what});
    let address = json!({"street": text("Street and number."), "city": text("City."), "zip": text("Postal code."),
        "country": {"type": "string", "pattern": "^[A-Z]{2}$", "description": "ISO 3166 code."}});
    let person =
        json!({"name": text("Full name."), "email": {"type": "string", "format": "email"}, "address": of("Address")});
    let money = json!({"amount": {"type": "number", "minimum": 0}, "currency": {"type": "string", "enum": ["EUR", "USD", "JPY", "GBP"]}});
    let error = json!({"code": text("For programs."), "message": text("For people."), "trace": text("For support.")});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let all = [("Address", address), ("Person", person), ("Money", money), ("Error", error)];
    all.into_iter().map(|(name, properties)| (name.to_owned(), object(properties))).collect()
}

fn add(area: &str, thing: &str, paths: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
    let name = format!("{area}{thing}");
    let told = |field: &str| format!("The {field} of the {thing} as {area} keeps it, shown wherever the {thing} is.");
    let field = |(field, kind, format): (&str, &str, &str)| {
        let mut schema = json!({"type": kind, "description": told(&field.replace('_', " "))});
        if let (false, Some(map)) = (format.is_empty(), schema.as_object_mut()) {
            map.insert("format".to_owned(), json!(format));
        }
        (field.to_owned(), schema)
    };
    let mut properties: Map<String, Value> = FIELDS.into_iter().map(field).collect();
    properties.insert("total".to_owned(), of("Money"));
    properties.insert("owner".to_owned(), of("Person"));
    properties.insert("state".to_owned(), json!({"type": "string", "enum": ["draft", "open", "done", "cancelled"]}));
    properties.insert("positions".to_owned(), json!({"type": "array", "items": of(&format!("{name}Position"))}));
    let position = json!({"text": {"type": "string"}, "count": {"type": "integer"}, "price": of("Money"), "tax": {"type": "number"}});
    schemas.insert(format!("{name}Position"), json!({"type": "object", "required": ["text"], "properties": position}));
    let whole = json!({"type": "object", "required": ["title", "owner"], "properties": properties});
    schemas.insert(name.clone(), whole);
    let page = json!({"items": {"type": "array", "items": of(&name)}, "next": {"type": "string"}});
    schemas.insert(format!("{name}Page"), json!({"type": "object", "properties": page}));
    let place = format!("/{}/{}s", area.to_lowercase(), thing.to_lowercase());
    let id = parameter("id", "path", &format!("Which {thing}."), json!({"type": "string", "format": "uuid"}));
    let operation = |verb: &str, body: Option<&str>| operation(verb, (area, thing), body);
    let item = json!({"parameters": [id.clone()], "get": operation("get", None), "put": operation("replace", Some(&name)),
        "patch": operation("update", Some(&name)), "delete": operation("delete", None)});
    paths.insert(place.clone(), json!({"get": operation("list", None), "post": operation("create", Some(&name))}));
    paths.insert(format!("{place}/{{id}}"), item);
    for (verb, method) in [("archive", "post"), ("approve", "post"), ("history", "get"), ("export", "get")] {
        paths.insert(
            format!("{place}/{{id}}/{verb}"),
            json!({"parameters": [id.clone()], method: operation(verb, None)}),
        );
    }
}

fn operation(verb: &str, (area, thing): (&str, &str), body: Option<&str>) -> Value {
    let name = format!("{area}{thing}");
    let answer = |schema: &str, what: &str| json!({"description": what, "content": {"application/json": {"schema": of(schema)}}});
    let kept = if verb == "list" { format!("{name}Page") } else { name.clone() };
    let mut operation = json!({
        "operationId": format!("{verb}{name}"),
        "tags": [area],
        "summary": format!("Lets you {verb} {thing} records of {area}"),
        "description": format!(
            "Lets the caller {verb} what {area} keeps as {thing}, with its positions and the person it belongs to. \
             The answer carries everything that is known of it, and an error names the field that was wrong."
        ),
        "parameters": [
            parameter("x-request-id", "header", "Names the request in the logs.", json!({"type": "string"})),
            parameter("expand", "query", "What is answered with it.", json!({"type": "array", "items": {"type": "string"}})),
        ],
        "responses": {
            "200": answer(&kept, "It was done."),
            "400": answer("Error", "Something asked for is wrong: the error names the field."),
            "401": answer("Error", "The key is missing, or it is not known here."),
            "403": answer("Error", "The key is known, and what it stands for may not do this."),
            "404": answer("Error", "There is none, or none that this key may see."),
            "409": answer("Error", "Somebody has changed it since it was read."),
            "422": answer("Error", "It can be read and cannot be done: the error says which rule is against it."),
            "429": answer("Error", "Asked too often: the header retry-after says when to come back."),
            "500": answer("Error", "Something failed here: the trace of the error finds it in the logs."),
        },
    });
    let Some(map) = operation.as_object_mut() else { return operation };
    if verb == "list" {
        let shared =
            [json!({"$ref": "#/components/parameters/Limit"}), json!({"$ref": "#/components/parameters/Cursor"})];
        map.insert("parameters".to_owned(), json!(shared));
    }
    if let Some(schema) = body {
        map.insert(
            "requestBody".to_owned(),
            json!({"required": true, "content": {"application/json": {"schema": of(schema)}}}),
        );
    }
    operation
}
