//! SOAP envelopes, both versions: what is sent, and what came back, faults among it.
//!
//! Formats: <https://www.w3.org/TR/2000/NOTE-SOAP-20000508/> and <https://www.w3.org/TR/soap12-part1/>.

use serde_json::{Map, Value};

use super::xml;
use satchel_model::{
    error::{Error, Result},
    figure,
    xml::{Element, local},
};

/// Longest message that is sent, in bytes.
const LONGEST: usize = 1 << 20;
/// The namespace of SOAP 1.1.
const V11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// The namespace of SOAP 1.2.
const V12: &str = "http://www.w3.org/2003/05/soap-envelope";

/// A version of SOAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 1.1: `text/xml`, the action in a header of its own.
    V11,
    /// 1.2: `application/soap+xml`, the action a part of it.
    V12,
}

impl Version {
    /// The media type a request is sent as.
    pub fn content_type(self, action: &str) -> String {
        match self {
            Self::V11 => "text/xml; charset=utf-8".to_owned(),
            Self::V12 if action.is_empty() => "application/soap+xml; charset=utf-8".to_owned(),
            Self::V12 => format!("application/soap+xml; charset=utf-8; action=\"{action}\""),
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::V11 => Self::V12,
            Self::V12 => Self::V11,
        }
    }

    /// From how people write it; anything but `1.2` is 1.1.
    pub fn parse(text: &str) -> Self {
        if text.trim() == "1.2" { Self::V12 } else { Self::V11 }
    }

    fn namespace(self) -> &'static str {
        match self {
            Self::V11 => V11,
            Self::V12 => V12,
        }
    }
}

/// A request to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The envelope.
    pub envelope: String,
    /// Its version.
    pub version: Version,
    /// `true` if whoever wrote it chose that version; otherwise another may be tried.
    pub chosen: bool,
}

impl Request {
    /// Puts XML into an envelope of this version. XML that is an envelope already is left as it is, with its own
    /// version.
    ///
    /// # Errors
    ///
    /// If it is no XML, or too long.
    pub fn new(body: &str, version: Version) -> Result<Self> {
        if body.len() > LONGEST {
            return Err(Error::invalid(format!("A SOAP message may have {}.", figure::bytes(LONGEST as u64))));
        }
        let body = without_declaration(body.trim_start_matches('\u{feff}').trim());
        if body.contains("<!DOCTYPE") || body.contains("<!ENTITY") {
            return Err(Error::invalid("A SOAP message has no document type: leave the DOCTYPE out."));
        }
        let root = xml::parse(body)?;
        if root.local() == "Envelope" {
            let version = version_of(&root).ok_or_else(|| {
                Error::invalid(format!("The envelope is of no SOAP version: its namespace is {V11} or {V12}."))
            })?;
            return Ok(Self { envelope: declared(body), version, chosen: true });
        }
        let envelope = format!(
            "<soap:Envelope xmlns:soap=\"{}\"><soap:Body>{body}</soap:Body></soap:Envelope>",
            version.namespace()
        );
        // What looks like one element may close the envelope and say more.
        let whole = xml::parse(&envelope)?;
        if whole.children.len() != 1 || whole.first("Body").is_none_or(|body| body.children.is_empty()) {
            return Err(Error::invalid("The body is one XML element, or a whole SOAP envelope."));
        }
        Ok(Self { envelope: declared(&envelope), version, chosen: false })
    }
}

/// A fault: the service says that it did not do it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The party at fault, without prefix: `Client`, `Server`, `Sender`, `Receiver`, `VersionMismatch`,
    /// `MustUnderstand`.
    pub code: String,
    /// Closer codes, 1.2 only.
    pub subcode: Option<String>,
    /// In words.
    pub reason: String,
    /// The detail the service adds.
    pub detail: Option<Value>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The content of the body, and of the header where there is one.
    Body {
        /// The elements of the body, as JSON.
        body: Value,
        /// The elements of the header.
        header: Option<Value>,
    },
    /// A fault.
    Fault(Fault),
}

/// Reads an answer that [`xml::to_json`] has read. `None` if it is no envelope.
pub fn read(document: &Value) -> Option<Answer> {
    let envelope = document.get("Envelope")?;
    let body = envelope.get("Body")?;
    if let Some(fault) = body.get("Fault") {
        return Some(Answer::Fault(read_fault(fault)));
    }
    let header = envelope.get("Header").filter(|header| !header.is_null());
    Some(Answer::Body { body: body.clone(), header: header.cloned() })
}

fn read_fault(fault: &Value) -> Fault {
    let code = |value: Option<&Value>| value.map(text).map(|code| local(&code).to_owned());
    let detail = fault.get("detail").or_else(|| fault.get("Detail")).filter(|detail| !detail.is_null()).cloned();
    if let Some(new) = fault.get("Code") {
        let reason = fault.get("Reason").and_then(|reason| reason.get("Text")).map(english);
        return Fault {
            code: code(new.get("Value")).unwrap_or_default(),
            subcode: code(new.pointer("/Subcode/Value")),
            reason: reason.unwrap_or_default(),
            detail,
        };
    }
    Fault {
        code: code(fault.get("faultcode")).unwrap_or_default(),
        subcode: None,
        reason: fault.get("faultstring").map(text).unwrap_or_default(),
        detail,
    }
}

