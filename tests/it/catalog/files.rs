//! Documents that are written in several files, read along from their own host.

use serde_json::{Value, json};

use super::Connected;
use crate::support::remote::http::{Remote, Reply, Seen, reply};

/// The files of a host, each under its path and query.
async fn host(files: &'static [(&'static str, &'static str)]) -> Remote {
    Remote::start(move |seen: &Seen| -> Reply {
        let found = files.iter().find(|(path, _)| *path == seen.target);
        found.map_or_else(|| reply(404, "text/plain", "none"), |(_, text)| reply(200, "text/plain", *text))
    })
    .await
}

async fn preview(crm: &Connected, remote: &Remote, path: &str) -> Value {
    let both = [crm.system.address, remote.address].map(|one| one.to_string());
    crm.server.app.set(json!({"outbound": {"exceptions": both}})).await;
    let url = format!("http://{}{path}", remote.address);
    crm.ask("POST", "/import/preview", &json!({"source": {"url": url}})).await
}

fn operation<'a>(shown: &'a Value, name: &str) -> &'a Value {
    let rows = shown["operations"].as_array().unwrap();
    &rows.iter().find(|row| row["operation"]["name"] == name).unwrap()["operation"]
}

const PETS: &[(&str, &str)] = &[
    (
        "/v1/openapi.yaml",
        "\
openapi: 3.0.3
info: {title: Pets, version: '1'}
servers: [{url: /v1}]
paths:
  /pets: {$ref: 'paths/pets.yaml'}
  /away: {get: {operationId: away, summary: A., parameters: [{$ref: 'http://localhost:9/x.yaml#/P'}]}}
  /lost: {get: {operationId: lost, summary: L., parameters: [{$ref: 'lost.yaml#/P'}]}}
components:
  schemas:
    Name: {type: string, minLength: 2}
",
    ),
    (
        "/v1/paths/pets.yaml",
        "\
post:
  operationId: addPet
  summary: Adds a pet.
  parameters: [{$ref: '../common.json?v=2#/parameters/Trace'}]
  requestBody: {content: {application/json: {schema: {$ref: '../common.json?v=2#/schemas/Pet'}}}}
",
    ),
    (
        "/v1/common.json?v=2",
        r##"{
  "parameters": {"Trace": {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}},
  "schemas": {"Pet": {"type": "object", "required": ["name"], "properties": {
    "name": {"$ref": "openapi.yaml#/components/schemas/Name"}, "mother": {"$ref": "#/schemas/Pet"}}}}
}"##,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn openapi_in_several_files_is_one_document() {
    let (crm, remote) = (Connected::with(json!({"type": "none"})).await, host(PETS).await);
    let shown = preview(&crm, &remote, "/v1/openapi.yaml").await;
    let [trace, body] = operation(&shown, "addPet")["parameters"].as_array().unwrap().as_slice() else { panic!() };
    assert_eq!((&trace["name"], &trace["in"]), (&json!("X-Trace"), &json!("header")));
    let pet = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "minLength": 2}, "mother": {"type": "object"}}});
    assert_eq!(body["schema"], pet);
    let told = shown["warnings"].to_string();
    assert!(told.contains("another host, which is not read: 'http://localhost:9/x.yaml'"), "{told}");
    assert!(told.contains("/v1/lost.yaml is missing: '127.0.0.1' answered 404"), "{told}");
    assert!(operation(&shown, "lost")["warnings"].to_string().contains("'lost.yaml#/P', which is not in"), "{shown}");
    // As a text they cannot be found.
    let pasted = crm.ask("POST", "/import/preview", &json!({"source": {"text": PETS[0].1}})).await;
    assert!(pasted["warnings"].to_string().contains("import it by its address"), "{pasted}");
}

