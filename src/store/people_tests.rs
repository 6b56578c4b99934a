//! People as their rules hold them: who may give, take and become what.

use std::time::Duration;

use super::*;
use crate::{
    db::Commit,
    keys::NewKey,
    sessions::{Account, SignedIn, Visit},
    users::{NewUser, OwnPassword, UserChange},
};
use satchel_model::{
    caller::{Credential, Door},
    error::Kind,
    secret::Secret,
    user::{KeyTerms, User, Username},
};

const PASSWORD: &str = "correct horse battery";

fn at(seconds: u64) -> Time {
    Time::from_millis(1_800_000_000_000).after(Duration::from_secs(seconds))
}

fn visit(address: &str, now: Time) -> Visit {
    Visit { address: address.to_owned(), user_agent: "test".to_owned(), now }
}

fn name(text: &str) -> Username {
    Username::try_from(text.to_owned()).unwrap()
}

struct House {
    _dir: tempfile::TempDir,
    people: Arc<People>,
    owner: User,
}

impl House {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
        let people = People::open(db).await.unwrap();
        people.ensure_owner("owner", Secret::new(PASSWORD), at(0)).await.unwrap();
        let owner = people.user_named("OWNER").await.unwrap();
        Self { _dir: dir, people: Arc::new(people), owner }
    }

    fn owner(&self) -> Actor {
        actor(&self.owner, Permissions::all())
    }

    async fn add(&self, username: &str, role: &str) -> Result<User> {
        self.add_by(&self.owner(), username, role).await
    }

    async fn add_by(&self, by: &Actor, username: &str, role: &str) -> Result<User> {
        let new = NewUser { username: name(username), password: Secret::new(PASSWORD), role: role.to_owned() };
        self.people.create_user(by, new).await
    }

    async fn manager(&self, username: &str) -> Actor {
        let permissions = Permissions::parse(["users:manage", "audit:read"]).unwrap();
        self.people.create_role(&self.owner(), "manager".to_owned(), permissions.clone()).await.unwrap();
        actor(&self.add(username, "manager").await.unwrap(), permissions)
    }

    async fn key(&self, by: &Actor, permissions: Option<&[&str]>) -> Result<String> {
        let permissions = permissions.map(|texts| Permissions::parse(texts).unwrap());
        let new = NewKey {
            user: by.caller.user,
            name: "k".to_owned(),
            permissions,
            personal: None,
            terms: KeyTerms::default(),
        };
        Ok(self.people.create_key(by, new).await?.1.expose().to_owned())
    }

    async fn sign_in(&self, username: &str, password: &str, visit: Visit) -> Result<SignedIn> {
        self.people.sign_in(username, Secret::new(password), visit).await
    }

    async fn password(&self, username: &str) -> String {
        let (sql, key) = ("SELECT password FROM users WHERE username_key = ?1", username.to_owned());
        self.people.db.read(move |tx| tx.one(sql, [key])).await.unwrap()
    }

    async fn set(&self, user: &User, change: UserChange) -> Result<User> {
        self.people.change_user(&self.owner(), user.id, change).await
    }
}

fn actor(user: &User, permissions: Permissions) -> Actor {
    let caller = Caller {
        user: user.id,
        username: user.username.clone(),
        permissions,
        door: Door::Api,
        credential: Credential::Session,
        personal: true,
        agent: None,
    };
    Actor { caller, session: None, now: at(0) }
}

fn kinds<T>(result: Result<T>) -> Option<Kind> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn names_are_unique_but_for_case() {
    let house = House::new().await;
    house.add("Ada", "viewer").await.unwrap();
    assert_eq!(kinds(house.add("aDA", "viewer").await), Some(Kind::Conflict));
    assert_eq!(house.people.user_named("ADA").await.unwrap().username, "Ada");
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let house = House::new().await;
    let demote = || UserChange { role: Some("viewer".to_owned()), ..UserChange::default() };
    let disable = || UserChange { disabled: Some(true), ..UserChange::default() };
    assert_eq!(kinds(house.set(&house.owner, demote()).await), Some(Kind::Conflict));
    assert_eq!(kinds(house.set(&house.owner, disable()).await), Some(Kind::Conflict));
    assert_eq!(kinds(house.people.delete_user(&house.owner(), house.owner.id).await), Some(Kind::Conflict));
    let second = house.add("second", "administrator").await.unwrap();
    house.set(&second, disable()).await.unwrap();
    assert_eq!(kinds(house.set(&house.owner, demote()).await), Some(Kind::Conflict));
    house.set(&second, UserChange { disabled: Some(false), ..UserChange::default() }).await.unwrap();
    house.set(&house.owner, demote()).await.unwrap();
}

