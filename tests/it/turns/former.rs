//! An answer that gave way to a later one: shown beside it, and read by no model.

use rusqlite::Connection;
use satchel::store::dir;
use serde_json::{Value, json};

use crate::support::{
    chat::{Chat, text},
    fake_llm::{call, refuse, say},
};

/// Asks the last question again and gives what is said.
async fn again(chat: &Chat, conversation: &str) -> String {
    text(&chat.owner.post(&format!("{conversation}/regenerate"), Value::Null).await.rest().await)
}

/// The messages of a conversation.
async fn messages(chat: &Chat, conversation: &str) -> Vec<Value> {
    chat.owner.view(conversation).await["messages"].as_array().unwrap().clone()
}

/// The former answers of the first question, one by one.
async fn former(chat: &Chat, conversation: &str) -> Vec<Value> {
    let question = messages(chat, conversation).await[0].clone();
    let path = format!("{conversation}/messages/{}/former", question["id"].as_str().unwrap());
    let mut answers = Vec::new();
    for number in 1..=question["former"].as_u64().unwrap() {
        answers.push(chat.owner.do_it("GET", &format!("{path}/{number}"), Value::Null).await);
    }
    for number in [0, answers.len() + 1] {
        assert_eq!(chat.owner.ask("GET", &format!("{path}/{number}"), Value::Null).await.0, 404, "{number}");
    }
    answers
}

#[tokio::test]
async fn answers_that_gave_way_are_shown_whole_and_no_model_reads_them() {
    let sum = call("calculator", json!({"expression": "6 * 7"}));
    let chat = Chat::start(vec![sum, say("Forty-two."), say("Not forty."), say("Many."), say("Nothing else.")]).await;
    let (conversation, _) = chat.owner.turn("6 * 7?").await;
    let first = messages(&chat, &conversation).await;
    assert_eq!((&first[0]["former"], former(&chat, &conversation).await), (&json!(0), Vec::new()));
    assert_eq!(again(&chat, &conversation).await, "Not forty.");
    let second = messages(&chat, &conversation).await;
    assert_eq!((&second[0]["former"], &second[0]["id"]), (&json!(1), &first[0]["id"]));
    assert_eq!(former(&chat, &conversation).await, [json!({"messages": first[1..]})]);
    assert_eq!(again(&chat, &conversation).await, "Many.");
    let both = [json!({"messages": first[1..]}), json!({"messages": second[1..]})];
    assert_eq!(former(&chat, &conversation).await, both);
    chat.owner.say(&conversation, "And what else?").await.rest().await;
    assert_eq!(former(&chat, &conversation).await, both);
    let told = chat.llm.body(4)["messages"].to_string();
    assert!(told.contains("Many.") && !told.contains("orty"), "{told}");
    assert_eq!(chat.owner.do_it("GET", "/api/conversations?search=forty", Value::Null).await, json!([]));
}

/// Asks the last question again in other words and gives what is said.
async fn reworded(chat: &Chat, conversation: &str, content: &str) -> String {
    let body = json!({ "content": content });
    text(&chat.owner.post(&format!("{conversation}/regenerate"), body).await.rest().await)
}