/// As WCF writes it: contract, messages and data each in a file and a namespace of their own.
const ORDERS: &[(&str, &str)] = &[
    (
        "/Orders.svc?wsdl",
        r#"<wsdl:definitions name="Orders" targetNamespace="urn:bindings" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:i0="http://tempuri.org/">
<wsdl:import namespace="http://tempuri.org/" location="?wsdl=wsdl0"/>
<wsdl:binding name="B" type="i0:IOrders"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><wsdl:operation name="Place"><soap:operation soapAction="http://tempuri.org/IOrders/Place"/><wsdl:input><soap:header message="i0:Place_Headers" part="Session" use="literal"/><soap:body use="literal"/></wsdl:input></wsdl:operation></wsdl:binding>
<wsdl:service name="Orders"><wsdl:port name="P" binding="B"><soap:address location="http://127.0.0.1:9/Orders.svc"/></wsdl:port></wsdl:service></wsdl:definitions>"#,
    ),
    (
        "/Orders.svc?wsdl=wsdl0",
        r#"<wsdl:definitions targetNamespace="http://tempuri.org/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:tns="http://tempuri.org/" xmlns:d="urn:data" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
<wsdl:types><xsd:schema targetNamespace="http://tempuri.org/Imports"><xsd:import schemaLocation="?xsd=xsd0" namespace="http://tempuri.org/"/><xsd:import schemaLocation="?xsd=xsd1" namespace="urn:data"/></xsd:schema></wsdl:types>
<wsdl:message name="Place_In"><wsdl:part name="parameters" element="tns:Place"/></wsdl:message><wsdl:message name="Place_Headers"><wsdl:part name="Session" element="d:Session"/></wsdl:message>
<wsdl:portType name="IOrders"><wsdl:operation name="Place"><wsdl:documentation>Places an order.</wsdl:documentation><wsdl:input message="tns:Place_In"/></wsdl:operation></wsdl:portType></wsdl:definitions>"#,
    ),
    (
        "/Orders.svc?xsd=xsd0",
        r#"<xs:schema elementFormDefault="qualified" targetNamespace="http://tempuri.org/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:q="urn:data"><xs:import namespace="urn:data"/>
<xs:element name="Place"><xs:complexType><xs:sequence><xs:element minOccurs="0" name="order" nillable="true" type="q:Order"/><xs:element name="coupon" nillable="true" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema>"#,
    ),
    (
        "/Orders.svc?xsd=xsd1",
        r#"<xs:schema elementFormDefault="qualified" targetNamespace="urn:data" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="urn:data"><xs:include schemaLocation="/lines.xsd"/>
<xs:complexType name="Order"><xs:sequence><xs:element name="Lines" type="tns:Line" maxOccurs="unbounded"/><xs:element minOccurs="0" name="Note" nillable="true" type="xs:string"/></xs:sequence></xs:complexType>
<xs:element name="Session"><xs:complexType><xs:sequence><xs:element name="Id" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema>"#,
    ),
    // Without a namespace of its own: it has that of who includes it.
    (
        "/lines.xsd",
        r#"<xs:schema elementFormDefault="qualified" xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:complexType name="Line"><xs:sequence><xs:element name="Sku" type="xs:string"/><xs:element name="Qty" type="xs:int"/></xs:sequence><xs:attribute ref="xml:lang"/></xs:complexType></xs:schema>"#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_wsdl_in_several_files_is_called_in_the_namespaces_of_each() {
    let (crm, remote) = (Connected::with(json!({"type": "none"})).await, host(ORDERS).await);
    let shown = preview(&crm, &remote, "/Orders.svc?wsdl").await;
    assert_eq!(shown["warnings"], json!([]), "{shown}");
    let mut place = operation(&shown, "Place").clone();
    assert_eq!(place["warnings"], Value::Null, "{place}");
    place["path"] = json!("/Orders.svc");
    let chosen = json!([{"operation": place, "risk": "low_write"}]);
    crm.ask("POST", "/import/apply", &json!({"system_id": crm.id, "operations": chosen})).await;
    crm.activate().await;
    let answer =
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Placed/></e:Body></e:Envelope>";
    crm.system.plan(200, "Content-Type: text/xml", answer);
    let line = json!({"Qty": 2, "Sku": "a", "@lang": "de"});
    let order = json!({"Note": null, "Lines": [line]});
    crm.call("catalog:crm.place", json!({"order": order, "coupon": null, "Session": {"Id": "s1"}})).await;
    let sent = crm.system.asked().remove(0).body;
    let nil = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"";
    let lines = "<Lines xml:lang=\"de\"><Sku>a</Sku><Qty>2</Qty></Lines>";
    let order = format!("<order>{lines}<Note {nil}></Note></order>").replace("<Lines", "<Lines xmlns=\"urn:data\"");
    let order = order.replace("<Note", "<Note xmlns=\"urn:data\"");
    let header = "<soap:Header><Session xmlns=\"urn:data\"><Id>s1</Id></Session></soap:Header>";
    let place = format!("<Place xmlns=\"http://tempuri.org/\">{order}<coupon {nil}></coupon></Place>");
    assert!(sent.ends_with(&format!("{header}<soap:Body>{place}</soap:Body></soap:Envelope>")), "{sent}");
    // Callers are told of the values, not of their namespaces.
    let registry = crm.server.app.satchel.invoker.registry();
    let schema = registry.find("catalog:crm.place").unwrap().tool.spec().parameters.document().to_string();
    assert!(schema.contains("Sku") && !schema.contains("urn:data"), "{schema}");
}

const BARE: &[(&str, &str)] = &[
    (
        "/api/openapi.json",
        r#"{"openapi": "3.1.0", "paths": {"/items": {"get": {"operationId": "items", "summary": "All."}}}}"#,
    ),
    (
        "/docs",
        "<!DOCTYPE html><html><head><link rel=x></head><script>SwaggerUIBundle({url: '/api/openapi.json'})</script>",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_document_without_servers_is_for_its_own_host_and_a_page_names_its_document() {
    let (crm, remote) = (Connected::with(json!({"type": "none"})).await, host(BARE).await);
    let shown = preview(&crm, &remote, "/api/openapi.json").await;
    assert_eq!(shown["base_url"], format!("http://{}", remote.address));
    assert!(!shown["warnings"].to_string().contains("base URL"), "{}", shown["warnings"]);
    let page = json!({"source": {"url": format!("http://{}/docs", remote.address)}});
    let (status, answer) = crm.try_to("POST", "/import/preview", &page).await;
    let told = answer["detail"].as_str().unwrap();
    assert!(status == 400 && told.contains("web page that shows the document '/api/openapi.json'"), "{told}");
}
