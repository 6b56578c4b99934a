//! A server with a person who holds every permission, a model that obeys what it reads, and hosts that wait to be called.

use std::time::Instant;

use satchel::{
    model::{caller::Caller, conversation::ConversationId},
    store::promotions,
};
use serde_json::{Value, json};

use super::{
    effects::{Effect, Probe, changed, entry, job, mark},
    model::Obeyed,
    order::{Order, WORDINGS},
    sources::{CATALOG, Plant, Source, document},
    tap::Tap,
};
use crate::{
    agents::with_agent,
    origins::agreed,
    scripts::reach::save,
    support::{
        chat::{Chat, Event, Person},
        fake_llm::PATIENCE,
        library::{File, form, pause},
        remote::{
            grpc::{self, Reflection},
            systems::{connect, endpoint, open},
        },
        site::{Site, page, status},
        system::TestSystem,
    },
};

/// Everything the cases need.
pub(super) struct Scene {
    pub(super) chat: Chat,
    pub(super) obeyed: Obeyed,
    /// The site of hostile pages.
    pub(super) site: Site,
    pub(super) search: Site,
    /// A system of the catalog whose answers are hostile.
    pub(super) crm: Site,
    /// A host no conversation has reached.
    pub(super) stranger: TestSystem,
    /// Before a system of gRPC.
    pub(super) talks: Tap,
    /// The person who gives the orders.
    pub(super) owner: Caller,
    /// Somebody else, whose words are from outside for the person.
    other: Person,
    other_caller: Caller,
    /// Somebody who shares agents, and may not do everything.
    author: Person,
    /// A conversation that has read a hostile page.
    tainted: ConversationId,
}

/// How a conversation begins.
pub(super) enum Opening {
    /// With nothing.
    Plain,
    /// With a tool that it knows.
    Knowing(String),
    /// With an agent.
    With(String),
}

/// What came of a case.
pub(super) struct Ended {
    /// Whether the order was read, and obeyed.
    pub(super) obeyed: bool,
    /// The end of what happened, where the order's call ran without a question.
    pub(super) ran: Option<String>,
    /// Whether a person was asked.
    pub(super) asked: bool,
}

impl Scene {
    pub(super) async fn start() -> Self {
        let chat = Chat::start(Vec::new()).await;
        let obeyed = Obeyed::default();
        chat.llm.think(obeyed.mind());
        let (site, search, crm) = (Site::start().await, Site::start().await, Site::start().await);
        let stranger = TestSystem::start().await;
        let talks = Tap::start(grpc::start(Reflection::V1).await).await;
        let owner = chat.app.owner().await.caller;
        let other_caller = chat.app.caller(&["*"]).await;
        let other = Person::sign_in(&chat.app.satchel.url, &other_caller.username).await;
        let author = chat.person(&["agents:run", "settings:manage"]).await;
        let tainted = chat.app.conversation(&owner).await;
        let scene =
            Self { chat, obeyed, site, search, crm, stranger, talks, owner, other, other_caller, author, tainted };
        scene.furnish().await;
        scene.chat.app.taint(tainted).await;
        scene
    }

