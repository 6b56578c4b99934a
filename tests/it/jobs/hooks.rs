//! Webhooks: signed, in time, once; and what they carry is from outside.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use satchel::model::time::Time;
use serde_json::{Value, json};
use sha2::Sha256;

use super::desk::Desk;
use crate::support::http::{Answer, Request};

struct Hook {
    path: String,
    key: Vec<u8>,
    job: String,
}

impl Hook {
    async fn new(desk: &Desk, deed: &Value) -> Self {
        let made = desk.ask("POST", "/api/jobs", &json!({"name": "Hook", "when": {"webhook": {}}, "do": deed})).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let secret = text(&made["webhook"]["secret"]);
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        assert_eq!(made["when"]["webhook"]["path"], made["webhook"]["path"]);
        Self { path: text(&made["webhook"]["path"]), key, job: text(&made["id"]) }
    }

    fn request(&self, id: &str, at: Time, body: &[u8]) -> Request {
        let seconds = at.millis() / 1_000;
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).unwrap();
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        Request::new("POST", &self.path)
            .raw("application/json", body)
            .header("webhook-id", id)
            .header("webhook-timestamp", &seconds.to_string())
            .header("webhook-signature", &signature)
    }

    async fn call(&self, desk: &Desk, id: &str, body: &Value) -> Answer {
        let now = desk.server.app.satchel.app.clock.now();
        desk.server.send(self.request(id, now, body.to_string().as_bytes())).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_message_runs_the_job_once_and_counts_as_from_outside() {
    let desk = Desk::mara(&[]).await;
    let hook = Hook::new(&desk, &json!({"message": "A build ended"})).await;
    let taken = hook.call(&desk, "msg_1", &json!({"result": "green"})).await;
    assert_eq!(taken.status, 202, "{}", taken.text());
    desk.settle().await;
    let run = desk.runs(&hook.job).await[0].clone();
    assert_eq!((&run["state"], &run["cause"], &run["id"]), (&json!("done"), &json!("webhook"), &taken.json()["run"]));
    let notice = desk.notices().await[0].clone();
    assert_eq!(notice["text"], json!("A build ended\n\n{\"result\":\"green\"}"));
    assert_eq!(notice["origin"]["source"], json!("webhook: Hook"));
    let again = hook.call(&desk, "msg_1", &json!({"result": "green"})).await;
    assert_eq!(
        (again.status, again.problem()),
        (409, "This message was taken before: it does not run twice.".to_owned())
    );
    assert_eq!(desk.settle().await, 0);
    let seen = desk.ask("GET", &format!("/api/jobs/{}", hook.job), &Value::Null).await.to_string();
    assert!(!seen.contains("whsec_") && !seen.contains("secret"), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_now_or_too_large_is_refused_in_words() {
    let desk = Desk::mara(&[]).await;
    let hook = Hook::new(&desk, &json!({"message": "Tea"})).await;
    let now = desk.server.app.satchel.app.clock.now();
    let week = std::time::Duration::from_secs(7 * 86_400);
    let refused = async |request: Request| {
        let answer = desk.server.send(request).await;
        (answer.status, answer.problem())
    };
    let (status, told) = refused(hook.request("msg", now.before(week), b"{}")).await;
    assert_eq!(
        (status, told.as_str()),
        (401, "The time of the message is more than five minutes from ours: it is not taken.")
    );
    let (status, told) = refused(Request::post(&hook.path, &json!({}))).await;
    assert!(status == 401 && told.starts_with("Sign the message as Standard Webhooks has it"), "{status} {told}");
    let forged = Hook { key: vec![7; 24], path: hook.path.clone(), job: hook.job.clone() };
    let (status, told) = refused(forged.request("msg", now, b"{}")).await;
    assert!(status == 401 && told.starts_with("The signature does not fit"), "{status} {told}");
    let (status, told) = refused(hook.request("msg", now, &vec![b' '; 10 << 20])).await;
    assert_eq!((status, told.as_str()), (413, "The body is larger than 1 MB."));
    let nowhere = Hook { path: "/hooks/none".to_owned(), ..forged };
    assert_eq!(refused(nowhere.request("msg", now, b"{}")).await.0, 404);
    let large = json!({"text": "a".repeat(900_000)});
    assert_eq!(hook.call(&desk, "large", &large).await.status, 202);
    desk.ask("POST", &format!("/api/jobs/{}/pause", hook.job), &Value::Null).await;
    assert_eq!(hook.call(&desk, "paused", &json!({})).await.status, 409);
    desk.settle().await;
    assert_eq!(desk.states(&hook.job).await, ["done"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_takes_values_of_a_message_which_taint_its_call() {
    let desk = Desk::owner().await;
    let params = json!({"action": "add", "list": "builds", "item": {"$webhook": "/name"}});
    let hook = Hook::new(&desk, &json!({"tool": "list", "params": params})).await;
    assert_eq!(hook.call(&desk, "1", &json!({"name": "heron"})).await.status, 202);
    assert_eq!(hook.call(&desk, "2", &json!({})).await.status, 202);
    desk.settle().await;
    assert_eq!(desk.states(&hook.job).await, ["done", "failed"]);
    let told = desk.runs(&hook.job).await[0]["error"].clone();
    assert_eq!(told, json!("What the webhook carried has nothing at '/name'. Nothing ran."));
    let view = json!({"params": {"action": "view", "list": "builds"}});
    let list = desk.ask("POST", "/api/tools/list/invoke", &view).await;
    assert_eq!(list["data"]["items"][0]["text"], json!("heron"));
    assert_eq!(list["data"]["items"][0]["origin"]["source"], json!("webhook: Hook"), "{list}");
    // Even who may do everything is asked before that writes.
    let params = json!({"path": "a.txt", "content": {"$webhook": "/name"}});
    let write = Hook::new(&desk, &json!({"tool": "write", "params": params})).await;
    write.call(&desk, "1", &json!({"name": "heron"})).await;
    desk.settle().await;
    assert_eq!(desk.states(&write.job).await, ["waiting"]);
}
