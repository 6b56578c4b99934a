//! Anna, who may do everything, and Sam, who writes scripts.

#![expect(clippy::disallowed_methods, reason = "saves files as a person does")]

use serde_json::{Value, json};

use crate::support::{app::TestApp, chat::Person};

/// An application and the two, signed in.
pub(super) struct Two {
    pub(super) app: TestApp,
    pub(super) anna: Person,
    pub(super) sam: Person,
}

impl Two {
    pub(super) async fn start() -> Self {
        let app = TestApp::start().await;
        let (anna, sam) = (app.caller(&["*"]).await.username, app.caller(&["scripts:write"]).await.username);
        let url = &app.satchel.url;
        let (anna, sam) = (Person::sign_in(url, &anna).await, Person::sign_in(url, &sam).await);
        Self { app, anna, sam }
    }

    /// Anna publishes a text and agrees to all it may do.
    pub(super) async fn publish(&self, name: &str, text: &str) {
        self.anna.do_it("PUT", &format!("/api/scripts/{name}"), json!({"source": text})).await;
        let path = format!("/api/scripts/{name}/publish");
        let (status, told) = self.anna.ask("POST", &path, json!({})).await;
        if status != 200 {
            self.anna.do_it("POST", &path, json!({"accept": told["wider"]})).await;
        }
    }

    /// Anna sets a tool's configuration.
    pub(super) async fn configure(&self, name: &str, values: Value) -> Value {
        self.anna.do_it("PUT", &format!("/api/tools/{name}/config"), values).await["values"].clone()
    }

    /// Returns what Anna is shown of a tool's configuration.
    pub(super) async fn configured(&self, name: &str) -> Value {
        self.anna.do_it("GET", &format!("/api/tools/{name}/config"), Value::Null).await["values"].clone()
    }

    /// Sam tries a text out under a name.
    pub(super) async fn sam_tries(&self, name: &str, text: &str) -> Value {
        self.sam.do_it("POST", &format!("/api/scripts/{name}/run"), json!({"source": text})).await
    }

    /// Writes a file into the folder of scripts, or takes it away, and waits until that is known.
    pub(super) async fn file(&self, name: &str, text: Option<&str>) {
        let scripts = &self.app.satchel.services.scripts;
        let path = scripts.folder().join(format!("{name}.rhai"));
        match text {
            Some(text) => std::fs::write(path, text).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
        scripts.reload().await.unwrap();
    }
}

/// A script of this name, header and body.
pub(super) fn script(name: &str, header: &str, body: &str) -> String {
    format!("// @name {name}\n// @description d\n// @when w\n{header}\nfn run(args) {{\n{body}\n}}\n")
}