#[tokio::test]
async fn nobody_gives_away_what_he_does_not_hold() {
    let house = House::new().await;
    let people = &house.people;
    let by = house.manager("clerk").await;
    assert_eq!(kinds(house.add_by(&by, "evil", "administrator").await), Some(Kind::Denied));
    let all = Permissions::all();
    assert_eq!(kinds(people.create_role(&by, "all".to_owned(), all.clone()).await), Some(Kind::Denied));
    let narrow = Permissions::parse(["audit:read"]).unwrap();
    people.create_role(&by, "auditor".to_owned(), narrow).await.unwrap();
    assert_eq!(kinds(people.change_role(&by, "auditor".to_owned(), all).await), Some(Kind::Denied));
    let ally = house.add_by(&by, "ally", "auditor").await.unwrap();
    let promote = UserChange { role: Some("administrator".to_owned()), ..UserChange::default() };
    assert_eq!(kinds(people.change_user(&by, ally.id, promote).await), Some(Kind::Denied));
    assert_eq!(kinds(house.key(&by, Some(&["host:exec"])).await), Some(Kind::Denied));
}

#[tokio::test]
async fn nobody_takes_over_somebody_above_him() {
    let house = House::new().await;
    let by = house.manager("clerk").await;
    let password = UserChange { password: Some(Secret::new("a new password")), ..UserChange::default() };
    assert_eq!(kinds(house.people.change_user(&by, house.owner.id, password).await), Some(Kind::Denied));
    assert_eq!(kinds(house.people.delete_user(&by, house.owner.id).await), Some(Kind::Denied));
    let new = NewKey {
        user: house.owner.id,
        name: "k".to_owned(),
        permissions: None,
        personal: None,
        terms: KeyTerms::default(),
    };
    assert_eq!(kinds(house.people.create_key(&by, new).await), Some(Kind::Denied));
    let session = house.sign_in("owner", PASSWORD, visit("::1", at(0))).await.unwrap();
    let id = house.people.by_session(session.token.expose(), at(0)).await.unwrap().session.unwrap();
    assert_eq!(kinds(house.people.end_session(&by, id).await), Some(Kind::NotFound));
}

#[tokio::test]
async fn a_role_in_use_stays_and_a_built_in_role_is_never_changed() {
    let house = House::new().await;
    let (people, by) = (&house.people, house.owner());
    let audit = || Permissions::parse(["audit:read"]).unwrap();
    people.create_role(&by, "auditor".to_owned(), audit()).await.unwrap();
    let user = house.add("ada", "auditor").await.unwrap();
    assert_eq!(kinds(people.delete_role(&by, "auditor".to_owned()).await), Some(Kind::Conflict));
    people.delete_user(&by, user.id).await.unwrap();
    people.delete_role(&by, "auditor".to_owned()).await.unwrap();
    assert_eq!(kinds(people.change_role(&by, "viewer".to_owned(), audit()).await), Some(Kind::Conflict));
    assert_eq!(kinds(people.delete_role(&by, "operator".to_owned()).await), Some(Kind::Conflict));
}

#[tokio::test]
async fn no_two_roles_look_alike() {
    let house = House::new().await;
    let (people, by) = (&house.people, house.owner());
    let audit = || Permissions::parse(["audit:read"]).unwrap();
    people.create_role(&by, "hello".to_owned(), audit()).await.unwrap();
    for (name, like) in [
        ("hello", "already"),
        ("he1lo", "hello"),
        ("hell0", "hello"),
        ("vievver", "viewer"),
        ("adrninistrator", "administrator"),
    ] {
        let refused = people.create_role(&by, name.to_owned(), audit()).await.unwrap_err();
        assert!(refused.kind() == Kind::Conflict && refused.message().contains(like), "{name}: {refused}");
    }
    people.create_role(&by, "hallo".to_owned(), audit()).await.unwrap();
}