#[tokio::test]
async fn a_question_in_other_words_is_asked_in_place_and_former_answers_keep_the_words_they_were_given_to() {
    let chat = Chat::start(vec![say("Blue."), say("Azure."), say("Red."), say("Green.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    assert_eq!(again(&chat, &conversation).await, "Azure.");
    assert_eq!(reworded(&chat, &conversation, "Which warm colour?").await, "Red.");
    assert_eq!(reworded(&chat, &conversation, "Which warm colour?").await, "Green.");
    let now = messages(&chat, &conversation).await;
    assert_eq!((now.len(), &now[0]["text"], &now[1]["text"]), (2, &json!("Which warm colour?"), &json!("Green.")));
    let said: Vec<_> = former(&chat, &conversation)
        .await
        .iter()
        .map(|one| (one["question"].clone(), one["messages"][0]["text"].clone()))
        .collect();
    let old = json!("Which colour?");
    assert_eq!(said, [(old.clone(), json!("Blue.")), (old, json!("Azure.")), (Value::Null, json!("Red."))]);
    let told = chat.llm.body(3)["messages"].to_string();
    assert!(told.contains("Which warm colour?") && !told.contains("Which colour?"), "{told}");
    for content in ["", " \n"] {
        let path = format!("{conversation}/regenerate");
        assert_eq!(chat.owner.ask("POST", &path, json!({ "content": content })).await.0, 400, "{content:?}");
    }
    assert_eq!(messages(&chat, &conversation).await, now);
}

#[tokio::test]
async fn a_branch_and_an_export_have_the_answer_that_stands() {
    let chat = Chat::start(vec![say("Blue."), say("Red.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    again(&chat, &conversation).await;
    let export = String::from_utf8(chat.owner.bytes(&format!("{conversation}/export")).await).unwrap();
    assert!(export.contains("Red.") && !export.contains("Blue."), "{export}");
    assert!(export.contains("_A former answer to this is left out._"), "{export}");
    let last = messages(&chat, &conversation).await[1]["id"].clone();
    let branch = chat.owner.do_it("POST", &format!("{conversation}/branch"), json!({"message_id": last})).await;
    let branch = format!("/api/conversations/{}", branch["id"].as_str().unwrap());
    assert_eq!(messages(&chat, &branch).await[0]["former"], 0);
    assert_eq!(former(&chat, &branch).await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_oldest_of_many_former_answers_give_way() {
    let chat = Chat::start((0..23).map(|n| say(&format!("Answer {n}."))).collect()).await;
    let (conversation, _) = chat.owner.turn("How often?").await;
    for n in 1..23 {
        assert_eq!(again(&chat, &conversation).await, format!("Answer {n}."));
    }
    let texts: Vec<Value> =
        former(&chat, &conversation).await.iter().map(|one| one["messages"][0]["text"].clone()).collect();
    assert_eq!(texts, (2..22).map(|n| json!(format!("Answer {n}."))).collect::<Vec<_>>());
    assert_eq!(messages(&chat, &conversation).await[0]["former"], 20);
}

#[tokio::test]
async fn a_turn_that_said_nothing_leaves_no_former_answer() {
    let chat = Chat::start(vec![refuse(400), say("Now.")]).await;
    let (conversation, _) = chat.owner.turn("Hello?").await;
    assert_eq!(again(&chat, &conversation).await, "Now.");
    assert_eq!(messages(&chat, &conversation).await[0]["former"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_answer_cites_what_a_document_says_until_it_is_deleted() {
    const RULE: &str = "A failed ACH transfer is retried once after two business days.";
    let chat = Chat::start(vec![say("After two business days [1]."), say("Soon.")]).await;
    let document = chat.owner.add_text("Payments", RULE).await;
    let (conversation, _) = chat.owner.turn("When is a failed ACH transfer retried?").await;
    again(&chat, &conversation).await;
    let cited = former(&chat, &conversation).await[0]["messages"][0]["citations"].clone();
    assert_eq!((&cited[0]["number"], &cited[0]["text"]), (&json!(1), &json!(RULE)));
    chat.owner.do_it("DELETE", &format!("/api/knowledge/documents/{document}"), Value::Null).await;
    let cited = former(&chat, &conversation).await[0]["messages"][0]["citations"].clone();
    assert_eq!((&cited[0]["title"], &cited[0]["text"]), (&json!("Payments"), &json!("")));
}

#[tokio::test]
async fn former_answers_go_with_their_conversation() {
    let chat = Chat::start(vec![say("Blue."), say("Red.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    again(&chat, &conversation).await;
    let kept = || {
        let c = Connection::open(dir::database(chat.app.dir.path())).unwrap();
        c.query_row("SELECT count(*) FROM former_answers", (), |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(kept(), 1);
    chat.owner.do_it("DELETE", &conversation, Value::Null).await;
    assert_eq!(kept(), 0);
}

#[tokio::test]
async fn what_is_no_message_of_the_conversation_has_no_former_answers() {
    let chat = Chat::start(vec![say("Blue."), say("Red."), say("Hello.")]).await;
    let (conversation, _) = chat.owner.turn("Which colour?").await;
    again(&chat, &conversation).await;
    let (elsewhere, _) = chat.owner.turn("Hello?").await;
    let message = messages(&chat, &conversation).await[0]["id"].clone();
    let path = |conversation: &str| format!("{conversation}/messages/{}/former/1", message.as_str().unwrap());
    assert_eq!(chat.owner.ask("GET", &path(&conversation), Value::Null).await.0, 200);
    assert_eq!(chat.owner.ask("GET", &path(&elsewhere), Value::Null).await.0, 404);
}
