//! What a document says arrives on the wire: forms in their encoding, headers, credentials, values of every shape.

use serde_json::{Value, json};

use super::Connected;

/// Takes a whole document in for the system, lets it be called and gives what the preview said.
async fn imported(crm: &Connected, text: &str) -> Value {
    let source = json!({"source": {"text": text}, "system_id": crm.id});
    let shown = crm.ask("POST", "/import/preview", &source).await;
    let rows = shown["operations"].as_array().unwrap();
    let all: Vec<Value> = rows.iter().map(|row| json!({"operation": row["operation"], "risk": "low_write"})).collect();
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": all})).await;
    crm.activate().await;
    shown
}

const SHOP: &str = "
openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /customers:
    post:
      operationId: addCustomer
      summary: Adds a customer.
      parameters:
        - {name: Accept, in: header, required: true, schema: {type: string, enum: [application/vnd.shop.v2+json]}}
        - {name: y, in: query, required: true, schema: {type: integer}}
      requestBody:
        content:
          application/x-www-form-urlencoded:
            encoding:
              metadata: {style: deepObject, explode: true}
              address: {style: deepObject, explode: true}
              items: {style: deepObject, explode: true}
              codes: {style: form, explode: false}
              raw: {contentType: application/json}
            schema:
              type: object
              properties:
                metadata: {type: object, additionalProperties: {type: string}}
                address: {allOf: [{$ref: '#/components/schemas/Address'}], nullable: true}
                items: {type: array, items: {type: object}}
                codes: {type: array, items: {type: string}}
                raw: {type: array, items: {type: integer}}
                expand: {type: array, items: {type: string}}
                name: {type: string, nullable: true}
  /users/{id}:
    get:
      operationId: получить
      summary: Получает.
  /find:
    post:
      operationId: find
      summary: Finds by an expression.
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Expr'}
components:
  schemas:
    Address: {type: object, properties: {city: {type: string}}}
    Expr: {oneOf: [{type: string}, {type: array, items: {$ref: '#/components/schemas/Expr'}}]}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_form_goes_out_in_the_encoding_of_each_field() {
    let crm = Connected::with(json!({"type": "none"})).await;
    imported(&crm, SHOP).await;
    let body = json!({
        "metadata": {"k": "v"}, "address": {"city": "X"}, "items": [{"price": "p", "at": [1, 2]}], "codes": ["a", "b"],
        "raw": [1], "expand": ["a", "b"], "name": null,
    });
    crm.call("catalog:crm.add_customer", json!({"y": 3, "body": body})).await;
    let sent = crm.system.asked().remove(0);
    assert_eq!(sent.target, "/api/customers?y=3");
    assert_eq!(sent.header("accept"), Some("application/vnd.shop.v2+json"));
    let mut pairs: Vec<String> =
        url::form_urlencoded::parse(sent.body.as_bytes()).map(|(k, v)| format!("{k}={v}")).collect();
    pairs.sort();
    let wanted = [
        "address[city]=X",
        "codes=a,b",
        "expand=a",
        "expand=b",
        "items[0][at][0]=1",
        "items[0][at][1]=2",
        "items[0][price]=p",
        "metadata[k]=v",
        "raw=[1]",
    ];
    assert_eq!(pairs, wanted);
    crm.call("catalog:crm.add_customer", json!({"y": 3, "body": {"address": null}})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_without_a_plain_name_is_called_after_its_place_and_a_schema_that_holds_itself_takes_what_it_may() {
    let crm = Connected::with(json!({"type": "none"})).await;
    imported(&crm, SHOP).await;
    crm.call("catalog:crm.get_users_id", json!({"id": "7"})).await;
    let expression = json!(["and", ["x", ["y"]]]);
    crm.call("catalog:crm.find", json!({"body": expression})).await;
    let asked = crm.system.asked();
    let sent: Vec<(&str, &str)> = asked.iter().map(|one| (one.target.as_str(), one.body.as_str())).collect();
    assert_eq!(sent, [("/api/users/7", ""), ("/api/find", r#"["and",["x",["y"]]]"#)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_credential_the_operations_ask_for_is_the_one_that_is_sent() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "A", "version": "1"},
        "components": {"securitySchemes": {
            "OAuth2PasswordBearer": {"type": "oauth2", "flows": {"password": {"scopes": {}, "tokenUrl": "token"}}},
            "APIKeyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }},
        "paths": {
            "/items": {"get": {"operationId": "items", "summary": "All items.", "security": [{"APIKeyHeader": []}]}},
            "/me": {"get": {"operationId": "me", "summary": "Who I am.", "security": [{"OAuth2PasswordBearer": []}]}},
            "/more": {"get": {"operationId": "more", "summary": "More.", "security": [{"APIKeyHeader": []}]}},
        },
    });
    let shown = imported(&crm, &document.to_string()).await;
    assert_eq!(shown["auth"], json!({"type": "api_key", "in": "header", "name": "X-API-Key"}));
    let told = |n: usize| shown["operations"][n]["operation"]["warnings"].to_string();
    assert!(told(1).contains("'OAuth2PasswordBearer', and the system's is 'APIKeyHeader'"), "{}", told(1));
    assert!(!told(0).contains("credential") && !told(2).contains("credential"));
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"auth": shown["auth"]})).await;
    crm.credentials(json!({"api_key": "k-123456"})).await;
    crm.call("catalog:crm.items", json!({})).await;
    assert_eq!(crm.system.asked()[0].header("x-api-key"), Some("k-123456"));
}

#[tokio::test(flavor = "multi_thread")]
async fn null_arrives_in_an_input_of_graphql() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let scalar = |name: &str| json!({"kind": "SCALAR", "name": name});
    let input = json!({"kind": "INPUT_OBJECT", "name": "In", "inputFields": [{"name": "age", "type": scalar("Int")}]});
    let change = json!({"name": "change", "description": "Changes.", "type": scalar("Boolean"),
        "args": [{"name": "input", "type": {"kind": "INPUT_OBJECT", "name": "In"}}]});
    let mutation = json!({"kind": "OBJECT", "name": "M", "fields": [change]});
    let document = json!({"__schema": {"mutationType": {"name": "M"}, "types": [mutation, input]}});
    imported(&crm, &document.to_string()).await;
    crm.system.plan(200, "Content-Type: application/json", r#"{"data": {"change": true}}"#);
    crm.call("catalog:crm.change", json!({"input": {"age": null}})).await;
    let sent: Value = serde_json::from_str(&crm.system.asked()[0].body).unwrap();
    assert_eq!(sent["variables"], json!({"input": {"age": null}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_of_graphql_may_be_null_or_left_out_for_its_default() {
    let crm = Connected::with(json!({"type": "none"})).await;
    let (text, number) = (json!({"kind": "SCALAR", "name": "String"}), json!({"kind": "SCALAR", "name": "Int"}));
    let must = |of: &Value| json!({"kind": "NON_NULL", "ofType": of});
    let args = json!([
        {"name": "id", "type": must(&text)}, {"name": "name", "type": text}, {"name": "note", "type": text},
        {"name": "times", "type": must(&number), "defaultValue": "5"},
    ]);
    let change = json!({"name": "setName", "description": "Sets it.", "type": text, "args": args});
    let mutation = json!({"kind": "OBJECT", "name": "M", "fields": [change]});
    let document = json!({"__schema": {"mutationType": {"name": "M"}, "types": [mutation]}});
    imported(&crm, &document.to_string()).await;
    crm.system.plan(200, "Content-Type: application/json", r#"{"data": {"setName": null}}"#);
    crm.call("catalog:crm.set_name", json!({"id": "7", "name": null})).await;
    let sent: Value = serde_json::from_str(&crm.system.asked()[0].body).unwrap();
    assert_eq!(sent["variables"], json!({"id": "7", "name": null}));
    let query = sent["query"].as_str().unwrap();
    assert!(
        query.starts_with("mutation setName($id: String!, $name: String, $note: String, $times: Int) {"),
        "{query}"
    );
}
