//! robots.txt: what a site asks programs to leave alone (RFC 9309).

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use texting_robots::Robot;
use url::Url;

use satchel_model::error::{Error, Kind, Result};
use satchel_net::http::{Http, Request};

/// The name rules call us by.
const AGENT: &str = "satchel";
/// Most of the file that is read.
const MOST: usize = 512 << 10;
/// The time a site's rules are kept.
const KEPT: Duration = Duration::from_secs(3_600);
/// The longest they are waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Redirects followed to them.
const REDIRECTS: u8 = 5;

/// The rules that are known of sites. Cheap to clone.
#[derive(Clone)]
pub(super) struct Robots {
    sites: Cache<String, Rules>,
}

#[derive(Clone)]
enum Rules {
    None,
    Some(Arc<Robot>),
    /// The site could not say: then everything is closed.
    Unknown,
}

impl Default for Robots {
    fn default() -> Self {
        Self { sites: Cache::builder().max_capacity(500).time_to_live(KEPT).build() }
    }
}

impl Robots {
    /// Checks that the site wants this page to be fetched by a program.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub(super) async fn require(&self, http: &Http, url: &Url) -> Result<()> {
        let host = url.host_str().unwrap_or_default();
        match self.rules(http, url).await? {
            Rules::None => Ok(()),
            Rules::Some(robot) if robot.allowed(url.as_str()) => Ok(()),
            Rules::Some(_) => Err(Error::denied(format!(
                "'{host}' asks programs not to fetch this page (robots.txt), and the setting web.respect_robots is on."
            ))),
            Rules::Unknown => Err(Error::upstream(format!(
                "'{host}' does not say what programs may fetch: its robots.txt could not be read. Try again later."
            ))),
        }
    }

    async fn rules(&self, http: &Http, url: &Url) -> Result<Rules> {
        let site = url.origin().ascii_serialization();
        if let Some(known) = self.sites.get(&site) {
            return Ok(known);
        }
        let mut request = Request::get(url.join("/robots.txt").map_err(Error::internal)?);
        request.max_redirects = REDIRECTS;
        request.patience = PATIENCE;
        let answer = match http.send(request).await {
            Ok(answer) => answer,
            Err(error) if error.kind() == Kind::Denied => return Err(error),
            Err(_) => return Ok(Rules::Unknown),
        };
        let rules = match answer.status.as_u16() {
            200..=299 => {
                let (text, _) = answer.first_bytes(MOST).await?;
                Robot::new(AGENT, &text).map_or(Rules::None, |robot| Rules::Some(Arc::new(robot)))
            }
            429 | 500..=599 => return Ok(Rules::Unknown),
            // A redirect that this call may not follow says nothing to the next one.
            300..=399 => return Ok(Rules::None),
            _ => Rules::None,
        };
        self.sites.insert(site, rules.clone());
        Ok(rules)
    }
}
