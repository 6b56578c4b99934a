//! The real application on an empty directory, and callers to use it as.

use super::program::binary;
use satchel::{
    boot::Satchel,
    config::{Config, GraphKind, LogFormat, Outbound, VaultKey},
    model::{
        call::{Call, Outcome},
        caller::{Caller, Credential, Door, Permissions},
        conversation::ConversationId,
        error::Result,
        origin::Origin,
        secret::Secret,
        user::Username,
    },
    store::{people::Actor, users::NewUser},
};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A running application and its directory.
pub struct TestApp {
    pub satchel: Satchel,
    pub dir: TempDir,
}

impl TestApp {
    /// Starts on an empty directory.
    pub async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap()).await
    }

    /// Starts on a directory that may have been used before.
    pub async fn start_in(dir: TempDir) -> Self {
        let satchel = Satchel::start(config(&dir)).await.unwrap();
        Self { satchel, dir }
    }

    /// Stops, and starts again on the same directory.
    pub async fn restart(self) -> Self {
        self.satchel.stop().await;
        Self::start_in(self.dir).await
    }

    /// The owner of the data directory, who may do everything.
    pub async fn owner(&self) -> Actor {
        let app = &self.satchel.app;
        Actor { caller: app.stores.people.local_caller().await.unwrap(), session: None, now: app.clock.now() }
    }

    /// Changes settings.
    pub async fn set(&self, patch: Value) {
        self.satchel.app.settings.update(&self.owner().await, patch).await.unwrap();
    }

    /// A new user with a role of exactly these permissions, at the API's door.
    pub async fn caller(&self, permissions: &[&str]) -> Caller {
        let app = &self.satchel.app;
        let by = self.owner().await;
        let number = app.stores.people.users().await.unwrap().len();
        let (role, username) = (format!("role{number}"), format!("user{number}"));
        let permissions = Permissions::parse(permissions).unwrap();
        app.stores.people.create_role(&by, role.clone(), permissions.clone()).await.unwrap();
        let name = Username::try_from(username.clone()).unwrap();
        let new = NewUser { username: name, password: Secret::new("correct horse"), role };
        let user = app.stores.people.create_user(&by, new).await.unwrap().id;
        Caller {
            user,
            username,
            permissions,
            door: Door::Api,
            credential: Credential::Session,
            personal: true,
            agent: None,
        }
    }

    /// A new conversation of theirs.
    pub async fn conversation(&self, caller: &Caller) -> ConversationId {
        let app = &self.satchel.app;
        let conversations = self.satchel.agent.conversations();
        conversations.create(caller.user, "Talk".to_owned(), app.clock.now()).await.unwrap().id
    }

    /// Content from outside comes into a conversation.
    pub async fn taint(&self, topic: ConversationId) {
        let origin = Origin::new("a page", self.satchel.app.clock.now());
        self.satchel.agent.conversations().taint(topic, origin).await.unwrap();
    }

    /// Runs one call.
    pub async fn call(&self, caller: &Caller, tool: &str, params: Value) -> Result<Outcome> {
        self.satchel.invoker.invoke(Call::new(caller.clone(), tool, params), CancellationToken::new()).await
    }

    /// Runs one call that is expected to run, and gives its data.
    pub async fn data(&self, caller: &Caller, tool: &str, params: Value) -> Result<Value> {
        match self.call(caller, tool, params).await? {
            Outcome::Done(done) => Ok(done.output.data),
            Outcome::Confirm(ticket) => panic!("{tool} asked: {}", ticket.reason),
        }
    }
}

/// A configuration for tests: port 0, nothing from the environment.
pub fn config(dir: &TempDir) -> Config {
    Config {
        data: dir.path().to_owned(),
        listen: ([127, 0, 0, 1], 0).into(),
        behind_proxy: false,
        log: "warn".to_owned(),
        log_format: LogFormat::Human,
        owner: None,
        model: None,
        vault_key: VaultKey::File,
        graph: GraphKind::Own,
        outbound: Outbound::default(),
        commit_each: false,
        program: binary().into(),
    }
}