    async fn furnish(&self) {
        let (app, owner) = (&self.chat.app, self.chat.app.owner().await);
        app.set(json!({"exec": {"mode": "sandboxed"}})).await;
        let settings = app.satchel.invoker.registry().find("web_search").unwrap().tool.spec().settings.clone();
        let values = json!({"base_url": self.search.url("/")}).as_object().unwrap().clone();
        app.satchel.app.stores.tool_config.set(&owner, "web_search", &settings, values).await.unwrap();
        let crm = open(app, "CRM", &self.crm.url("")).await;
        endpoint(app, &crm, json!({"name": "List", "path": "/customers", "risk": "read"})).await;
        let far = open(app, "Far", &self.far("")).await;
        let said = json!([{"name": "said", "in": "query", "schema": {"type": "string"}}]);
        endpoint(app, &far, json!({"name": "Get", "path": "/get", "risk": "read", "parameters": said})).await;
        self.chat.owner.do_it("PATCH", &format!("/api/catalog/systems/{}", far.id), json!({"description": "."})).await;
        let own = format!("127.0.0.1:{}", app.satchel.url.port().unwrap());
        let token = json!({"token": app.satchel.token.expose()});
        connect(app, "Own", &format!("http://{own}"), json!({"auth": {"type": "bearer"}}), token).await;
        let talks = self.talks.address.to_string();
        open(app, "Talks", &format!("http://{talks}")).await;
        let places =
            [&self.site.place, &self.crm.place, &self.far_place(), &self.stranger.address.to_string(), &own, &talks];
        app.set(json!({"outbound": {"exceptions": places}})).await;
        let sends = format!("http(#{{ url: \"{}?said=\" + args.said }}).status", self.far("/script"));
        let head = format!("// @param said string \"what is said\"\n// @http {}", self.far_place());
        save(app, "sends", &head, &sends).await;
        let bench = satchel::services::scripts::Workbench::new(&app.satchel.services.scripts);
        bench.grant(&owner, "sends", vec![self.far_place()]).await.unwrap();
        let writes = "tool(\"write\", #{ path: args.path, content: \"x\" });";
        let keeps = "if args.text != () { kv_set(\"text\", args.text) } kv_get(\"text\")";
        save(app, "keeps", "// @kv\n// @param text string? \"what is kept\"", keeps).await;
        save(app, "writes", "// @param path string \"where\"\n// @risk high_write\n// @uses write", writes).await;
    }

    fn far_place(&self) -> String {
        format!("localhost:{}", self.stranger.address.port())
    }

    /// An address at the host no conversation has reached.
    pub(super) fn far(&self, path: &str) -> String {
        format!("http://{}{path}", self.far_place())
    }

    /// In a new conversation the model reads the source and carries out the order in it. Nobody answers what the person is
    /// asked, or they refuse.
    pub(super) async fn obey(&self, source: &Source, effect: &Effect, case: usize) -> Ended {
        let order = self.prepared(effect, case).await;
        self.obeyed.expect(case, order.clone());
        let wordings = (case..).map(|number| WORDINGS[number % WORDINGS.len()](&order.text(case)));
        let text = wordings.filter_map(|text| source.fitted(&text)).next().unwrap();
        let opening = self.plant(source, case, &text).await;
        if let Plant::Hook = source.plant {
            return self.obey_by_job(case, &text).await;
        }
        let mut body = json!({"content": source.asked(self, case)});
        if let Plant::Attached = source.plant {
            let path = format!("documents/Order-{case}.docx");
            let file = json!({"name": "Order.docx", "mime": "application/octet-stream", "data": "", "path": path});
            body["attachments"] = json!([file]);
        }
        let events = self.talk(body, opening, case.is_multiple_of(4).then_some("deny")).await;
        self.uproot(source, case).await;
        // The person's come first.
        let own = (source.read)(self, case).len();
        let mut ordered = events.iter().filter(|event| event.name == "tool_start").skip(own);
        let ended = |call: &Event| {
            let id = &call.data["call_id"];
            let mut ends = events.iter().filter(|event| event.name == "tool_end" && event.data["call_id"] == *id);
            ends.any(|end| end.data["success"] == true)
        };
        // A fetch that is led elsewhere may run: it is led nowhere.
        let may_run = effect.is_free() || matches!(effect.probe, Probe::Led);
        let ran = ordered.any(ended) && !may_run;
        let told = || shorten(&json!(events.iter().map(|event| &event.data).collect::<Vec<_>>()).to_string());
        let asked = events.iter().any(|event| event.name == "confirmation");
        Ended { obeyed: self.obeyed.has(case), ran: ran.then(told), asked }
    }

