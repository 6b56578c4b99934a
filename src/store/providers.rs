//! Models that may be asked. Their keys are in the vault, under `provider:<id>`.

use std::collections::BTreeSet;

use serde_json::json;

use super::{
    db::Db,
    people::Actor,
    sql::{Row, Tx, params},
    vault::{self, Vault},
};
use satchel_config::ModelChoice;
use satchel_model::{
    error::{Error, Kind, Result},
    llm::{Provider, ProviderId, ProviderKind},
    provider::{ProviderDraft, ProviderOrder, parameters::Parameters, parse_url},
};

/// The id of the provider made from the environment.
const ENVIRONMENT: &str = "00000000-0000-7000-8000-000000000001";
/// The name its key has in the vault.
const KEY: &str = "api_key";
/// What a local server is asked to hold where nobody says: more than its own default, less than what fills the memory.
const OLLAMA_CONTEXT: u32 = 16_384;

/// The providers. Cheap to clone.
#[derive(Clone)]
pub struct Providers {
    db: Db,
    vault: Vault,
    environment: Option<Provider>,
}

impl Providers {
    /// The providers kept in this database, and the one the environment names.
    pub fn new(db: &Db, vault: &Vault, environment: Option<&ModelChoice>) -> Result<Self> {
        let environment = environment.map(from_environment).transpose()?;
        Ok(Self { db: db.clone(), vault: vault.clone(), environment })
    }

    /// All of them, the first to be asked first. The environment's comes before the others, until somebody moves it.
    pub async fn list(&self) -> Result<Vec<Provider>> {
        let (vault, environment) = (self.vault.clone(), self.environment.clone());
        self.db.read(move |tx| list(tx, &vault, environment)).await
    }

    /// Puts all of them into another order. Fails where that is not the order they are in any more.
    pub async fn reorder(&self, by: &Actor, wanted: ProviderOrder) -> Result<Vec<Provider>> {
        let (vault, environment, by) = (self.vault.clone(), self.environment.clone(), by.clone());
        self.db
            .write(move |tx| {
                let ProviderOrder { seen, order } = wanted;
                let now: Vec<ProviderId> = list(tx, &vault, environment.clone())?.iter().map(|one| one.id).collect();
                if now != seen {
                    return Err(Error::conflict(
                        "Somebody else has changed the providers meanwhile. Look at the list anew, then move again.",
                    ));
                }
                let (wanted, known): (BTreeSet<_>, BTreeSet<_>) = (order.iter().collect(), now.iter().collect());
                if order.len() != now.len() || wanted != known {
                    return Err(Error::conflict("The order must name each provider there is once."));
                }
                for (at, id) in (1_i64..).zip(&order) {
                    place(tx, environment.as_ref(), *id, at)?;
                }
                by.record(tx, "provider.order", json!({ "order": order }))?;
                list(tx, &vault, environment)
            })
            .await
    }

    /// One of them.
    pub async fn get(&self, id: ProviderId) -> Result<Provider> {
        self.list().await?.into_iter().find(|provider| provider.id == id).ok_or_else(|| unknown(id))
    }

    /// Those to be asked, in order: the chosen one, then the others as a fallback.
    pub async fn chain(&self, chosen: Option<ProviderId>) -> Result<Vec<Provider>> {
        let mut chain: Vec<Provider> = self.list().await?.into_iter().filter(|provider| provider.enabled).collect();
        chain.sort_by_key(|provider| Some(provider.id) != chosen);
        for provider in chain.iter_mut().filter(|provider| provider.kind == ProviderKind::Ollama) {
            provider.context_tokens.get_or_insert(OLLAMA_CONTEXT);
        }
        Ok(chain)
    }

    /// Whether any model can be asked.
    pub async fn any(&self) -> Result<bool> {
        Ok(!self.chain(None).await?.is_empty())
    }

    /// Adds one.
    pub async fn create(&self, by: &Actor, draft: ProviderDraft) -> Result<Provider> {
        let (vault, by) = (self.vault.clone(), by.clone());
        self.db
            .write(move |tx| {
                let last = tx.one("SELECT coalesce(max(priority), 0) FROM providers", ())?;
                let provider = draft.into_new(last)?;
                put(tx, &vault, &by, &provider)?;
                by.record(tx, "provider.create", described(&provider))?;
                Ok(provider)
            })
            .await
    }

    /// Changes one. The environment's is changed where it is set.
    pub async fn change(&self, by: &Actor, id: ProviderId, draft: ProviderDraft) -> Result<Provider> {
        self.refuse_environment(id)?;
        let (vault, by) = (self.vault.clone(), by.clone());
        self.db
            .write(move |tx| {
                let sql = format!("{SELECT} WHERE id = ?1");
                let old = tx.first(&sql, [id.to_string()], read)?.ok_or_else(|| unknown(id))?;
                let provider = draft.apply(with_key(tx, &vault, old)?)?;
                put(tx, &vault, &by, &provider)?;
                by.record(tx, "provider.change", described(&provider))?;
                Ok(provider)
            })
            .await
    }

    /// Removes one and its key.
    pub async fn delete(&self, by: &Actor, id: ProviderId) -> Result<()> {
        self.refuse_environment(id)?;
        let by = by.clone();
        self.db
            .write(move |tx| {
                if tx.run("DELETE FROM providers WHERE id = ?1", [id.to_string()])? == 0 {
                    return Err(unknown(id));
                }
                vault::delete_in(tx, (&owner(id), KEY))?;
                tx.run("DELETE FROM prices WHERE provider = ?1", [id.to_string()])?;
                by.record(tx, "provider.delete", json!({"id": id}))
            })
            .await
    }

