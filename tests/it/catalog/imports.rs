//! Documents taken in: every kind, shown before anything is added, and again when they change.

use serde_json::{Value, json};

use super::Connected;

fn openapi() -> Value {
    json!({
        "openapi": "3.1.0", "info": {"title": "Routewise", "version": "1"},
        "servers": [{"url": "https://{region}.example.org/v1", "variables": {"region": {"default": "eu"}}}],
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
            "parameters": {"Id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}},
            "schemas": {
                "Named": {"type": "object", "properties": {"name": {"type": "string", "nullable": true}}, "required": ["name"]},
                "Stop": {"allOf": [{"$ref": "#/components/schemas/Named"}, {"properties": {"next": {"$ref": "#/components/schemas/Stop"}, "id": {"type": "string", "readOnly": true}}}]},
            },
        },
        "paths": {
            "/routes": {"get": {"operationId": "listRoutes", "tags": ["Routes"], "summary": "Routes of a day.", "description": "All routes of one day or one driver.",
                "parameters": [{"name": "day", "in": "query", "schema": {"type": "string", "format": "date"}}, {"name": "X-Key", "in": "header"}]}},
            "/routes/{id}": {"parameters": [{"$ref": "#/components/parameters/Id"}],
                "patch": {"operationId": "moveStop", "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stop"}}}}},
                "delete": {"operationId": "dropRoute", "summary": "Cancels a route."}},
        },
    })
}

fn row<'a>(preview: &'a Value, key: &str) -> &'a Value {
    preview["operations"].as_array().unwrap().iter().find(|row| row["operation"]["key"] == key).unwrap()
}