#[tokio::test]
async fn a_key_may_do_what_it_and_its_owner_may_do_now() {
    let house = House::new().await;
    let ada = house.add("ada", "operator").await.unwrap();
    let by = actor(&ada, house.people.roles().await.unwrap()[1].permissions.clone());
    let narrow = house.key(&by, Some(&["audit:read", "index:write"])).await.unwrap();
    let full = house.key(&by, None).await.unwrap();
    assert!(full.starts_with("sk_satchel_"));
    let allowed = async |key: &str| house.people.by_key(key, at(1)).await.map(|it| it.caller.permissions.clone());
    assert_eq!(allowed(&narrow).await.unwrap(), Permissions::parse(["audit:read", "index:write"]).unwrap());
    assert!(allowed(&full).await.unwrap().grants("jobs:manage"));
    house.set(&ada, UserChange { role: Some("viewer".to_owned()), ..UserChange::default() }).await.unwrap();
    assert_eq!(allowed(&narrow).await.unwrap(), Permissions::default());
    assert!(!allowed(&full).await.unwrap().grants("jobs:manage"));
    house.set(&ada, UserChange { disabled: Some(true), ..UserChange::default() }).await.unwrap();
    assert_eq!(kinds(allowed(&narrow).await), Some(Kind::Unauthenticated));
    house.set(&ada, UserChange { disabled: Some(false), ..UserChange::default() }).await.unwrap();
    let keys = house.people.keys(ada.id).await.unwrap();
    assert_eq!(keys[1].last_used_at, Some(at(1)));
    assert_eq!(kinds(house.people.revoke_key(&by, keys[1].id).await), Some(Kind::Denied), "by is an operator no more");
    house.people.revoke_key(&actor(&ada, Permissions::default()), keys[1].id).await.unwrap();
    assert_eq!(kinds(allowed(&narrow).await), Some(Kind::Unauthenticated));
    assert!(allowed(&full).await.is_ok());
}

#[tokio::test]
async fn a_key_makes_no_key_and_a_narrow_one_revokes_none() {
    let house = House::new().await;
    let through = async |key: &str| {
        let caller = house.people.by_key(key, at(0)).await.unwrap().caller.clone();
        Actor { caller, session: None, now: at(0) }
    };
    let narrow = house.key(&house.owner(), Some(&["audit:read"])).await.unwrap();
    let by = through(&narrow).await;
    assert_eq!(kinds(house.key(&by, Some(&["audit:read"])).await), Some(Kind::Denied));
    let first = house.people.keys(house.owner.id).await.unwrap()[0].id;
    assert_eq!(kinds(house.people.revoke_key(&by, first).await), Some(Kind::Denied));
    let full = house.key(&house.owner(), None).await.unwrap();
    let by = through(&full).await;
    assert_eq!(kinds(house.key(&by, None).await), Some(Kind::Denied));
    assert!(house.people.revoke_key(&by, first).await.is_ok());
}

#[tokio::test]
async fn a_key_for_somebody_else_is_made_at_the_command_line_only() {
    let house = House::new().await;
    let ada = house.add("ada", "viewer").await.unwrap();
    let new =
        || NewKey { user: ada.id, name: "k".to_owned(), permissions: None, personal: None, terms: KeyTerms::default() };
    let clerk = actor(&house.add("clerk", "administrator").await.unwrap(), Permissions::all());
    assert_eq!(kinds(house.people.create_key(&clerk, new()).await), Some(Kind::Denied));
    let local = Caller { credential: Credential::Local, ..clerk.caller.clone() };
    let (key, _) = house.people.create_key(&Actor { caller: local, ..clerk }, new()).await.unwrap();
    assert_eq!((key.user, key.personal), (ada.id, true));
}