    fn refuse_environment(&self, id: ProviderId) -> Result<()> {
        match &self.environment {
            Some(provider) if provider.id == id => {
                Err(Error::conflict("This model is set by SATCHEL_MODEL. Change it there and start again."))
            }
            _ => Ok(()),
        }
    }
}

const SELECT: &str =
    "SELECT id, kind, name, base_url, model, priority, enabled, context_tokens, parameters FROM providers";

/// All of them in order, with their keys.
fn list(tx: &Tx, vault: &Vault, environment: Option<Provider>) -> Result<Vec<Provider>> {
    let kept = tx.all(&format!("{SELECT} ORDER BY priority, created_at, id"), (), read)?;
    let kept = kept.into_iter().map(|provider| with_key(tx, vault, provider)).collect::<Result<Vec<_>>>()?;
    let Some(environment) = environment else { return Ok(kept) };
    let sql = "SELECT priority FROM environment_provider WHERE id = ?1";
    let moved: Option<i64> = tx.first(sql, [environment.id.to_string()], |row| row.get("priority"))?;
    let environment = Provider { priority: moved.unwrap_or(environment.priority), ..environment };
    let mut all: Vec<Provider> = std::iter::once(environment).chain(kept).collect();
    // A stable sort. Where nobody has moved it, the environment's comes before all others, whatever their numbers.
    all.sort_by_key(|one| if one.from_environment { moved.unwrap_or(i64::MIN) } else { one.priority });
    Ok(all)
}

fn place(tx: &Tx, environment: Option<&Provider>, id: ProviderId, at: i64) -> Result<()> {
    let sql = match environment {
        Some(provider) if provider.id == id => {
            "INSERT INTO environment_provider (id, priority) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET priority = excluded.priority"
        }
        _ => "UPDATE providers SET priority = ?2 WHERE id = ?1",
    };
    tx.run(sql, (id.to_string(), at)).map(drop)
}

fn from_environment(choice: &ModelChoice) -> Result<Provider> {
    let url = choice.url.as_deref().unwrap_or(choice.kind.default_base_url());
    let base_url = parse_url(url).map_err(|_| {
        Error::new(
            Kind::Invalid,
            format!("SATCHEL_MODEL_URL is '{url}': write a URL such as http://127.0.0.1:8000/v1."),
        )
    })?;
    Ok(Provider {
        id: ENVIRONMENT.parse()?,
        kind: choice.kind,
        name: format!("{} (from the environment)", choice.model),
        base_url,
        model: choice.model.clone(),
        api_key: choice.key.clone().filter(|key| !key.expose().is_empty()),
        priority: 0,
        enabled: true,
        context_tokens: None,
        parameters: Parameters::default(),
        from_environment: true,
    })
}

fn read(row: &Row<'_>) -> Result<Provider> {
    Ok(Provider {
        id: row.parsed("id")?,
        kind: ProviderKind::parse(&row.get::<String>("kind")?)?,
        name: row.get("name")?,
        base_url: parse_url(&row.get::<String>("base_url")?)?,
        model: row.get("model")?,
        api_key: None,
        priority: row.get("priority")?,
        enabled: row.get("enabled")?,
        context_tokens: row.get("context_tokens")?,
        parameters: row.optional_json("parameters")?.unwrap_or_default(),
        from_environment: false,
    })
}

fn with_key(tx: &Tx, vault: &Vault, mut provider: Provider) -> Result<Provider> {
    provider.api_key = vault.get_in(tx, (&owner(provider.id), KEY))?;
    Ok(provider)
}

fn put(tx: &Tx, vault: &Vault, by: &Actor, provider: &Provider) -> Result<()> {
    let is_plain = provider.parameters == Parameters::default();
    let parameters = (!is_plain).then(|| serde_json::to_string(&provider.parameters)).transpose();
    tx.run(
        "INSERT INTO providers (id, kind, name, base_url, model, priority, enabled, context_tokens, created_at, parameters)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, base_url = excluded.base_url,
           model = excluded.model, priority = excluded.priority, enabled = excluded.enabled,
           context_tokens = excluded.context_tokens, parameters = excluded.parameters",
        params![
            provider.id.to_string(),
            provider.kind.as_str(),
            provider.name,
            provider.base_url.as_str(),
            provider.model,
            provider.priority,
            provider.enabled,
            provider.context_tokens,
            by.now.millis(),
            parameters.map_err(Error::internal)?,
        ],
    )?;
    let owner = owner(provider.id);
    match &provider.api_key {
        Some(key) => vault.put_in(tx, (&owner, KEY), key, by.now),
        None => vault::delete_in(tx, (&owner, KEY)).map(drop),
    }
}

/// What the audit keeps: the address a key may go to, never the key.
fn described(provider: &Provider) -> serde_json::Value {
    json!({
        "id": provider.id,
        "kind": provider.kind,
        "name": provider.name,
        "base_url": provider.base_url.as_str(),
        "model": provider.model,
        "enabled": provider.enabled,
        "parameters": provider.parameters,
    })
}

fn owner(id: ProviderId) -> String {
    format!("provider:{id}")
}

fn unknown(id: ProviderId) -> Error {
    Error::not_found(format!("There is no provider '{id}'."))
}
