//! `satchel user` and `satchel key`.

use http::Method;
use serde_json::{Value, json};

use super::{
    args::{KeyCommand, UserArgs, UserCommand},
    client::Client,
    run::Exit,
    screen::{Screen, cell, listing, password},
};
use satchel_model::error::{Error, Result};

pub(super) async fn user(command: UserCommand, client: &Client, screen: &Screen) -> Result<Exit> {
    match command {
        UserCommand::Add(UserArgs { name, role }) => {
            let password = password(&format!("Password for {name}"))?;
            let body = json!({"username": name, "role": role, "password": password.expose()});
            let user: Value = client.post("/api/users", &body).await?;
            screen.show(&user, |u| format!("Added {} as {}.", cell(u, "username"), cell(u, "role")))?;
        }
        UserCommand::Passwd { name } => {
            let id = id_of(client, &name).await?;
            let password = password(&format!("New password for {name}"))?;
            let body = json!({"password": password.expose()});
            let user: Value = client.ask(Method::PATCH, &format!("/api/users/{id}"), Some(&body)).await?;
            screen.show(&user, |u| format!("{} has a new password. All sessions have ended.", cell(u, "username")))?;
        }
        UserCommand::List => {
            let users: Value = client.get("/api/users").await?;
            screen.show(&users, |users| listing(users, &["username", "role", "disabled", "last_login_at"]))?;
        }
    }
    Ok(Exit::Done)
}

pub(super) async fn key(command: KeyCommand, client: &Client, screen: &Screen) -> Result<Exit> {
    match command {
        KeyCommand::Create { user, name, permissions, personal } => {
            let user = id_of(client, &user).await?;
            let personal = personal.then_some(true);
            let body = json!({"user": user, "name": name, "permissions": permissions, "personal": personal});
            let made: Value = client.post("/api/keys", &body).await?;
            screen.show(&made, |made| cell(made, "key"))?;
        }
        KeyCommand::List { user } => {
            let id = id_of(client, &user).await?;
            let keys: Value = client.get(&format!("/api/keys?user={id}")).await?;
            screen.show(&keys, |keys| listing(keys, &["id", "name", "permissions", "personal", "last_used_at"]))?;
        }
        KeyCommand::Revoke { id } => {
            let gone: Value = client.ask(Method::DELETE, &format!("/api/keys/{id}"), None).await?;
            screen.show(&gone, |_| "Revoked.".to_owned())?;
        }
    }
    Ok(Exit::Done)
}

async fn id_of(client: &Client, name: &str) -> Result<String> {
    let users: Vec<Value> = client.get("/api/users").await?;
    let found = users.iter().find(|user| cell(user, "username").eq_ignore_ascii_case(name));
    found.map(|user| cell(user, "id")).ok_or_else(|| Error::not_found(format!("There is no user '{name}'.")))
}