/// An element's own text, with or without attributes.
fn text(value: &Value) -> String {
    let own = value.as_str().or_else(|| value.get("#text").and_then(Value::as_str));
    own.unwrap_or_default().trim().to_owned()
}

/// The reason in English, of those in several languages.
fn english(reasons: &Value) -> String {
    let Some(several) = reasons.as_array() else { return text(reasons) };
    let is_english =
        |reason: &&Value| reason.get("@lang").and_then(Value::as_str).is_some_and(|lang| lang.starts_with("en"));
    several.iter().find(is_english).or_else(|| several.first()).map(text).unwrap_or_default()
}

impl Fault {
    /// As an error that names code and reason; the details hold the rest.
    pub fn into_error(self) -> Error {
        let code = self.subcode.as_ref().map_or_else(|| self.code.clone(), |sub| format!("{} ({sub})", self.code));
        let mut details = Map::new();
        details.insert("code".to_owned(), Value::from(self.code));
        details.extend(self.subcode.map(|subcode| ("subcode".to_owned(), Value::from(subcode))));
        details.insert("reason".to_owned(), Value::from(self.reason.clone()));
        details.extend(self.detail.map(|detail| ("detail".to_owned(), detail)));
        Error::upstream(format!("The service answered with the fault {code}: {}", self.reason))
            .with_details(Value::Object(details))
            .as_answer()
    }
}

fn version_of(envelope: &Element) -> Option<Version> {
    let prefix = envelope.name.split_once(':').map(|(prefix, _)| format!("xmlns:{prefix}"));
    let wanted = prefix.unwrap_or_else(|| "xmlns".to_owned());
    let (_, namespace) = envelope.attributes.iter().find(|(name, _)| *name == wanted)?;
    [Version::V11, Version::V12].into_iter().find(|version| version.namespace() == namespace)
}

fn without_declaration(text: &str) -> &str {
    let rest = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    rest.map_or(text, |(_, rest)| rest.trim_start())
}

fn declared(envelope: &str) -> String {
    format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>{envelope}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_that_is_too_long_is_refused_unread() {
        let error = Request::new(&"<".repeat(LONGEST + 1), Version::V11).unwrap_err();
        assert_eq!(error.message(), "A SOAP message may have 1 MB.");
    }

    #[test]
    fn a_body_is_put_into_an_envelope_and_an_envelope_stays() {
        let made =
            Request::new("<?xml version=\"1.0\"?>\n<m:Price xmlns:m=\"urn:m\">1</m:Price>", Version::V12).unwrap();
        assert_eq!(
            made.envelope,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\">\
             <soap:Body><m:Price xmlns:m=\"urn:m\">1</m:Price></soap:Body></soap:Envelope>"
        );
        assert_eq!((made.version, made.chosen), (Version::V12, false));
        let own = format!("<e:Envelope xmlns:e=\"{V12}\"><e:Body><a/></e:Body></e:Envelope>");
        let kept = Request::new(&own, Version::V11).unwrap();
        assert_eq!((kept.version, kept.chosen), (Version::V12, true));
        assert!(kept.envelope.ends_with(&own));
    }

    #[test]
    fn what_would_break_out_of_the_envelope_is_refused() {
        for body in [
            "",
            "text",
            "<a>",
            "<a/></soap:Body><soap:Header/><soap:Body><b/>",
            "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
            "<Envelope><Body/></Envelope>",
        ] {
            assert!(Request::new(body, Version::V11).is_err(), "{body}");
        }
    }

    #[test]
    fn answers_and_faults_of_both_versions_are_read() {
        let envelope = |ns: &str, body: &str| {
            xml::to_json(&format!("<s:Envelope xmlns:s=\"{ns}\"><s:Body>{body}</s:Body></s:Envelope>")).unwrap()
        };
        let answer = read(&envelope(V11, "<r:Sum xmlns:r=\"urn:r\"><v>3</v></r:Sum>")).unwrap();
        assert_eq!(answer, Answer::Body { body: json!({"Sum": {"v": "3"}}), header: None });
        let old = "<s:Fault><faultcode>s:Client</faultcode><faultstring>No such item</faultstring>\
                   <detail><sku>9</sku></detail></s:Fault>";
        let Some(Answer::Fault(fault)) = read(&envelope(V11, old)) else { panic!("no fault") };
        let error = fault.into_error();
        assert_eq!(error.message(), "The service answered with the fault Client: No such item");
        assert_eq!(error.details().unwrap()["detail"], json!({"sku": "9"}));
        let new = "<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>m:Stock</s:Value></s:Subcode></s:Code>\
                   <s:Reason><s:Text xml:lang=\"de\">Nein</s:Text><s:Text xml:lang=\"en\">No</s:Text></s:Reason></s:Fault>";
        let Some(Answer::Fault(fault)) = read(&envelope(V12, new)) else { panic!("no fault") };
        assert_eq!(fault.into_error().message(), "The service answered with the fault Sender (Stock): No");
        assert_eq!(read(&json!({"html": null})), None);
    }
}
