//! The configuration the process was started with: flag, then environment, then `satchel.toml` in the data directory,
//! then default.

use std::{
    ffi::OsStr,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Deserializer, de::Error as _};

use satchel_model::{
    error::{Error, Result},
    id::shorten,
    llm::ProviderKind,
    secret::Secret,
};

/// What flags and environment say. Both are read once, by `clap`.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The data directory [default: ~/.local/share/satchel]
    #[arg(long, env = "SATCHEL_DATA", global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// What to log: error, warn, info, debug, trace, or a filter such as satchel=debug [env: SATCHEL_LOG]
    // Its environment variable is an argument of its own: `eval tools` has another `--log`, which must not get its value.
    #[arg(long, global = true, value_name = "FILTER")]
    pub log: Option<String>,
    /// How to log
    #[arg(long, env = "SATCHEL_LOG_FORMAT", global = true, value_enum)]
    pub log_format: Option<LogFormat>,
    #[command(flatten)]
    secrets: Environment,
}

/// What only the environment says: secrets would be seen in a list of processes, the rest is for unattended starts.
#[derive(Debug, Clone, Args)]
struct Environment {
    #[arg(long, env = "SATCHEL_LOG", global = true, hide = true)]
    log_filter: Option<String>,
    #[arg(long, env = "SATCHEL_OWNER_NAME", global = true, hide = true)]
    owner_name: Option<String>,
    #[arg(long, env = "SATCHEL_OWNER_PASSWORD", global = true, hide = true, hide_env_values = true)]
    owner_password: Option<String>,
    #[arg(long, env = "SATCHEL_MODEL", global = true, hide = true)]
    model: Option<String>,
    #[arg(long, env = "SATCHEL_MODEL_URL", global = true, hide = true)]
    model_url: Option<String>,
    #[arg(long, env = "SATCHEL_MODEL_KEY", global = true, hide = true, hide_env_values = true)]
    model_key: Option<String>,
    #[arg(long, env = "SATCHEL_VAULT_KEY", global = true, hide = true, hide_env_values = true)]
    vault_key: Option<String>,
    #[arg(long, env = "SATCHEL_VAULT_PASSPHRASE", global = true, hide = true, hide_env_values = true)]
    vault_passphrase: Option<String>,
    #[arg(long, env = "SATCHEL_COMMIT", global = true, hide = true, value_enum)]
    commit: Option<CommitChoice>,
    #[arg(long, env = "SSL_CERT_FILE", global = true, hide = true)]
    ca_file: Option<PathBuf>,
    #[arg(long, env = "HOME", global = true, hide = true)]
    home: Option<PathBuf>,
}

/// Where HTTP is served.
#[derive(Debug, Clone, Default, Args)]
pub struct ListenFlags {
    /// Where to serve; port 0 picks a free one [default: 127.0.0.1:8081]
    #[arg(long, env = "SATCHEL_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// A reverse proxy in front ends TLS, so an address others can reach may be used
    #[arg(long, env = "SATCHEL_BEHIND_PROXY")]
    pub behind_proxy: bool,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

/// `each` is what group commit is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CommitChoice {
    Group,
    Each,
}

/// Which implementation keeps the graph of many vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum GraphKind {
    /// Our own, over quantised rows.
    #[default]
    #[serde(rename = "own")]
    Own,
    /// The crate `hnsw_rs`, over the same rows.
    #[serde(rename = "hnsw_rs")]
    Library,
}

/// The `[indexes]` of `satchel.toml`.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Indexes {
    graph: GraphKind,
}

/// `satchel.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    listen: Option<SocketAddr>,
    behind_proxy: Option<bool>,
    log: Option<String>,
    log_format: Option<LogFormat>,
    indexes: Indexes,
    outbound: Outbound,
}

/// The `[outbound]` of `satchel.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outbound {
    /// The name server to ask, as `IP:PORT`, instead of the machine's.
    #[serde(deserialize_with = "name_server")]
    pub dns: Option<SocketAddr>,
    /// Certificates to trust beside those of browsers, a PEM file, instead of the machine's.
    pub ca_file: Option<PathBuf>,
}

fn name_server<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = |why: &str| {
        D::Error::custom(format!(
            "`outbound.dns` is '{}', {why}. Write the name server as IP:PORT, such as 10.0.0.2:53 or [fd00::2]:53.",
            shorten(&text)
        ))
    };
    match text.parse::<SocketAddr>() {
        Ok(server) if server.ip().is_unspecified() => Err(wrong("which is no address of a machine")),
        Ok(server) if server.port() == 0 => Err(wrong("and 0 is no port")),
        Ok(server) => Ok(Some(server)),
        Err(_) if text.parse::<IpAddr>().is_ok() => Err(wrong("which has no port")),
        Err(_) => Err(wrong("which is no IP address with a port")),
    }
}