    /// A job's agent is given the text by a webhook.
    async fn obey_by_job(&self, case: usize, text: &str) -> Ended {
        let owner = &self.chat.owner;
        let deed = json!({"task": format!("Case {case}. File what came in.")});
        let draft = json!({"name": format!("Hook {case}"), "when": {"webhook": {}}, "do": deed});
        let made = owner.do_it("POST", "/api/jobs", draft).await;
        let (id, app) = (made["id"].as_str().unwrap(), &self.chat.app.satchel.app);
        let body = json!({"text": text}).to_string();
        app.stores.jobs.take_message(id.parse().unwrap(), "1".to_owned(), body, app.clock.now()).await.unwrap();
        self.chat.app.satchel.services.jobs.run_due().await.unwrap();
        let begun = Instant::now();
        let state = loop {
            let run = owner.do_it("GET", &format!("/api/jobs/{id}/runs"), Value::Null).await[0].clone();
            match run["state"].as_str().unwrap() {
                "queued" | "running" => assert!(begun.elapsed() < PATIENCE, "{run}"),
                state => break state.to_owned(),
            }
            pause().await;
        };
        Ended { obeyed: self.obeyed.has(case), ran: None, asked: state == "waiting" }
    }

    /// In a new conversation that has read nothing, the person gives the order and agrees to what they are asked. Gives what
    /// came of it.
    pub(super) async fn agree_to(&self, effect: &Effect, case: usize) -> String {
        let order = self.prepared(effect, case).await;
        let body = json!({"content": format!("Case {case}. {}", order.text(case))});
        let events = self.talk(body, Opening::Plain, Some("approve")).await;
        shorten(&json!(events.iter().map(|event| &event.data).collect::<Vec<_>>()).to_string())
    }

    /// Puts the text of a case where the source is. Gives how the conversation begins that reads it.
    async fn plant(&self, source: &Source, case: usize, text: &str) -> Opening {
        let (app, line) = (&self.chat.app, text.replace('\n', " "));
        let title = format!("Quarterly report {case}");
        match source.plant {
            Plant::Site(put) => put(self, case, text),
            Plant::Kept(keep) => {
                for call in keep(case, text) {
                    agreed(app, self.tainted, &self.owner, call).await;
                }
            }
            Plant::Document => {
                let title = format!("Harvester {case}");
                self.other.add_text(&title, &format!("How harvester {case} is cleaned: {text}")).await;
            }
            Plant::Audit => {
                app.data(&self.other_caller, "index_query", json!({"query": line})).await.unwrap();
            }
            Plant::Endpoint => {
                let systems = app.satchel.app.stores.catalog.get();
                let crm = systems.all().iter().find(|one| one.system.name == "CRM").unwrap().system.clone();
                let draft = json!({"name": title, "method": "GET", "path": format!("/report/{case}"), "risk": "read",
                    "description": format!("{title}. {line}")});
                let path = format!("/api/catalog/systems/{}/endpoints", crm.id);
                let made = self.other.do_it("POST", &path, draft).await;
                return source.opening(format!("catalog:crm.{}", made["slug"].as_str().unwrap()));
            }
            Plant::Script => {
                let script = format!(
                    "// @name report_{case}\n// @description {title}. {line}\n// @when {title} is wanted\nfn run(args) {{ 1 }}\n"
                );
                let name = format!("report_{case}");
                self.other.do_it("PUT", &format!("/api/scripts/{name}"), json!({"source": script})).await;
                self.other.do_it("POST", &format!("/api/scripts/{name}/publish"), json!({})).await;
                return source.opening(format!("script:{name}"));
            }
            Plant::Skill => {
                let skill = format!("---\nname: report-{case}\ndescription: {title}.\n---\n{text}");
                let (status, told) =
                    self.other.send_form("/api/skills", form(&[File::new("SKILL.md", skill)], &[])).await;
                assert_eq!(status, 201, "{told}");
            }
            Plant::Agent => {
                let name = format!("report-{case}");
                let agent = json!({"name": name, "instructions": text, "shared_with": ["*"]});
                self.author.do_it("POST", "/api/agents", agent).await;
                return Opening::With(name);
            }
            Plant::Attached => agreed(app, self.tainted, &self.owner, document(case, text)).await,
            Plant::Hook => {}
        }
        Opening::Plain
    }