#[tokio::test]
async fn a_session_ends_when_idle_when_old_and_with_the_password() {
    let house = House::new().await;
    const DAY: u64 = 24 * 3600;
    let enter =
        async |now| house.sign_in("owner", PASSWORD, visit("::1", now)).await.unwrap().token.expose().to_owned();
    let alive = async |token: &str, day: u64| house.people.by_session(token, at(day * DAY)).await.is_ok();
    let idle = enter(at(0)).await;
    assert!(alive(&idle, 6).await && alive(&idle, 12).await && !alive(&idle, 20).await);
    let old = enter(at(0)).await;
    for day in [6, 12, 18, 24, 29] {
        assert!(alive(&old, day).await, "day {day}");
    }
    assert!(!alive(&old, 30).await);
    let (mine, other) = (enter(at(40 * DAY)).await, enter(at(40 * DAY)).await);
    let keep = house.people.by_session(&mine, at(40 * DAY)).await.unwrap().session;
    let by = Actor { session: keep, ..house.owner() };
    let change = |current: &str| own_password(current, "another password");
    let wrong = house.people.change_own_password(&by, change("not the password")).await;
    assert_eq!(kinds(wrong), Some(Kind::Denied));
    house.people.change_own_password(&by, change(PASSWORD)).await.unwrap();
    assert!(alive(&mine, 40).await && !alive(&other, 40).await);
}

fn own_password(current: &str, new: &str) -> OwnPassword {
    let (current, new) = (Secret::new(current), Secret::new(new));
    OwnPassword { current, new, keep_keys: false, address: "::1".to_owned() }
}

#[tokio::test]
async fn a_changed_password_revokes_ones_keys_unless_they_are_kept() {
    let house = House::new().await;
    let by = house.owner();
    let works = async |key: &str| house.people.by_key(key, at(1)).await.is_ok();
    let key = house.key(&by, None).await.unwrap();
    let kept = OwnPassword { keep_keys: true, ..own_password(PASSWORD, "another password") };
    house.people.change_own_password(&by, kept).await.unwrap();
    assert!(works(&key).await);
    house.people.change_own_password(&by, own_password("another password", PASSWORD)).await.unwrap();
    assert!(!works(&key).await);
}

#[tokio::test]
async fn whoever_has_lost_their_credential_meanwhile_changes_nothing() {
    let house = House::new().await;
    let ada = house.add("ada", "administrator").await.unwrap();
    let sign_in = async || house.sign_in("ada", PASSWORD, visit("::1", at(0))).await.unwrap().token;
    let (token, key) = (sign_in().await, house.key(&actor(&ada, Permissions::all()), None).await.unwrap());
    let asked = house.people.by_session(token.expose(), at(0)).await.unwrap();
    let by = Actor { session: asked.session, ..actor(&ada, Permissions::all()) };
    let caller = house.people.by_key(&key, at(0)).await.unwrap().caller.clone();
    let program = Actor { caller, ..by.clone() };
    let id = house.people.keys(ada.id).await.unwrap()[0].id;
    house.set(&ada, UserChange { role: Some("viewer".to_owned()), ..UserChange::default() }).await.unwrap();
    assert_eq!(kinds(house.add_by(&by, "evil", "viewer").await), Some(Kind::Denied));
    assert_eq!(kinds(house.people.revoke_key(&program, id).await), Some(Kind::Denied));
    house.set(&ada, UserChange { role: Some("administrator".to_owned()), ..UserChange::default() }).await.unwrap();
    let stale = Account { user: ada.clone(), password: house.password("ada").await };
    house
        .set(&ada, UserChange { password: Some(Secret::new("a new password")), ..UserChange::default() })
        .await
        .unwrap();
    assert_eq!(kinds(house.add_by(&by, "evil", "viewer").await), Some(Kind::Unauthenticated));
    assert_eq!(kinds(house.key(&by, None).await), Some(Kind::Unauthenticated));
    assert_eq!(kinds(house.people.revoke_key(&program, id).await), Some(Kind::Unauthenticated));
    let entered = house.people.start_session(stale, visit("::1", at(0))).await;
    assert_eq!(kinds(entered), Some(Kind::Unauthenticated), "the password that was looked at is no more");
}