/// The configuration in force.
#[derive(Debug, Clone)]
pub struct Config {
    /// The data directory.
    pub data: PathBuf,
    /// Where HTTP is served; port 0 picks a free one.
    pub listen: SocketAddr,
    /// A reverse proxy ends TLS before us.
    pub behind_proxy: bool,
    /// The log filter.
    pub log: String,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Creates the owner on first start.
    pub owner: Option<Owner>,
    /// A model by environment.
    pub model: Option<ModelChoice>,
    /// Where the vault's key comes from.
    pub vault_key: VaultKey,
    /// Which implementation keeps the graph of many vectors.
    pub graph: GraphKind,
    /// How other machines are reached.
    pub outbound: Outbound,
    /// Commit each write by itself.
    pub commit_each: bool,
    /// This binary, which starts itself again as the sandbox's helper and as workers.
    pub program: PathBuf,
}

/// The owner of an unattended start.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Sign-in name.
    pub name: String,
    /// Password.
    pub password: Secret,
}

/// A model by environment: `SATCHEL_MODEL`, `SATCHEL_MODEL_URL`, `SATCHEL_MODEL_KEY`.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    /// The dialect it speaks.
    pub kind: ProviderKind,
    /// The model's name at the provider.
    pub model: String,
    /// The provider's address, where it is not the public one.
    pub url: Option<String>,
    /// The provider's key.
    pub key: Option<Secret>,
}

/// Where the vault's key-encryption key comes from.
#[derive(Debug, Clone, Default)]
pub enum VaultKey {
    /// `secret.key` in the data directory, made at first start.
    #[default]
    File,
    /// 32 bytes as hex or base64, from the environment.
    Given(Secret),
    /// Derived from a passphrase with Argon2id.
    Passphrase(Secret),
}

/// This binary, for starting it again. Not its path, for after an upgrade another program may lie there; but where there is
/// no `/proc`, as in an empty root, the path it was started by.
pub fn program() -> PathBuf {
    let itself = Path::new("/proc/self/exe");
    if rustix::fs::access(itself, rustix::fs::Access::EXEC_OK).is_ok() {
        return itself.to_owned();
    }
    let started = Path::new(OsStr::from_bytes(rustix::param::linux_execfn().to_bytes()));
    std::path::absolute(started).unwrap_or_else(|_| started.to_owned())
}

/// The default filter: what libraries do is worth a line only when it goes wrong; what a client sends that is no HTTP
/// is not.
const DEFAULT_LOG: &str = "warn,satchel=info,actix_http::h1=off";
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8081);

impl Flags {
    /// The data directory, which must be known before its file can be read.
    pub fn data_dir(&self) -> Result<PathBuf> {
        let home = self.secrets.home.as_ref().map(|home| home.join(".local/share/satchel"));
        self.data.clone().or(home).ok_or_else(|| Error::invalid("Say where the data lies with --data or SATCHEL_DATA."))
    }

    /// Everything together; `file` is the text of `satchel.toml`, if there is one.
    pub fn resolve(self, listen: ListenFlags, file: Option<&str>) -> Result<Config> {
        let data = self.data_dir()?;
        let file: File = toml::from_str(file.unwrap_or_default())
            .map_err(|e| Error::invalid(format!("{} cannot be used: {e}", data.join("satchel.toml").display())))?;
        let env = self.secrets;
        let config = Config {
            listen: listen.listen.or(file.listen).unwrap_or(DEFAULT_LISTEN),
            behind_proxy: listen.behind_proxy || file.behind_proxy.unwrap_or_default(),
            log: self.log.or(env.log_filter).or(file.log).unwrap_or_else(|| DEFAULT_LOG.to_owned()),
            log_format: self.log_format.or(file.log_format).unwrap_or(LogFormat::Human),
            owner: owner(env.owner_name, env.owner_password)?,
            model: env
                .model
                .map(|m| ModelChoice::parse(&m, env.model_url, env.model_key.map(Secret::new)))
                .transpose()?,
            vault_key: vault_key(env.vault_key, env.vault_passphrase)?,
            graph: file.indexes.graph,
            outbound: Outbound { ca_file: file.outbound.ca_file.or(env.ca_file), ..file.outbound },
            commit_each: env.commit == Some(CommitChoice::Each),
            program: program(),
            data,
        };
        config.require_safe_address()?;
        Ok(config)
    }
}

impl Config {
    /// Others could reach the address, and nothing would encrypt what they send.
    fn require_safe_address(&self) -> Result<()> {
        if self.listen.ip().is_loopback() || self.behind_proxy {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "{} can be reached from outside and has no TLS. Listen on 127.0.0.1, or put a TLS proxy in front and say \
             --behind-proxy.",
            self.listen
        )))
    }
}

fn owner(name: Option<String>, password: Option<String>) -> Result<Option<Owner>> {
    match (name, password) {
        (Some(name), Some(password)) => Ok(Some(Owner { name, password: Secret::new(password) })),
        (None, None) => Ok(None),
        _ => Err(Error::invalid("Set both SATCHEL_OWNER_NAME and SATCHEL_OWNER_PASSWORD, or neither.")),
    }
}

