//! Scripts of others: what they use of a caller's own is agreed to by each, once for each text.

use serde_json::{Value, json};

use crate::support::{app::TestApp, chat::Person};

const CLOCK: &str = "// @name city_clock\n// @description Tells the time.\n// @when Time.\n// @risk read\n\
                     // @uses recall_memories\nfn run(args) { tool(\"recall_memories\", #{query: \"herons\"}) }\n";
const WRITER: &str = "// @name note_maker\n// @description Notes.\n// @when Notes.\n// @risk read\n// @uses write\n\
                      fn run(args) { tool(\"write\", #{path: \"a.txt\", content: \"x\"}) }\n";

struct Two {
    app: TestApp,
    sam: Person,
    sam_name: String,
    anna: Person,
}

impl Two {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let (sam_name, anna) = (app.caller(&["scripts:write"]).await.username, app.caller(&["*"]).await.username);
        let url = &app.satchel.url;
        let (sam, anna) = (Person::sign_in(url, &sam_name).await, Person::sign_in(url, &anna).await);
        Self { app, sam, sam_name, anna }
    }

    /// Sam publishes a text, and agrees himself to all that it may do.
    async fn publish(&self, name: &str, text: &str) {
        self.sam.do_it("PUT", &format!("/api/scripts/{name}"), json!({"source": text})).await;
        let path = format!("/api/scripts/{name}/publish");
        let (status, told) = self.sam.ask("POST", &path, json!({})).await;
        if status != 200 {
            self.sam.do_it("POST", &path, json!({"accept": told["wider"]})).await;
        }
    }
}

async fn invoke(person: &Person, tool: &str, params: Value) -> (u16, Value) {
    person.ask("POST", &format!("/api/tools/{tool}/invoke"), json!({"params": params})).await
}

#[tokio::test]
async fn a_script_of_another_that_reads_ones_memories_asks_once_for_each_text() {
    let two = Two::start().await;
    two.publish("city_clock", CLOCK).await;
    let (status, answer) = invoke(&two.sam, "city_clock", json!({})).await;
    assert_eq!(status, 200, "its author is not asked: {answer}");
    let (status, asked) = invoke(&two.anna, "city_clock", json!({})).await;
    assert_eq!(status, 409, "{asked}");
    let wanted = format!("city_clock v1 by {} uses recall_memories: your memories.", two.sam_name);
    assert!(asked["reason"].as_str().unwrap().contains(&wanted), "{asked}");
    // Where nobody can be asked it is refused, with the same sentence.
    let within = json!({"tool_uses": [{"recipient_name": "city_clock", "parameters": {}}]});
    let (_, answer) = invoke(&two.anna, "parallel", within.clone()).await;
    assert_eq!(answer["data"]["ok"], false);
    assert!(answer["data"]["results"][0]["error"].as_str().unwrap().contains(&wanted), "{answer}");
    let path = format!("/api/tickets/{}", asked["ticket"].as_str().unwrap());
    let decided = two.anna.do_it("POST", &path, json!({"decision": "approve"})).await;
    assert_eq!(decided["result"]["success"], true, "{decided}");
    assert_eq!(invoke(&two.anna, "city_clock", json!({})).await.0, 200, "once is enough");
    assert_eq!(invoke(&two.anna, "parallel", within).await.1["data"]["ok"], true);
    let other = two.app.caller(&[]).await.username;
    let other = Person::sign_in(&two.app.satchel.url, &other).await;
    assert_eq!(invoke(&other, "city_clock", json!({})).await.0, 409, "her consent is hers alone");
    two.publish("city_clock", &CLOCK.replace("herons", "passwords")).await;
    let (status, asked) = invoke(&two.anna, "city_clock", json!({})).await;
    assert_eq!(status, 409, "another text is another question");
    assert!(asked["reason"].as_str().unwrap().contains("city_clock v2"), "{asked}");
}

#[tokio::test]
async fn a_tool_that_its_author_may_not_use_is_agreed_to_by_who_may() {
    let two = Two::start().await;
    two.publish("note_maker", WRITER).await;
    let (status, asked) = invoke(&two.anna, "note_maker", json!({})).await;
    assert_eq!(status, 409, "`*` does not lend itself to others unasked: {asked}");
    let wanted = format!("note_maker v1 by {0} uses write, which {0} may not use.", two.sam_name);
    assert!(asked["reason"].as_str().unwrap().contains(&wanted), "{asked}");
    let path = format!("/api/tickets/{}", asked["ticket"].as_str().unwrap());
    two.anna.do_it("POST", &path, json!({"decision": "deny"})).await;
    assert_eq!(invoke(&two.anna, "note_maker", json!({})).await.0, 409, "a no is not kept as a yes");
}