async fn preview(crm: &Connected, source: Value, system: Option<&str>) -> Value {
    crm.ask("POST", "/import/preview", &json!({"source": source, "system_id": system})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_is_shown_with_risk_and_cost_and_only_what_is_chosen_is_added() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let shown = preview(&crm, json!({"text": openapi().to_string()}), None).await;
    assert_eq!((&shown["format"], &shown["base_url"]), (&json!("OpenAPI 3.1"), &json!("https://eu.example.org/v1")));
    assert_eq!(shown["auth"], json!({"type": "api_key", "in": "header", "name": "X-Key"}));
    let risks: Vec<&Value> =
        shown["operations"].as_array().unwrap().iter().map(|row| &row["operation"]["risk"]).collect();
    assert_eq!(risks, [&json!("read"), &json!("destructive"), &json!("high_write")]);
    let sum: u64 = shown["operations"].as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
    assert!(sum > 0 && shown["tokens"] == sum);
    let stop = row(&shown, "PATCH /routes/{id}");
    assert!(stop["operation"]["warnings"].to_string().contains("no description"), "{stop}");
    let body = &stop["operation"]["parameters"][1]["schema"];
    assert_eq!(body["properties"], json!({"name": {"type": ["string", "null"]}, "next": {"type": "object"}}));
    assert_eq!(body["required"], json!(["name"]));
    assert_eq!(row(&shown, "GET /routes")["operation"]["parameters"].as_array().unwrap().len(), 1);
    assert_eq!(crm.ask("GET", "/systems", &Value::Null).await.as_array().unwrap().len(), 1, "a preview adds nothing");
    let choose = json!({
        "system": {"name": "Routewise", "base_url": shown["base_url"], "auth": shown["auth"]}, "format": shown["format"],
        "operations": [{"operation": row(&shown, "GET /routes")["operation"]}, {"operation": stop["operation"], "risk": "low_write", "description": "Moves a stop."}],
    });
    let done = crm.ask("POST", "/import/apply", &choose).await;
    assert_eq!(done["written"], 2);
    let path = format!("/systems/{}/endpoints", done["system_id"].as_str().unwrap());
    let endpoints = crm.ask("GET", &path, &Value::Null).await;
    let told: Vec<_> = endpoints
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["slug"].as_str().unwrap(), one["risk"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("list_routes", "read"), ("move_stop", "low_write")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_import_shows_the_difference_and_keeps_what_people_changed() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let first = preview(&crm, json!({"text": openapi().to_string()}), Some(&crm.id)).await;
    let all: Vec<Value> =
        first["operations"].as_array().unwrap().iter().map(|row| json!({"operation": row["operation"]})).collect();
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": all})).await;
    let same = preview(&crm, json!({"text": openapi().to_string()}), Some(&crm.id)).await;
    assert!(same["operations"].as_array().unwrap().iter().all(|row| row["change"] == "unchanged"), "{same}");
    let listed = row(&same, "GET /routes")["endpoint_id"].as_str().unwrap().to_owned();
    crm.ask("PATCH", &format!("/endpoints/{listed}"), &json!({"description": "By hand."})).await;
    let mut next = openapi();
    next["paths"]["/routes"]["get"]["description"] = json!("Otherwise now.");
    next["paths"]["/routes"]["get"]["parameters"][0]["name"] = json!("date");
    next["paths"]["/routes"]["post"] = json!({"operationId": "addRoute", "summary": "Adds a route."});
    next["paths"]["/routes/{id}"].as_object_mut().unwrap().remove("delete");
    let again = preview(&crm, json!({"text": next.to_string()}), Some(&crm.id)).await;
    let get = row(&again, "GET /routes");
    assert_eq!(
        (&get["change"], &get["differs"], &get["kept"]),
        (&json!("changed"), &json!(["parameters", "description"]), &json!(["description"]))
    );
    assert_eq!(row(&again, "POST /routes")["change"], "added");
    assert_eq!(again["removed"][0]["path"], "/routes/{id}");
    let all: Vec<Value> =
        again["operations"].as_array().unwrap().iter().map(|row| json!({"operation": row["operation"]})).collect();
    let gone = &again["removed"][0]["id"];
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": all, "remove": [gone]})).await;
    let kept = crm.ask("GET", &format!("/endpoints/{listed}"), &Value::Null).await;
    assert_eq!((&kept["description"], &kept["parameters"][0]["name"]), (&json!("By hand."), &json!("date")));
    let endpoints = crm.ask("GET", &format!("/systems/{}/endpoints", crm.id), &Value::Null).await;
    assert_eq!(endpoints.as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_called_otherwise_keeps_what_people_set_and_a_moved_server_is_told() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let document = |name: &str, path: &str, more: Value| {
        let parameter = json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}});
        let get = json!({"operationId": "getUser", "summary": "One user.", "parameters": [parameter]});
        let mut document =
            json!({"openapi": "3.0.0", "info": {"title": "CRM", "version": "1"}, "paths": {path: {"get": get}}});
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"text": document.to_string()})
    };
    let first = preview(&crm, document("id", "/users/{id}", json!({})), Some(&crm.id)).await;
    assert!(!first["warnings"].to_string().contains("this system"), "{}", first["warnings"]);
    let chosen = json!([{"operation": first["operations"][0]["operation"]}]);
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": chosen})).await;
    let known = preview(&crm, document("id", "/users/{id}", json!({})), Some(&crm.id)).await;
    let id = known["operations"][0]["endpoint_id"].as_str().unwrap().to_owned();
    let by_hand = json!({"risk": "high_write", "when_to_use": "Always."});
    crm.ask("PATCH", &format!("/endpoints/{id}"), &by_hand).await;
    let more = json!({
        "servers": [{"url": "https://new.example/v9"}], "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-New-Key"}}},
    });
    let again = preview(&crm, document("userId", "/users/{userId}", more), Some(&crm.id)).await;
    let told = again["warnings"].to_string();
    assert!(told.contains("https://new.example/v9; calls still go to") && told.contains("'X-New-Key'"), "{told}");
    let row = &again["operations"][0];
    assert_eq!((&row["change"], &row["endpoint_id"], &again["removed"]), (&json!("changed"), &json!(id), &json!([])));
    let chosen = json!([{"operation": row["operation"]}]);
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": chosen})).await;
    let kept = crm.ask("GET", &format!("/endpoints/{id}"), &Value::Null).await;
    assert_eq!(
        (&kept["path"], &kept["parameters"][0]["name"], &kept["risk"], &kept["when_to_use"]),
        (&json!("/users/{userId}"), &json!("userId"), &json!("high_write"), &json!("Always."))
    );
    let system = crm.ask("GET", &format!("/systems/{}", crm.id), &Value::Null).await;
    assert_eq!((&system["base_url"], &system["auth"]["type"]), (&json!(crm.system.url("/api")), &json!("none")));
}

