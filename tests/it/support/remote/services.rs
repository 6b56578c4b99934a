//! Services over HTTP that somebody could really have: customers by REST, products by GraphQL, orders by SOAP.

use http::HeaderValue;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::http::{Remote, Reply, Seen, endless, json as answer, reply, stalling, trickling};

/// Customers. `/echo` tells what it was asked with; other paths misbehave as their names say.
pub async fn customers() -> Remote {
    Remote::start(customer).await
}

/// Answers as that service does.
pub fn customer(seen: &Seen) -> Reply {
    let (path, query) = seen.target.split_once('?').unwrap_or((&seen.target, ""));
    match path.strip_prefix("/api/v2").unwrap_or(path) {
        "/customers/1042" => answer(200, &json!({"id": 1042, "name": "Zoë Anders"})),
        "/customers" => answer(200, &json!({"count": 1, "query": query})),
        "/echo" => answer(200, &echo(seen)),
        "/csv" => reply(200, "text/csv", "name,city\nZoë,Bern\nAda,Rom\n"),
        "/xml" => reply(200, "application/xml", "<list><item id=\"1\">a</item><item id=\"2\">b</item></list>"),
        "/text" => reply(200, "text/plain; charset=iso-8859-1", &b"Gr\xfc\xdfe"[..]),
        "/empty" => reply(204, "text/plain", ""),
        "/photo" => reply(200, "image/png", &b"\x89PNG\r\n\x1a\n\0\0picture"[..]),
        "/leak" => reply(200, "application/octet-stream", format!("\0{}", seen.header("authorization"))),
        "/sensitive" => {
            let mut reply = answer(200, &json!({"ok": true}));
            reply.headers_mut().insert("set-cookie", HeaderValue::from_static("session=stolen"));
            reply.headers_mut().insert("x-request-id", HeaderValue::from_static("r-7"));
            reply
        }
        "/away" => {
            let mut reply = reply(302, "text/plain", "");
            reply.headers_mut().insert("location", HeaderValue::from_static("http://169.254.169.254/latest"));
            reply
        }
        "/refused" => answer(422, &json!({"error": "name is missing"})),
        "/stalls" => stalling("application/json"),
        "/trickles" => trickling("application/json"),
        "/endless" => endless("text/plain"),
        _ => answer(404, &json!({"error": "there is nothing here"})),
    }
}

fn echo(seen: &Seen) -> Value {
    let names = ["authorization", "x-api-key", "x-trace", "content-type", "soapaction"];
    let headers: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!(seen.header(name)))).collect();
    json!({"method": seen.method, "target": seen.target, "headers": headers, "body": seen.text()})
}

/// Products: `products`, `product(id)`, `secret` which fails, and the mutation `rename`.
pub async fn products() -> Remote {
    Remote::start(|seen| {
        let asked: Value = serde_json::from_slice(&seen.body).unwrap_or_default();
        let query = asked["query"].as_str().unwrap_or_default();
        let denied = json!([{"message": "not yours", "path": ["secret", 0]}]);
        let all = json!([{"id": 1, "name": "Tea", "price": 2.5}, {"id": 2, "name": "Cake", "price": 3.1}]);
        match query {
            query if query.contains("__schema") => answer(200, &json!({"data": {"__schema": {"types": []}}})),
            query if query.contains("partly") => answer(200, &json!({"data": {"products": all}, "errors": denied})),
            query if query.contains("secret") => answer(200, &json!({"data": null, "errors": denied})),
            query if query.contains("products") => answer(200, &json!({"data": {"products": all}})),
            query if query.contains("product(") => {
                let at = usize::try_from(asked["variables"]["id"].as_u64().unwrap()).unwrap() - 1;
                answer(200, &json!({"data": {"product": {"name": all[at]["name"]}}}))
            }
            query if query.contains("rename") => answer(200, &json!({"data": {"rename": asked["operationName"]}})),
            _ => answer(400, &json!({"errors": [{"message": "Cannot query that."}]})),
        }
    })
    .await
}

/// Orders, in one version of SOAP: `Status` tells, `Cancel` fails, `Note` answers nothing.
pub async fn orders(version: &'static str) -> Remote {
    Remote::start(move |seen| order(version, seen)).await
}

fn order(version: &str, seen: &Seen) -> Reply {
    let (media, namespace) = match version {
        "1.2" => ("application/soap+xml", "http://www.w3.org/2003/05/soap-envelope"),
        _ => ("text/xml", "http://schemas.xmlsoap.org/soap/envelope/"),
    };
    if !seen.header("content-type").starts_with(media) {
        return reply(415, "text/plain", "wrong version");
    }
    let envelope = |body: &str| {
        format!(
            "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"{namespace}\"><s:Header><trace>t-1</trace></s:Header>\
             <s:Body>{body}</s:Body></s:Envelope>"
        )
    };
    let text = seen.text();
    let action = seen.header("soapaction").trim_matches('"').to_owned();
    let action = if version == "1.2" { seen.header("content-type").to_owned() } else { action };
    let number = text.split("<number>").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default();
    if action.contains("#Cancel") {
        let fault = match version {
            "1.2" => {
                "<s:Fault><s:Code><s:Value>s:Sender</s:Value></s:Code><s:Reason><s:Text xml:lang=\"en\">Too \
                 late</s:Text></s:Reason><s:Detail><state>shipped</state></s:Detail></s:Fault>"
            }
            _ => {
                "<s:Fault><faultcode>s:Client</faultcode><faultstring>Too late</faultstring><detail><state>shipped\
                 </state></detail></s:Fault>"
            }
        };
        return reply(500, media, envelope(fault));
    }
    if action.contains("#Note") {
        return reply(202, media, "");
    }
    let told = format!(
        "<o:StatusResponse xmlns:o=\"urn:orders\"><number>{number}</number><state>shipped</state></o:StatusResponse>"
    );
    reply(200, media, envelope(&told))
}

/// A token server: `client_credentials` and `refresh_token`, a new token each time.
pub async fn tokens(expires_in: u64) -> Remote {
    let given = std::sync::atomic::AtomicUsize::new(0);
    Remote::start(move |seen| {
        let form: std::collections::HashMap<String, String> =
            form_urlencoded::parse(&seen.body).into_owned().collect();
        let is_known = seen.header("authorization") == "Basic Y2xpZW50LTE6Y2xpZW50LXNlY3JldC1jYW5hcnk=";
        if !is_known || form.get("grant_type").map(String::as_str) != Some("client_credentials") {
            return answer(401, &json!({"error": "invalid_client", "error_description": "who is that?"}));
        }
        let number = given.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        answer(
            200,
            &json!({"access_token": format!("access-token-{number}"), "token_type": "Bearer", "expires_in": expires_in}),
        )
    })
    .await
}
