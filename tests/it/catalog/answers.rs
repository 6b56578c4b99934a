//! The answers of systems: files, redirects, limits, pages and lists that go on elsewhere.

use serde_json::{Value, json};

use super::Connected;

async fn with_endpoints() -> Connected {
    let crm = Connected::with(json!({"type": "none"})).await;
    crm.endpoint(json!({"name": "Get", "path": "/photos/{id}"})).await;
    crm.endpoint(json!({"name": "Add", "path": "/photos", "method": "POST", "risk": "low_write"})).await;
    crm.ask("PATCH", &format!("/systems/{}", crm.id), &json!({"retries": 0})).await;
    crm.activate().await;
    crm
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_no_text_is_a_file_whichever_tool_asked_for_it() {
    let crm = with_endpoints().await;
    crm.system.plan(200, "Content-Type: image/png", "\0picture");
    let answer = crm.call("catalog:crm.get", json!({"id": "cat.png"})).await;
    assert_eq!((&answer["format"], &answer["bytes"]), (&json!("binary"), &json!(8)));
    let path = answer["body"]["file"].as_str().unwrap();
    assert!(path.ends_with("downloads/cat.png"), "{answer}");
    let app = &crm.server.app.satchel.app;
    let files = app.files_of(crm.owner().await.caller.user).unwrap();
    assert_eq!(files.read_up_to(path, 100).await.unwrap(), b"\0picture");
    crm.system.plan(500, "Content-Type: image/png", "\0picture");
    assert_eq!(crm.refused("catalog:crm.get", json!({"id": "cat.png"})).await, "CRM answered 500.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_no_success_but_for_the_place_to_look_after_a_write() {
    let crm = with_endpoints().await;
    for status in [301, 302, 307, 308] {
        crm.system.plan(status, "Location: /v2/photos", "gone there");
        let told = crm.refused("catalog:crm.add", json!({})).await;
        let wanted = format!("CRM answered {status}, moved to '/v2/photos': nothing was done. Correct the path.");
        assert_eq!(told, wanted);
    }
    crm.system.plan(302, "Location: https://files.example/x", "");
    let told = crm.refused("catalog:crm.get", json!({"id": "1"})).await;
    assert!(told.contains("moved to 'https://files.example/x', which is not followed"), "{told}");
    crm.system.plan(303, "Location: /photos/7", "");
    let done = crm.call("catalog:crm.add", json!({})).await;
    assert_eq!((&done["status"], &done["headers"]["location"]), (&json!(303), &json!("/photos/7")));
    crm.system.plan(303, "Location: /login", "");
    assert!(crm.refused("catalog:crm.get", json!({"id": "1"})).await.contains("answered 303"));
    assert_eq!(crm.system.asked().len(), 7, "none is followed");
    let endpoints = crm.ask("GET", &format!("/systems/{}/endpoints", crm.id), &Value::Null).await;
    let add = endpoints.as_array().unwrap().iter().find(|one| one["slug"] == "add").unwrap()["id"].clone();
    crm.system.plan(307, "Location: /v2/photos", "");
    let trial = crm.ask("POST", &format!("/endpoints/{}/test", add.as_str().unwrap()), &json!({"arguments": {}})).await;
    assert_eq!((&trial["ok"], &trial["status"]), (&json!(false), &json!(307)));
    assert!(trial["message"].as_str().unwrap().contains("moved to '/v2/photos'"), "{trial}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_when_to_come_back_and_a_page_is_told_by_its_text() {
    let crm = with_endpoints().await;
    crm.system.plan(429, "Retry-After: 30", "slow down");
    let told = crm.refused("catalog:crm.add", json!({})).await;
    assert_eq!(told, "CRM answered 429 (try again in 30 s): slow down");
    let page = "<!DOCTYPE html><html><head><title>Oops</title><style>p{color:red}</style></head><body><p>The database\n\
                <b>is away</b>.</p><script>track()</script></body></html>";
    crm.system.plan(500, "Content-Type: text/html; charset=utf-8", page);
    let told = crm.refused("catalog:crm.add", json!({})).await;
    assert!(told.contains("The database is away") && !told.contains('<') && !told.contains("track"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_list_goes_on_is_shown() {
    let crm = with_endpoints().await;
    let head = "Content-Type: application/json\nLink: </a?page=2>; rel=\"next\"\nLink: </a?page=9>; rel=\"last\"\n\
                Content-Range: items 0-9/90\nX-Next-Page: 2\nX-Total: 90\nX-Secret: 1";
    crm.system.plan(206, head, "[]");
    let answer = crm.call("catalog:crm.get", json!({"id": "1"})).await;
    let wanted = json!({"content-type": "application/json", "link": "</a?page=2>; rel=\"next\", </a?page=9>; rel=\"last\"",
        "content-range": "items 0-9/90", "x-next-page": "2", "x-total": "90"});
    assert_eq!(answer["headers"], wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_not_allowed_is_told_with_one_remedy() {
    let crm = with_endpoints().await;
    crm.server.app.set(json!({"outbound": {"exceptions": []}})).await;
    let told = crm.refused("catalog:crm.get", json!({"id": "1"})).await;
    assert_eq!(told.matches("An administrator can allow").count(), 1, "{told}");
    assert!(told.contains("outbound exceptions"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pasted_as_a_token_is_sent_as_one_and_what_is_none_is_refused() {
    let crm = Connected::with(json!({"type": "bearer"})).await;
    crm.endpoint(json!({"name": "Get", "path": "/a"})).await;
    crm.activate().await;
    crm.credentials(json!({"token": "Authorization: Bearer t-123456"})).await;
    crm.call("catalog:crm.get", json!({})).await;
    assert_eq!(crm.system.asked()[0].header("authorization"), Some("Bearer t-123456"));
    let path = format!("/systems/{}/credentials", crm.id);
    let (status, answer) = crm.try_to("PUT", &path, &json!({"token": "Token t-123456"})).await;
    assert!(status == 400 && answer["detail"].as_str().unwrap().contains("no spaces"), "{answer}");
}
