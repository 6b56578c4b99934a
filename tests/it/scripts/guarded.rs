//! Who keeps callers away with a permission or a risk is heard before that goes.

use serde_json::{Value, json};

use super::two::{Two, script};
use crate::support::chat::Person;

const GUARDS: &str = "// @risk destructive\n// @permission users:manage";

/// Two, and a script of Anna's with a first version for everybody and a second one for few.
async fn guarded() -> Two {
    let two = Two::start().await;
    two.publish("guarded", &script("guarded", "", "1")).await;
    two.publish("guarded", &script("guarded", GUARDS, "2")).await;
    two
}

#[tokio::test]
async fn nobody_publishes_without_a_permission_he_has_not_got() {
    let two = guarded().await;
    let open = script("guarded", "", "3");
    two.sam.do_it("PUT", "/api/scripts/guarded", json!({"source": open})).await;
    let all = json!(["without the permission users:manage", "risk read instead of destructive"]);
    for (way, body) in [("publish", json!({"accept": all})), ("rollback", json!({"version": 1, "accept": all}))] {
        let (status, refused) = two.sam.ask("POST", &format!("/api/scripts/guarded/{way}"), body).await;
        let said = refused["detail"].as_str().unwrap();
        assert_eq!(status, 403, "{refused}");
        assert!(said.contains("asks its callers for the permission 'users:manage'"), "{said}");
    }
    let other = script("guarded", "// @permission scripts:write\n// @risk destructive", "3");
    two.sam.do_it("PUT", "/api/scripts/guarded", json!({"source": other})).await;
    let (status, refused) = two.sam.ask("POST", "/api/scripts/guarded/publish", json!({})).await;
    assert_eq!(status, 403, "{refused}");
    // Nor does Sam try one out under its name, with its configuration and its hosts.
    let tried = two.sam_tries("guarded", &open).await;
    assert!(tried["error"].as_str().unwrap().contains("which you have not got yourself"), "{tried}");
    // Nor does Sam delete it to make room for another one under its name.
    let (status, refused) = two.sam.ask("DELETE", "/api/scripts/guarded", Value::Null).await;
    assert!(status == 403 && refused["detail"].as_str().unwrap().contains("somebody who has it may delete it"));
    assert_eq!(two.anna.do_it("GET", "/api/scripts/guarded", Value::Null).await["version"], 2);
    let (status, _) = two.sam.ask("POST", "/api/tools/guarded/invoke", json!({"params": {}})).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_permission_and_a_risk_that_go_must_be_agreed_to() {
    let two = guarded().await;
    let both = two.app.caller(&["scripts:write", "users:manage"]).await.username;
    let both = Person::sign_in(&two.app.satchel.url, &both).await;
    let publish = async |header: &str, accept: &Value| {
        both.do_it("PUT", "/api/scripts/guarded", json!({"source": script("guarded", header, "3")})).await;
        both.ask("POST", "/api/scripts/guarded/publish", json!({"accept": accept})).await
    };
    let (status, refused) = publish(GUARDS, &json!([])).await;
    assert_eq!(status, 200, "{refused}");
    for (header, all) in [
        ("", json!(["without the permission users:manage", "risk read instead of destructive"])),
        (
            "// @permission scripts:write\n// @risk low_write",
            json!(["permission scripts:write instead of users:manage", "risk low_write instead of destructive"]),
        ),
    ] {
        let (status, refused) = publish(header, &json!([all[0]])).await;
        assert_eq!((status, &refused["wider"]), (409, &all), "{refused}");
        let (status, live) = publish(header, &all).await;
        assert_eq!((status, &live["versions"][0]["wider"]), (200, &all), "{live}");
        publish(GUARDS, &json!([])).await;
    }
    let back = async |accept: Value| {
        both.ask("POST", "/api/scripts/guarded/rollback", json!({"version": 1, "accept": accept})).await
    };
    let (status, refused) = back(json!([])).await;
    assert_eq!((status, refused["wider"].as_array().unwrap().len()), (409, 2), "{refused}");
    assert_eq!(back(refused["wider"].clone()).await.0, 200);
}
