//! The tags a header may hold: one list for the parser, the guide and the editor.

/// One tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag {
    /// The word after `@`.
    pub name: &'static str,
    /// The syntax.
    pub syntax: &'static str,
    /// The purpose.
    pub what: &'static str,
    /// `true` if it may stand more than once.
    pub repeats: bool,
}

const fn tag(name: &'static str, syntax: &'static str, what: &'static str) -> Tag {
    Tag { name, syntax, what, repeats: false }
}

const fn tags(name: &'static str, syntax: &'static str, what: &'static str) -> Tag {
    Tag { repeats: true, ..tag(name, syntax, what) }
}

/// Every tag, in the order a header is best written.
pub const TAGS: &[Tag] = &[
    tag("name", "@name snake_case", "The tool's name, as the file is called."),
    tag("description", "@description text", "What the tool does: one or two sentences."),
    tag("when", "@when text", "When to choose it, in a user's words: find_tools goes by it."),
    tag("category", "@category data", "Its group in the library: data if left out."),
    tags(
        "param",
        "@param name type[?] [= default] \"what it is\"",
        "A parameter: string, integer, number, boolean, object, any, a list such as string[], or values such as \"a\" | \
         \"b\". It must be given unless it has a default or a `?` after the type. A number is always a float: 10 is \
         10.0.",
    ),
    tag("risk", "@risk read", "read, low_write, high_write or destructive. The tools in @uses may raise it."),
    tag("permission", "@permission area:verb", "The permission its caller needs."),
    tag("timeout", "@timeout 9s", "How long a call may take in all, 120s at most; 9s if left out."),
    tags(
        "config",
        "@config key [secret [to host, host]] [required] [= \"default\"] \"what it is\"",
        "A setting an administrator gives. A secret can be used, never read back. It is sent to the hosts after `to` only, \
         or where none is named to any host of @http.",
    ),
    tags("uses", "@uses tool, tool", "The tools it calls with tool(name, params)."),
    tags(
        "http",
        "@http host[:port], *.host",
        "The hosts it calls. An administrator grants each. Without a port: https.",
    ),
    tag("kv", "@kv", "It keeps values of its own with kv_set and kv_get, for each user apart."),
    tags(
        "example",
        "@example \"title\" {arguments} => result",
        "A worked example: documentation and a test. Members of the result that are not named may hold anything.",
    ),
];

/// The tag of this name.
pub(super) fn find(name: &str) -> Option<&'static Tag> {
    TAGS.iter().find(|tag| tag.name == name)
}