#[tokio::test(flavor = "multi_thread")]
async fn swagger_in_yaml_is_fetched_from_its_address() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let yaml = "swagger: '2.0'\ninfo: {title: Pets, version: '1'}\nbasePath: /v2\nsecurityDefinitions: {b: {type: basic}}\npaths:\n  /pets:\n    post:\n      operationId: addPet\n      summary: Adds a pet.\n      consumes: [application/x-www-form-urlencoded]\n      parameters:\n        - {name: name, in: formData, type: string, required: true}\n      responses: {200: {description: ok}}\n";
    crm.system.plan(200, "Content-Type: application/yaml", yaml);
    let shown = preview(&crm, json!({"url": crm.system.url("/swagger.yaml")}), None).await;
    assert_eq!(
        (&shown["format"], &shown["base_url"], &shown["auth"]["type"]),
        (&json!("Swagger 2"), &json!(crm.system.url("/v2")), &json!("basic"))
    );
    let body = &shown["operations"][0]["operation"]["parameters"][0];
    assert_eq!((&body["in"], &body["schema"]["required"]), (&json!("body"), &json!(["name"])));
    assert_eq!(body["schema"]["contentMediaType"], "application/x-www-form-urlencoded");
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_is_asked_for_its_schema() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let scalar = |name: &str| json!({"kind": "SCALAR", "name": name});
    let id = json!({"kind": "NON_NULL", "name": null, "ofType": scalar("ID")});
    let user = json!({"kind": "OBJECT", "name": "User", "fields": [{"name": "name", "args": [], "type": scalar("String")}, {"name": "friends", "args": [], "type": {"kind": "LIST", "ofType": {"kind": "OBJECT", "name": "User"}}}]});
    let fields = json!([{"name": "user", "description": "One user.", "args": [{"name": "id", "type": id, "defaultValue": null}], "type": {"kind": "OBJECT", "name": "User"}}]);
    let schema = json!({"queryType": {"name": "Query"}, "mutationType": {"name": "Mutation"}, "types": [
        {"kind": "OBJECT", "name": "Query", "fields": fields}, user,
        {"kind": "OBJECT", "name": "Mutation", "fields": [{"name": "purge", "args": [], "type": scalar("Boolean")}]},
    ]});
    crm.system.plan(200, "Content-Type: application/json", &json!({"data": {"__schema": schema}}).to_string());
    let shown = preview(&crm, json!({"url": crm.system.url("/graphql"), "graphql": true}), None).await;
    assert!(crm.system.asked()[0].body.contains("__schema"));
    let user = row(&shown, "query:user");
    let query = user["operation"]["query"].as_str().unwrap();
    assert_eq!(query, "query user($id: ID!) { user(id: $id) { name } }");
    assert_eq!(
        (&user["operation"]["risk"], &row(&shown, "mutation:purge")["operation"]["risk"]),
        (&json!("read"), &json!("high_write"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_graphql_system_is_asked_again_and_one_that_refuses_tells_why() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let refusal = |message: &str| json!({"errors": [{"message": message}]}).to_string();
    let json = "Content-Type: application/json";
    let source = json!({"url": crm.system.url("/graphql"), "graphql": true});
    crm.system.plan(400, json, &refusal("Cannot query field \"isOneOf\" on type \"__Type\"."));
    let types = json!([{"kind": "OBJECT", "name": "Q", "fields": [{"name": "now", "args": [], "type": {"kind": "SCALAR", "name": "String"}}]}]);
    let schema = json!({"data": {"__schema": {"queryType": {"name": "Q"}, "types": types}}});
    crm.system.plan(200, json, &schema.to_string());
    let shown = preview(&crm, source.clone(), None).await;
    assert_eq!(row(&shown, "query:now")["operation"]["query"], "query now { now }");
    let asked = crm.system.asked();
    assert!(asked[0].body.contains("isOneOf") && !asked[1].body.contains("isOneOf"), "{}", asked[1].body);
    crm.system.plan(400, json, &refusal("GraphQL introspection is not allowed by Apollo Server."));
    let (status, told) = crm.try_to("POST", "/import/preview", &json!({"source": source})).await;
    assert!(
        status >= 400 && told.to_string().contains("not allowed by Apollo Server. Where its introspection"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wsdl_and_a_curl_command_are_read_and_no_credential_is_taken_over() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let wsdl = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:c" targetNamespace="urn:c" name="Customs">
        <types><x:schema targetNamespace="urn:c"><x:element name="GetDuty"><x:complexType><x:sequence><x:element name="code" type="x:string"/><x:element name="weight" type="x:decimal" minOccurs="0"/></x:sequence></x:complexType></x:element></x:schema></types>
        <message name="In"><part name="p" element="t:GetDuty"/></message>
        <portType name="P"><operation name="GetDuty"><documentation>The duty of goods.</documentation><input message="t:In"/></operation></portType>
        <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="GetDuty"><soap:operation soapAction="urn:c/GetDuty"/></operation></binding>
        <service name="CustomsGateway"><port name="Q" binding="t:B"><soap:address location="https://customs.example/ws/duty"/></port></service></definitions>"#;
    let shown = preview(&crm, json!({"text": wsdl}), None).await;
    assert_eq!((&shown["title"], &shown["base_url"]), (&json!("CustomsGateway"), &json!("https://customs.example")));
    let operation = &shown["operations"][0]["operation"];
    assert_eq!(
        (&operation["action"], &operation["element"], &operation["path"]),
        (&json!("urn:c/GetDuty"), &json!("GetDuty"), &json!("/ws/duty"))
    );
    assert_eq!(
        operation["parameters"][1],
        json!({"name": "weight", "in": "variable", "required": false, "description": "", "schema": {"type": "number"}})
    );
    let curl = "curl -X PUT 'https://api.example/v1/users/42?dry=1' \\\n -H 'Authorization: Bearer sk-hidden' -H \"X-Mode: fast\" --data-raw '{\"name\":\"A\"}'";
    let shown = preview(&crm, json!({"text": curl}), None).await;
    assert!(!shown.to_string().contains("sk-hidden"), "{shown}");
    assert_eq!(
        (&shown["auth"]["type"], &shown["operations"][0]["operation"]["key"]),
        (&json!("bearer"), &json!("PUT /v1/users/{id}"))
    );
    let names: Vec<&str> = shown["operations"][0]["operation"]["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["id", "dry", "X-Mode", "body"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_document_is_refused_in_words() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let bomb = format!(
        "a0: &a0 [x]\n{}",
        (1..40).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", "))).collect::<String>()
    );
    for (text, told) in [
        ("", "empty"),
        ("hello", "no document known"),
        ("{\"a\": 1}", "neither OpenAPI nor Swagger"),
        ("{\"openapi\": \"4.0\"}", "3.0, 3.1 and Swagger 2"),
        ("{", "not valid JSON"),
        ("<a/>", "no WSDL"),
        ("curl", "names no URL"),
        (bomb.as_str(), "YAML"),
    ] {
        let (status, answer) = crm.try_to("POST", "/import/preview", &json!({"source": {"text": text}})).await;
        assert_eq!(status, 400, "{answer}");
        assert!(answer["detail"].as_str().unwrap().contains(told), "{text}: {answer}");
    }
    assert_eq!(crm.try_to("POST", "/import/preview", &json!({"source": {}})).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_of_a_wsdl_is_sent_with_its_attributes_in_the_order_of_its_sequence() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let document = include_str!("../../../src/formats/api/shop.wsdl");
    let shown = preview(&crm, json!({"text": document}), Some(&crm.id)).await;
    let rows = shown["operations"].as_array().unwrap();
    let put = rows.iter().find(|row| row["operation"]["name"] == "PutOrder").unwrap();
    let chosen = json!([{"operation": put["operation"], "risk": "low_write"}]);
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": chosen})).await;
    crm.activate().await;
    let answer =
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Resp/></e:Body></e:Envelope>";
    crm.system.plan(200, "Content-Type: text/xml", answer);
    let line = json!({"price": {"#text": 7.5, "@currency": "EUR"}, "@qty": 2, "sku": "a<b"});
    crm.call("catalog:crm.put_order", json!({"lines": [line], "color": "red"})).await;
    let sent = crm.system.asked().remove(0).body;
    let lines = "<lines qty=\"2\"><sku>a&lt;b</sku><price currency=\"EUR\">7.5</price></lines>";
    let wanted = format!("<color>red</color>{lines}");
    assert!(sent.contains(&wanted), "{sent}");
}