#[tokio::test]
async fn a_password_that_could_not_be_looked_at_is_no_failure() {
    let house = House::new().await;
    let store = async |hash: String| {
        let write = move |tx: &Tx| tx.run("UPDATE users SET password = ?1", [hash]);
        house.people.db.write(write).await.unwrap();
    };
    let hash = house.password("owner").await;
    store("no hash".to_owned()).await;
    for _ in 0..7 {
        let unread = house.sign_in("owner", PASSWORD, visit("10.0.0.1", at(0))).await;
        assert_eq!(kinds(unread), Some(Kind::Internal));
        let change = own_password(PASSWORD, "another password");
        assert_eq!(kinds(house.people.change_own_password(&house.owner(), change).await), Some(Kind::Internal));
    }
    store(hash).await;
    house.sign_in("owner", PASSWORD, visit("10.0.0.1", at(0))).await.unwrap();
    house.people.change_own_password(&house.owner(), own_password(PASSWORD, "another password")).await.unwrap();
}

#[tokio::test]
async fn the_name_of_an_owner_is_looked_at_only_where_there_is_none() {
    let house = House::new().await;
    let mixed = "\u{43e}wner";
    assert!(!house.people.ensure_owner(mixed, Secret::new(PASSWORD), at(1)).await.unwrap());
    let dir = tempfile::tempdir().unwrap();
    let people = People::open(Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap()).await.unwrap();
    assert_eq!(kinds(people.ensure_owner(mixed, Secret::new(PASSWORD), at(1)).await), Some(Kind::Invalid));
}

#[tokio::test]
async fn strangers_cannot_keep_out_who_comes_from_a_known_address() {
    let house = House::new().await;
    house.sign_in("owner", PASSWORD, visit("10.0.0.1", at(0))).await.unwrap();
    // The network stays known to whoever has signed out.
    house.people.db.write(|tx| tx.run("DELETE FROM sessions", ())).await.unwrap();
    for _ in 0..5 {
        let wrong = house.sign_in("owner", "not the password", visit("10.6.6.6", at(0))).await;
        assert_eq!(kinds(wrong), Some(Kind::Unauthenticated));
    }
    let refused = house.sign_in("owner", PASSWORD, visit("10.6.6.6", at(0))).await.unwrap_err();
    assert_eq!(refused.kind(), Kind::Exhausted);
    assert_eq!(refused.details().unwrap()["retry_after"], 1);
    house.sign_in("Owner", PASSWORD, visit("10.0.0.1", at(0))).await.unwrap();
    house.sign_in("owner", PASSWORD, visit("10.6.6.6", at(2))).await.unwrap();
}

#[tokio::test]
async fn of_many_owners_at_once_one_is_made_and_the_link_works_once() {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(&dir.path().join("satchel.db"), Commit::Grouped).unwrap();
    let people = People::open(db).await.unwrap();
    let token = people.issue_link(at(0));
    let token = token.expose();
    assert_eq!(
        kinds(people.set_up("x", name("a"), Secret::new(PASSWORD), visit("::1", at(0))).await),
        Some(Kind::Denied)
    );
    let late = people.set_up(token, name("a"), Secret::new(PASSWORD), visit("::1", at(900))).await;
    assert!(late.unwrap_err().message().contains("lapsed"));
    let weak = people.set_up(token, name("a"), Secret::new("short"), visit("::1", at(1))).await;
    assert_eq!(kinds(weak), Some(Kind::Invalid));
    let tries = ["a", "b", "c", "d"].map(|n| people.set_up(token, name(n), Secret::new(PASSWORD), visit("::1", at(1))));
    let made = futures_util::future::join_all(tries).await;
    assert_eq!(made.iter().filter(|it| it.is_ok()).count(), 1);
    assert_eq!(people.users().await.unwrap().len(), 1);
    assert_eq!(
        kinds(people.set_up(token, name("e"), Secret::new(PASSWORD), visit("::1", at(2))).await),
        Some(Kind::Conflict)
    );
}
