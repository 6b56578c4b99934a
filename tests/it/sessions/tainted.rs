//! Content from outside goes with what is asked and with what is answered.

use serde_json::json;

use super::stage::{begin, path, rests, runs, spawn};
use crate::support::{
    chat::Chat,
    fake_llm::{call, say},
    site::{Site, page},
};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tainted_conversation_begins_is_tainted() {
    let chat = Chat::start(vec![spawn("Help."), say("Over.")]).await;
    chat.llm.when("Help.", vec![say("Helped.")]);
    let conversation = chat.owner.conversation().await;
    chat.app.taint(conversation.rsplit('/').next().unwrap().parse().unwrap()).await;
    chat.owner.say(&conversation, "Begin.").await.rest().await;
    let child = runs(&chat.owner).await.remove(1);
    assert_eq!(chat.owner.view(&path(&child)).await["tainted_by"], "a page");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_session_that_has_read_from_outside_taints_its_parent() {
    for waits in [true, false] {
        let first = if waits { spawn("Search it.") } else { begin("Search it.") };
        let chat = Chat::start(vec![first, say("One."), say("Two.")]).await;
        let site = Site::new(&chat.app).await;
        site.put("/herons", [page("text/html", "<title>Herons</title><p>They wait.")]);
        let fetch = json!({"url": site.url("/herons")});
        chat.llm.when("Search it.", vec![call("web_fetch", fetch), say("At the weir.")]);
        let conversation = chat.owner.conversation().await;
        chat.owner.say(&conversation, "Begin.").await.rest().await;
        let view = rests(&chat.owner, &conversation, if waits { 3 } else { 5 }).await;
        assert_eq!(view["tainted"], true, "{waits}: {view}");
        let child = runs(&chat.owner).await.remove(1);
        assert_eq!(view["tainted_by"], chat.owner.view(&path(&child)).await["tainted_by"]);
    }
}
