//! The options of a curl command: <https://curl.se/docs/manpage.html>. Credentials are noticed, and dropped here.

use url::form_urlencoded::byte_serialize;

use super::curl_words::Word;
use satchel_model::error::{Error, Result};

/// Short options that take a value.
const SHORT: &str = "AbcCdDeEFHKmoPQrtTuUwxXyYz";

/// Long options that take a value, in lines of the alphabet.
const LONG: &str = "
    abstract-unix-socket alt-svc aws-sigv4
    cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar create-file-mode
    crlfile curves
    data data-ascii data-binary data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers
    doh-url dump-header dump-ca-embed
    ech egd-file engine etag-compare etag-save expect100-timeout
    form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode
    happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts
    interface ip-tos ipfs-gateway json
    keepalive-cnt keepalive-time key key-type krb
    libcurl limit-rate local-port login-options
    mail-auth mail-from mail-rcpt max-filesize max-redirs max-time
    netrc-file noproxy
    oauth2-bearer output output-dir
    parallel-max parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert
    proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass
    proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user
    proxy1.0 pubkey
    quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time
    sasl-authzid service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time
    stderr
    telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii
    trace-config
    unix-socket upload-file upload-flags url url-query user user-agent
    variable vlan-priority write-out
";

/// A header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) value: String,
    /// The value is not known here: the shell would have put it in place, or documentation leaves it open.
    pub(super) is_open: bool,
}

impl Header {
    /// Its name in small letters.
    pub(super) fn lower(&self) -> String {
        self.name.to_lowercase()
    }

    /// `Name: value`.
    fn parse(word: &Word) -> Option<Self> {
        let (name, value) = word.text.split_once(':')?;
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        let is_variable = value.starts_with('$') || (word.variable.is_some() && value.contains('$'));
        let is_open = is_variable || is_placeholder(&value);
        Some(Self { name, value, is_open })
    }
}

/// Returns whether a text stands for a value as documentation writes it: `{name}`, `<name>`, `YOUR_NAME`.
fn is_placeholder(text: &str) -> bool {
    let inside = |open: char, close: char| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-. ".contains(c));
    let within = inside('{', '}').map(|text| text.trim_matches(['{', '}'])).or_else(|| inside('<', '>'));
    within.is_some_and(is_name) || text.to_ascii_uppercase().starts_with("YOUR") && is_name(text)
}

/// The request a command asks for.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) method: Option<String>,
    /// Each is a request of its own.
    pub(super) urls: Vec<Word>,
    pub(super) headers: Vec<Header>,
    /// Pieces of the body, as curl sends them.
    pub(super) data: Vec<String>,
    /// The parameters `--url-query` adds.
    pub(super) query: Vec<String>,
    /// The fields of a multipart form; a file has no value.
    pub(super) form: Vec<(String, Option<String>)>,
    pub(super) in_query: bool,
    pub(super) json: bool,
    pub(super) basic: bool,
    /// A user name is given, and no password with it.
    pub(super) no_password: bool,
    pub(super) bearer: bool,
    pub(super) certificate: bool,
    pub(super) cookies: bool,
    /// A way of proving who asks that is not known here.
    pub(super) unknown_proof: Option<String>,
    /// Something is sent from a file.
    pub(super) file: bool,
    pub(super) upload: bool,
    /// The shell would have put a part of the body in place.
    pub(super) is_open: bool,
}

/// Reads the options; what follows `--next` is a command of its own.
pub(super) fn parse(words: &[Word]) -> Result<Vec<Command>> {
    let (mut commands, mut command) = (Vec::new(), Command::default());
    let mut words = words.iter().skip(1);
    let mut only_urls = false;
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if only_urls || !text.starts_with('-') || text == "-" {
            command.urls.push(word.clone());
            continue;
        }
        if text == "--" {
            only_urls = true;
        } else if matches!(text, "--next" | "-:") {
            commands.push(std::mem::take(&mut command));
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, glued) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if LONG.split_whitespace().any(|known| known == name) {
                let value = glued.map(Word::from).or_else(|| words.next().cloned());
                command.take(name, value.ok_or_else(|| lacking(text))?);
            } else {
                command.flag(name);
            }
        } else {
            short(text, &mut words, &mut command)?;
        }
    }
    commands.push(command);
    Ok(commands)
}

