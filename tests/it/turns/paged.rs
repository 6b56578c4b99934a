//! Conversations larger than a page: sent in pages as they are whole, and without what was attached where nobody asked for it.

#![expect(clippy::disallowed_methods, reason = "puts a file where a tool finds it")]

use satchel::{
    model::{
        conversation::{ConversationId, MessageId},
        error::Kind,
        user::UserId,
    },
    store::turns::{AttachmentData, PageMark, Turns, ViewPage},
};
use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, picture},
    fake_llm::{call, say},
};

/// Says something, with a picture of so many bytes attached.
async fn attach(chat: &Chat, conversation: &str, name: &str, bytes: usize) {
    let one = json!({"mime": "image/png", "name": name, "data": picture(bytes)});
    let body = json!({"content": format!("Look at {name}."), "attachments": [one]});
    chat.owner.post(&format!("{conversation}/messages"), body).await.rest().await;
}

/// The pages of a conversation.
struct Pages {
    turns: Turns,
    user: UserId,
    id: ConversationId,
}

impl Pages {
    async fn new(chat: &Chat, conversation: &str) -> Self {
        let id = conversation.rsplit('/').next().unwrap().parse().unwrap();
        Self { turns: Turns::new(&chat.app.satchel.app.db), user: chat.app.owner().await.caller.user, id }
    }

    async fn page(&self, after: Option<PageMark>, data: AttachmentData) -> satchel::model::error::Result<ViewPage> {
        self.turns.page(self.user, self.id, after, data).await
    }

    /// The messages of each page, and the last page's turn.
    async fn all(&self, data: AttachmentData) -> (Vec<Vec<MessageId>>, Value) {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let page = self.page(after, data).await.unwrap();
            all.push(page.messages.iter().map(|message| message.id).collect());
            match page.next {
                Some(mark) => after = Some(mark),
                None => return (all, json!(page.turn)),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_conversation_is_sent_in_pages_as_it_is_whole() {
    let sum = call("calculator", json!({"expression": "6 * 7"}));
    let chat = Chat::start(vec![say("One."), sum, say("Two \"quoted\"."), say("Three."), say("Three again.")]).await;
    let conversation = chat.owner.conversation().await;
    for name in ["a.png", "b.png", "c.png"] {
        attach(&chat, &conversation, name, 2_500_000).await;
    }
    chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    let pages = Pages::new(&chat, &conversation).await;
    let view = chat.app.satchel.agent.view(pages.user, pages.id).await.unwrap();
    let ids: Vec<MessageId> = view.messages.iter().map(|message| message.id).collect();
    let (read, turn) = pages.all(AttachmentData::Read).await;
    assert_eq!((read.iter().map(Vec::len).collect::<Vec<_>>(), read.concat()), (vec![2, 3, 2], ids.clone()));
    assert_eq!(turn, json!(view.turn));
    assert_eq!(pages.all(AttachmentData::LeftOut).await.0, [ids]);
    let sent = String::from_utf8(chat.owner.bytes(&conversation).await).unwrap();
    assert!(sent == serde_json::to_string(&view).unwrap(), "{} bytes", sent.len());
    let sent: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!((&sent["messages"][5]["former"], &sent["messages"][6]["text"]), (&json!(1), &json!("Three again.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_attached_is_read_for_those_who_ask_for_it_alone() {
    let chat = Chat::start(vec![say("One."), say("Two.")]).await;
    let conversation = chat.owner.conversation().await;
    attach(&chat, &conversation, "a.png", 1_000).await;
    let no_text = "UPDATE attachments SET data = CAST(x'ff' AS TEXT)";
    assert_eq!(chat.app.satchel.app.db.write(move |tx| tx.run(no_text, ())).await.unwrap(), 1);
    let last =
        chat.app.satchel.app.db.read(|tx| tx.one::<String>("SELECT id FROM messages ORDER BY seq DESC", ())).await;
    let chat = chat.restart().await;
    assert_eq!(chat.owner.ask("GET", &conversation, Value::Null).await.0, 500);
    let events = chat.owner.follow(&conversation, None).await.rest().await;
    assert_eq!(events.last().unwrap().data, json!({"message_id": last.unwrap(), "state": "done"}));
    let export = String::from_utf8(chat.owner.bytes(&format!("{conversation}/export")).await).unwrap();
    assert!(export.contains("_Attached: a.png (image/png)_") && export.contains("> One."), "{export}");
    let branch = json!({"message_id": events.last().unwrap().data["message_id"]});
    assert_eq!(chat.owner.ask("POST", &format!("{conversation}/branch"), branch).await.0, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_turn_that_was_answered_anew_end() {
    let read = call("read", json!({"path": "file"}));
    let chat = Chat::start(vec![read, say("Long."), say("Short.")]).await;
    let files = chat.app.satchel.app.files_of(chat.app.owner().await.caller.user).unwrap();
    std::fs::write(files.workspace().join("file"), "x".repeat(4_100_000)).unwrap();
    let conversation = chat.owner.conversation().await;
    attach(&chat, &conversation, "a.png", 5_000_000).await;
    let pages = Pages::new(&chat, &conversation).await;
    let lengths: Vec<usize> = pages.all(AttachmentData::Read).await.0.iter().map(Vec::len).collect();
    assert_eq!(lengths, [1, 1, 1]);
    let question = pages.page(None, AttachmentData::Read).await.unwrap().next;
    assert!(pages.page(question, AttachmentData::Read).await.is_ok());
    chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await;
    let gone = pages.page(question, AttachmentData::Read).await.unwrap_err();
    assert_eq!(gone.kind(), Kind::Conflict);
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    let gone = pages.page(question, AttachmentData::Read).await.unwrap_err();
    assert_eq!(gone.kind(), Kind::NotFound);
}