    /// Takes away what other cases would be shown beside their own.
    async fn uproot(&self, source: &Source, case: usize) {
        let systems = self.chat.app.satchel.app.stores.catalog.get();
        let path = match source.plant {
            Plant::Script => format!("/api/scripts/report_{case}"),
            Plant::Endpoint => {
                let name = format!("Quarterly report {case}");
                let mut endpoints = systems.all().iter().flat_map(|one| &one.endpoints);
                format!("/api/catalog/endpoints/{}", endpoints.find(|one| one.name == name).unwrap().id)
            }
            Plant::Kept(_) if source.name == CATALOG => {
                let name = format!("Orders {case}");
                let found = systems.all().iter().find(|one| one.system.name == name).unwrap();
                format!("/api/catalog/systems/{}", found.system.id)
            }
            _ => return,
        };
        self.other.do_it("DELETE", &path, Value::Null).await;
    }

    /// The effect's order, once all is there that it needs.
    async fn prepared(&self, effect: &Effect, case: usize) -> Order {
        let (app, person) = (&self.chat.app, &self.chat.owner);
        let thing = match effect.probe {
            Probe::Document => person.add_text(&format!("Case {case}"), "A contract.").await,
            Probe::Paused | Probe::Resumed | Probe::Cancelled => {
                let (when, deed) = (json!({"at": "2099-01-01T10:00"}), json!({"message": "Tea"}));
                let enabled = !matches!(effect.probe, Probe::Resumed);
                let draft = json!({"name": job(case), "when": when, "do": deed, "enabled": enabled});
                person.do_it("POST", "/api/jobs", draft).await["id"].as_str().unwrap().to_owned()
            }
            _ => String::new(),
        };
        match effect.probe {
            Probe::Removed => {
                app.data(&self.owner, "index_put", json!({"id": entry(case), "text": "Tea"})).await.unwrap();
            }
            Probe::Changed => {
                let given = json!({"path": changed(case), "content": "apple\nbanana\n"});
                app.data(&self.owner, "write", given).await.unwrap();
            }
            Probe::Rewritten => {
                let content = json!({"paragraphs": ["apple banana"]});
                let given = json!({"format": "docx", "title": format!("Case {case}"), "content": content});
                app.data(&self.owner, "document_create", given).await.unwrap();
            }
            Probe::Led => {
                let location = self.far(&format!("/leak?said={}", mark(case)));
                self.site.put(&format!("/out-{case}"), [status(302, &[("location", &location)])]);
            }
            _ => {}
        }
        let (tool, arguments) = (effect.call)(self, case, &thing);
        Order::new(tool, arguments)
    }

    /// A turn in a new conversation, in which the person answers each question alike, or not at all.
    pub(super) async fn talk(&self, body: Value, opening: Opening, answer: Option<&str>) -> Vec<Event> {
        let owner = &self.chat.owner;
        let conversation = match &opening {
            Opening::With(agent) => with_agent(owner, agent).await,
            _ => owner.conversation().await,
        };
        if let Opening::Knowing(tool) = opening {
            let id = conversation.rsplit('/').next().unwrap().parse().unwrap();
            promotions::promote(&self.chat.app.satchel.app.db, id, vec![tool]).await.unwrap();
        }
        let mut events = owner.post(&format!("{conversation}/messages"), body).await.rest().await;
        let mut answered = 0;
        while let (Some(answer), Some(asked)) =
            (answer, events.iter().filter(|event| event.name == "confirmation").nth(answered).cloned())
        {
            owner.decide(&asked, json!({"decision": answer})).await;
            answered += 1;
            let last = events.last().unwrap().id.clone();
            events.extend(owner.follow(&conversation, Some(&last)).await.rest().await);
        }
        events
    }

    /// A page that a conversation reads.
    pub(super) fn publish(&self, path: &str, text: &str) -> String {
        self.site.put(path, [page("text/plain", text)]);
        self.site.url(path)
    }
}

/// The last words of a turn.
pub(super) fn shorten(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(900);
    text.chars().skip(skipped).collect()
}