fn lacking(option: &str) -> Error {
    Error::invalid(format!("The option {option} of the curl command lacks its value."))
}

/// A bundle of short options; the first that takes a value takes the rest of it, or the next word: `-kvu me:it`.
fn short<'a>(text: &str, words: &mut impl Iterator<Item = &'a Word>, command: &mut Command) -> Result<()> {
    let mut rest = text.chars().skip(1);
    while let Some(letter) = rest.next() {
        if !SHORT.contains(letter) {
            command.flag(match letter {
                'G' => "get",
                'I' => "head",
                'n' => "netrc",
                _ => "",
            });
            continue;
        }
        let glued: String = rest.collect();
        let value = if glued.is_empty() { words.next().cloned() } else { Some(Word::from(glued.as_str())) };
        let name = match letter {
            'X' => "request",
            'H' => "header",
            'd' => "data",
            'u' => "user",
            'E' => "cert",
            'b' => "cookie",
            'F' => "form",
            'T' => "upload-file",
            'K' => "config",
            _ => "",
        };
        command.take(name, value.ok_or_else(|| lacking(&format!("-{letter}")))?);
        return Ok(());
    }
    Ok(())
}

impl Command {
    fn flag(&mut self, name: &str) {
        match name {
            "get" => self.in_query = true,
            "head" => self.method = Some("HEAD".to_owned()),
            "digest" | "ntlm" | "negotiate" | "anyauth" => self.unknown_proof = Some(name.to_owned()),
            "netrc" | "netrc-optional" => self.basic = true,
            _ => {}
        }
    }

    fn take(&mut self, name: &str, value: Word) {
        let of_body = name.starts_with("data") || name.starts_with("form") || name == "json";
        self.is_open |= of_body && value.variable.is_some();
        if name == "header" {
            return self.headers.extend(Header::parse(&value));
        }
        let text = value.text;
        match name {
            "request" => self.method = Some(text),
            "url" => self.urls.push(Word { text, variable: value.variable }),
            "data" | "data-ascii" | "data-binary" if text.starts_with('@') => self.file = true,
            "data" | "data-ascii" | "data-binary" | "data-raw" => self.data.push(text),
            "json" => {
                self.json = true;
                let (name, value) = ("Content-Type".to_owned(), "application/json".to_owned());
                self.headers.push(Header { name, value, is_open: false });
                if text.starts_with('@') { self.file = true } else { self.data.push(text) }
            }
            "data-urlencode" => self.data.push(encoded(&text)),
            "url-query" => self.query.push(text.strip_prefix('+').map_or_else(|| encoded(&text), str::to_owned)),
            "form" => self.form.extend(field(&text)),
            "form-string" => {
                self.form.extend(text.split_once('=').map(|(name, text)| (name.to_owned(), Some(text.to_owned()))))
            }
            "user" => {
                self.basic = true;
                self.no_password = text.split_once(':').is_none_or(|(_, password)| password.is_empty());
            }
            "netrc-file" => self.basic = true,
            "oauth2-bearer" => self.bearer = true,
            "aws-sigv4" => self.unknown_proof = Some(name.to_owned()),
            "cert" | "key" => self.certificate = true,
            "cookie" => self.cookies = true,
            "upload-file" => self.upload = true,
            _ => {}
        }
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), variable: None }
    }
}

/// `name=text`, `=text` and `text` of `--data-urlencode`; what stands in a file, `name@file`, stays empty.
fn encoded(text: &str) -> String {
    let coded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    match text.split_once(['=', '@']) {
        Some((name, _)) if text.as_bytes().get(name.len()) == Some(&b'@') => format!("{name}="),
        Some(("", text)) => coded(text),
        Some((name, text)) => format!("{name}={}", coded(text)),
        None => coded(text),
    }
}

/// `name=text`, `name=@file`, `name=<file`, with `;type=…` behind it. The text of a file is not known here: it is empty.
fn field(text: &str) -> Option<(String, Option<String>)> {
    let (name, value) = text.split_once('=')?;
    let plain = value.split(";type=").next().filter(|value| !value.starts_with('@'));
    let plain = plain.map(|value| if value.starts_with('<') { "" } else { value.trim_matches('"') });
    Some((name.to_owned(), plain.map(str::to_owned)))
}