fn vault_key(key: Option<String>, passphrase: Option<String>) -> Result<VaultKey> {
    match (key, passphrase) {
        (None, None) => Ok(VaultKey::File),
        (Some(key), None) => Ok(VaultKey::Given(Secret::new(key))),
        (None, Some(phrase)) => Ok(VaultKey::Passphrase(Secret::new(phrase))),
        _ => Err(Error::invalid("Set SATCHEL_VAULT_KEY or SATCHEL_VAULT_PASSPHRASE, not both.")),
    }
}

impl ModelChoice {
    /// Reads `openai:<model>`, `anthropic:<model>` or `ollama:<model>`.
    fn parse(text: &str, url: Option<String>, key: Option<Secret>) -> Result<Self> {
        let wrong = || {
            Error::invalid(format!(
                "SATCHEL_MODEL is '{text}': write openai:<model>, anthropic:<model> or ollama:<model>."
            ))
        };
        let (kind, model) = text.split_once(':').filter(|(_, model)| !model.is_empty()).ok_or_else(wrong)?;
        let kind = ProviderKind::parse(kind).map_err(|_| wrong())?;
        Ok(Self { kind, model: model.to_owned(), url, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        flags: Flags,
        #[command(flatten)]
        listen: ListenFlags,
    }

    fn resolve(words: &[&str], file: Option<&str>) -> Result<Config> {
        let line = Line::parse_from(["satchel", "--data", "d"].iter().chain(words));
        line.flags.resolve(line.listen, file)
    }

    #[test]
    fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
        assert_eq!(resolve(&[], None).unwrap().listen, DEFAULT_LISTEN);
        let file = Some("listen = '127.0.0.1:9'\nlog_format = 'json'");
        assert_eq!(resolve(&[], file).unwrap().listen.port(), 9);
        let both = resolve(&["--listen", "127.0.0.1:7"], file).unwrap();
        assert_eq!((both.listen.port(), both.log_format), (7, LogFormat::Json));
    }

    #[test]
    fn the_file_names_a_dns_server_and_certificates() {
        let file = "[outbound]\ndns = '10.0.0.2:53'\nca_file = '/etc/own.pem'";
        let outbound = resolve(&[], Some(file)).unwrap().outbound;
        assert_eq!(outbound.dns, Some("10.0.0.2:53".parse().unwrap()));
        assert_eq!(outbound.ca_file, Some("/etc/own.pem".into()));
    }

    #[test]
    fn the_file_chooses_what_keeps_the_graph_of_vectors() {
        let graph = |file| resolve(&[], file).map(|config| config.graph);
        assert_eq!(graph(None).unwrap(), GraphKind::Own);
        assert_eq!(graph(Some("[indexes]\ngraph = 'own'")).unwrap(), GraphKind::Own);
        assert_eq!(graph(Some("[indexes]\ngraph = 'hnsw_rs'")).unwrap(), GraphKind::Library);
        let error = graph(Some("[indexes]\ngraph = 'hnsw'")).unwrap_err();
        assert!(error.message().contains("expected `own` or `hnsw_rs`"), "{error}");
    }

    #[test]
    fn a_dns_server_that_cannot_be_asked_is_refused_and_the_form_is_told() {
        for (server, why) in [
            ("nowhere", "'nowhere', which is no IP address with a port"),
            ("dns.example.org:53", "which is no IP address with a port"),
            ("", "'', which is no IP address with a port"),
            ("10.0.0.2", "'10.0.0.2', which has no port"),
            ("fd00::2", "which has no port"),
            ("10.0.0.2:0", "and 0 is no port"),
            ("0.0.0.0:0", "which is no address of a machine"),
            ("[::]:53", "which is no address of a machine"),
        ] {
            let error = resolve(&[], Some(&format!("[outbound]\ndns = '{server}'"))).unwrap_err();
            let said = error.message();
            assert!(said.contains("satchel.toml cannot be used") && said.contains("IP:PORT"), "{server}: {said}");
            assert!(said.contains("`outbound.dns` is '") && said.contains(why), "{server}: {said}");
        }
        assert_eq!(resolve(&[], Some("[outbound]\nca_file = 'own.pem'")).unwrap().outbound.dns, None);
    }

    #[test]
    fn an_open_address_needs_a_proxy() {
        let error = resolve(&["--listen", "0.0.0.0:80"], None).unwrap_err();
        assert!(error.message().contains("--behind-proxy"), "{error}");
        assert!(resolve(&["--listen", "0.0.0.0:80", "--behind-proxy"], None).is_ok());
    }

    #[test]
    fn mistakes_are_named() {
        let said = |words: &[&str], file| resolve(words, file).unwrap_err().message().to_owned();
        assert!(said(&[], Some("colour = 1")).contains("colour"));
        assert!(said(&["--model", "gpt"], None).contains("openai:<model>"));
        assert!(said(&["--owner-name", "x"], None).contains("neither"));
    }
}
