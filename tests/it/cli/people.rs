//! `satchel user` and `satchel key`.

use serde_json::{Value, json};

use super::told::{done, either_way, failed};
use crate::support::{
    chat::Person,
    program::{Home, Told, With},
};

async fn typing(home: &Home, words: &[&str], stdin: &str) -> Told {
    home.run_with(words, With { stdin, env: &[] }).await
}

fn column(rows: &Value, name: &str) -> Vec<String> {
    let cells = rows.as_array().unwrap().iter().map(|row| &row[name]);
    cells.map(|cell| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned)).collect()
}

#[tokio::test]
async fn a_user_is_added_listed_and_given_a_new_password() {
    either_way(async |home| {
        let add = ["user", "add", "ada", "--role", "operator"];
        assert_eq!(typing(home, &add, "her first password\n").await, done("Added ada as operator.\n"));
        assert_eq!(typing(home, &add, "her first password\n").await.code, 1, "the name is taken");
        assert_eq!(typing(home, &["user", "add", "bob"], "his first password").await, done("Added bob as viewer.\n"));
        let passwd = typing(home, &["user", "passwd", "ADA"], "correct horse\n").await;
        assert_eq!(passwd, done("ada has a new password. All sessions have ended.\n"));
        let users = home.json(&["user", "list"]).await;
        assert_eq!(column(&users, "username"), ["ada", "bob", "owner"]);
        assert_eq!(column(&users, "role"), ["operator", "viewer", "administrator"]);
        let table = home.run(&["user", "list"]).await;
        assert!(table.out.starts_with("username  role "), "{}", table.out);
        assert_eq!(table.out.lines().count(), 4);
    })
    .await;
}

#[tokio::test]
async fn the_password_that_was_set_is_the_one_that_opens() {
    let home = Home::new().await;
    typing(&home, &["user", "add", "ada"], "her first password\n").await;
    let server = home.serve(&[]).await;
    assert_eq!(typing(&home, &["user", "passwd", "ada"], "correct horse\n").await.code, 0);
    Person::sign_in(&server.url, "ada").await;
}

#[tokio::test]
async fn what_is_wrong_with_a_user_is_said() {
    either_way(async |home| {
        let weak = typing(home, &["user", "add", "ada"], "short\n").await;
        assert!(weak.code == 1 && weak.err.contains("too short"), "{weak:?}");
        assert_eq!(typing(home, &["user", "add", "ada"], "").await.code, 1, "no password");
        let role = typing(home, &["user", "add", "ada", "--role", "emperor"], "her first password\n").await;
        assert_eq!(role, failed("There is no role 'emperor'."));
        assert_eq!(home.run(&["user", "passwd", "ada"]).await, failed("There is no user 'ada'."));
        assert_eq!(home.run(&["user"]).await.code, 2);
        assert_eq!(home.run(&["user", "add"]).await.code, 2);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_printed_once_and_holds_what_it_was_given() {
    either_way(async |home| {
        let words = ["key", "create", "--user", "owner", "--name", "ci", "--permissions", "audit:read,index:read"];
        let made = home.run(&words).await;
        assert_eq!((made.code, made.err.as_str(), made.out.lines().count()), (0, "", 1), "{made:?}");
        assert!(made.out.starts_with("sk_satchel_"), "{made:?}");
        let keys = home.json(&["key", "list", "--user", "owner"]).await;
        assert_eq!(column(&keys, "name"), ["ci"]);
        assert_eq!(keys[0]["permissions"], json!(["audit:read", "index:read"]));
        let shown = home.run(&["key", "list", "--user", "owner"]).await.out + &*keys.to_string();
        assert!(!shown.contains(made.out.trim()), "a key is shown again");
        let id = keys[0]["id"].as_str().unwrap();
        assert_eq!(home.run(&["key", "revoke", id]).await, done("Revoked.\n"));
        assert_eq!(home.json(&["key", "list", "--user", "owner"]).await, json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_key_opens_what_it_may_and_a_wrong_one_is_not_made() {
    let home = Home::new().await;
    let made = home.json(&["key", "create", "--user", "owner", "--permissions", "audit:read"]).await;
    let server = home.serve(&[]).await;
    let holder = Person::bearer(&server.url, made["key"].as_str().unwrap());
    let me = holder.do_it("GET", "/api/auth/me", Value::Null).await;
    assert_eq!((&me["username"], &me["permissions"]), (&json!("owner"), &json!(["audit:read"])));
    assert_eq!(holder.ask("GET", "/api/users", Value::Null).await.0, 403);
    let wrong = home.run(&["key", "create", "--user", "owner", "--permissions", "everything"]).await;
    assert!(wrong.code == 1 && wrong.err.contains("'everything' is not a permission"), "{wrong:?}");
    assert_eq!(home.run(&["key", "create", "--user", "eve"]).await, failed("There is no user 'eve'."));
    assert_eq!(home.run(&["key", "create"]).await.code, 2);
    let revoked = home.run(&["key", "revoke", "nothing"]).await;
    assert!(revoked.code == 1 && !revoked.err.is_empty(), "{revoked:?}");
}
