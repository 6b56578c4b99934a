//! What an import changes, in one transaction.

use serde_json::json;

use super::{
    Catalog,
    endpoints::{MAX_ENDPOINTS, guarded, require_no_guard, slugs},
    lets_through, rows,
};
use crate::{people::Actor, sql::Tx};
use satchel_model::{
    catalog::{
        draft::endpoint_slug,
        endpoint::{Endpoint, EndpointId},
        system::SystemId,
    },
    error::{Error, Result},
};

/// What is to become of a system's endpoints.
#[derive(Debug, Clone, Default)]
pub struct ImportPlan {
    /// New, or as they shall be.
    pub put: Vec<Endpoint>,
    /// To be forgotten.
    pub remove: Vec<EndpointId>,
    /// What was read, for the audit.
    pub format: String,
}

impl Catalog {
    /// Adds, changes and forgets the endpoints of an import, all or none of them.
    pub async fn import(&self, by: &Actor, system: SystemId, plan: ImportPlan) -> Result<()> {
        let by = by.clone();
        let work = move |tx: &Tx| {
            let found = rows::require_system(tx, system)?;
            let known = rows::endpoints(tx, system)?;
            let before = |id: EndpointId| known.iter().find(|endpoint| endpoint.id == id);
            for id in &plan.remove {
                before(*id).map_or(Ok(()), |endpoint| require_no_guard(&by, endpoint, "forgets it"))?;
                let of = "DELETE FROM endpoints WHERE id = ?1 AND system = ?2";
                tx.run(of, [id.to_string(), system.to_string()])?;
            }
            let mut taken = slugs(tx, system, None)?;
            let (put, remove) = (plan.put.len(), plan.remove.len());
            for endpoint in plan.put {
                let old = before(endpoint.id);
                let mut endpoint = match old {
                    Some(old) => guarded(&by, old, endpoint)?,
                    None => Endpoint { reviewed: lets_through(&by), ..endpoint },
                };
                let known = old.map(|old| old.slug.clone());
                let place = (endpoint.method.as_str(), endpoint.path.as_str());
                endpoint.slug = known.unwrap_or_else(|| endpoint_slug(&endpoint.name, place, &taken));
                taken.insert(endpoint.slug.clone());
                rows::put_endpoint(tx, &endpoint)?;
            }
            if taken.len() > MAX_ENDPOINTS {
                return Err(Error::conflict(format!("A system has at most {MAX_ENDPOINTS} endpoints: choose fewer.")));
            }
            let told = json!({
                "id": system, "name": found.name, "format": plan.format, "written": put, "removed": remove,
            });
            by.record(tx, "catalog.import", told)?;
            Ok((system, ()))
        };
        self.write(work).await
    }
}
