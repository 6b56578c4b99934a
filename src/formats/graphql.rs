//! What a GraphQL document would do, without a schema: which operation runs, of which kind, and its outermost fields.
//!
//! Grammar: <https://spec.graphql.org/October2021/#sec-Document-Syntax>. Only as much is read as that takes.

use std::collections::HashMap;

use crate::model::error::{Error, Result};

/// Deepest selections in selections, and fragments in fragments.
const MAX_DEPTH: usize = 64;
/// Longest document, in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// The kinds of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Query,
    /// Writes.
    Mutation,
    /// Listens.
    Subscription,
}

/// The operation that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: Option<String>,
    /// Its outermost fields by their own names, fragments followed; none twice.
    pub fields: Vec<String>,
}

/// The operation a document runs, by its name where there are several. Fails where that is not clear.
pub fn operation(document: &str, name: Option<&str>) -> Result<Operation> {
    if document.len() > MAX_LENGTH {
        return Err(Error::invalid(format!("The GraphQL document is longer than {MAX_LENGTH} bytes.")));
    }
    let tokens = tokens(document)?;
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let (mut operations, mut fragments) = (Vec::new(), HashMap::new());
    while let Some(token) = reader.peek() {
        match token {
            Token::Name("fragment") => {
                let (name, selected) = reader.fragment()?;
                fragments.insert(name, selected);
            }
            Token::Mark('{') => operations.push((Kind::Query, None, reader.selections(0)?)),
            Token::Name(word) => operations.push(reader.operation(word)?),
            _ => return Err(wrong("an operation begins with query, mutation, subscription or '{'")),
        }
    }
    let (kind, name, selected) = choose(operations, name)?;
    let mut fields = Vec::new();
    flatten(&selected, &fragments, 0, &mut fields)?;
    if fields.is_empty() {
        return Err(wrong("the operation selects nothing"));
    }
    Ok(Operation { kind, name: name.map(str::to_owned), fields })
}

type Read<'a> = (Kind, Option<&'a str>, Vec<Selected<'a>>);

fn choose<'a>(operations: Vec<Read<'a>>, name: Option<&str>) -> Result<Read<'a>> {
    let names: Vec<&str> = operations.iter().map(|(_, name, _)| name.unwrap_or("one without a name")).collect();
    let listed = names.join(", ");
    let several = operations.len() > 1;
    let mut found = operations.into_iter().filter(|(_, own, _)| name.is_none() || *own == name);
    match (found.next(), name) {
        (Some(_), None) if several => {
            Err(Error::invalid(format!("The document has several operations: name one as operation_name: {listed}.")))
        }
        (Some(_), Some(name)) if found.next().is_some() => Err(wrong(&format!("two operations are named {name}"))),
        (Some(found), _) => Ok(found),
        (None, Some(name)) => Err(Error::invalid(format!("The document has no operation '{name}'. It has: {listed}."))),
        (None, None) => Err(wrong("it has no operation")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Name(&'a str),
    Mark(char),
    Spread,
    /// A number or a text: what it is does not matter here.
    Value,
}

/// What is selected: a field by its own name, the fields of a fragment, or those of a fragment in place.
enum Selected<'a> {
    Field(&'a str),
    Fragment(&'a str),
    Inline(Vec<Selected<'a>>),
}

fn flatten<'a>(
    selected: &[Selected<'a>],
    fragments: &HashMap<&'a str, Vec<Selected<'a>>>,
    depth: usize,
    fields: &mut Vec<String>,
) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(wrong("its fragments contain each other"));
    }
    for one in selected {
        match one {
            Selected::Field(name) if fields.iter().any(|known| known == name) => {}
            Selected::Field(name) => fields.push((*name).to_owned()),
            Selected::Inline(inner) => flatten(inner, fragments, depth + 1, fields)?,
            Selected::Fragment(name) => {
                let inner = fragments.get(name).ok_or_else(|| wrong(&format!("it has no fragment {name}")))?;
                flatten(inner, fragments, depth + 1, fields)?;
            }
        }
    }
    Ok(())
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Result<Token<'a>> {
        let token = self.peek().ok_or_else(|| wrong("it ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    fn skip_if(&mut self, token: Token<'_>) -> bool {
        let is = self.peek() == Some(token);
        self.at += usize::from(is);
        is
    }

    fn name(&mut self) -> Result<&'a str> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            _ => Err(wrong("a name is missing")),
        }
    }

    fn operation(&mut self, word: &str) -> Result<Read<'a>> {
        let kind = match word {
            "query" => Kind::Query,
            "mutation" => Kind::Mutation,
            "subscription" => Kind::Subscription,
            _ => return Err(wrong("an operation begins with query, mutation, subscription or '{'")),
        };
        self.at += 1;
        let name = match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Some(name)
            }
            _ => None,
        };
        self.group('(', ')')?;
        self.directives()?;
        Ok((kind, name, self.selections(0)?))
    }

    fn fragment(&mut self) -> Result<(&'a str, Vec<Selected<'a>>)> {
        self.at += 1;
        let name = self.name()?;
        if !self.skip_if(Token::Name("on")) {
            return Err(wrong("a fragment says what it is on"));
        }
        self.name()?;
        self.directives()?;
        Ok((name, self.selections(0)?))
    }

    /// A selection in braces; what stands inside its fields is read over.
    fn selections(&mut self, depth: usize) -> Result<Vec<Selected<'a>>> {
        if depth > MAX_DEPTH {
            return Err(wrong("it is nested too deep"));
        }
        if !self.skip_if(Token::Mark('{')) {
            return Err(wrong("a selection in braces is missing"));
        }
        let mut selected = Vec::new();
        while !self.skip_if(Token::Mark('}')) {
            if self.skip_if(Token::Spread) {
                selected.push(self.spread(depth)?);
                continue;
            }
            let mut name = self.name()?;
            if self.skip_if(Token::Mark(':')) {
                // What stood before the colon is only what the answer calls it.
                name = self.name()?;
            }
            self.group('(', ')')?;
            self.directives()?;
            self.group('{', '}')?;
            selected.push(Selected::Field(name));
        }
        Ok(selected)
    }

    fn spread(&mut self, depth: usize) -> Result<Selected<'a>> {
        if let Some(Token::Name(name)) = self.peek()
            && name != "on"
        {
            self.at += 1;
            self.directives()?;
            return Ok(Selected::Fragment(name));
        }
        if self.skip_if(Token::Name("on")) {
            self.name()?;
        }
        self.directives()?;
        self.selections(depth + 1).map(Selected::Inline)
    }

    fn directives(&mut self) -> Result<()> {
        while self.skip_if(Token::Mark('@')) {
            self.name()?;
            self.group('(', ')')?;
        }
        Ok(())
    }

    /// Reads over what stands between two marks, if the first is there.
    fn group(&mut self, open: char, close: char) -> Result<()> {
        if !self.skip_if(Token::Mark(open)) {
            return Ok(());
        }
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Token::Mark(mark) if mark == open => depth += 1,
                Token::Mark(mark) if mark == close => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

fn tokens(document: &str) -> Result<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = document.trim_start_matches('\u{feff}');
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            ' ' | '\t' | '\n' | '\r' | ',' => 1,
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '.' if rest.starts_with("...") => 3,
            '"' => text(rest)?,
            '_' | 'a'..='z' | 'A'..='Z' => length(rest, |c| c == '_' || c.is_ascii_alphanumeric()),
            '-' | '0'..='9' => length(rest, |c| c.is_ascii_alphanumeric() || "+-.".contains(c)),
            '{' | '}' | '(' | ')' | '[' | ']' | ':' | '@' | '!' | '$' | '=' | '&' | '|' => 1,
            other => return Err(wrong(&format!("'{}' does not belong there", other.escape_debug()))),
        };
        let (piece, after) = rest.split_at_checked(taken).ok_or_else(|| wrong("it cannot be cut there"))?;
        match first {
            ' ' | '\t' | '\n' | '\r' | ',' | '#' => {}
            '.' => tokens.push(Token::Spread),
            '_' | 'a'..='z' | 'A'..='Z' => tokens.push(Token::Name(piece)),
            '"' | '-' | '0'..='9' => tokens.push(Token::Value),
            mark => tokens.push(Token::Mark(mark)),
        }
        rest = after;
    }
    Ok(tokens)
}

fn length(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// The length of a text with its quotes.
fn text(rest: &str) -> Result<usize> {
    let unfinished = || wrong("a text has no end");
    if let Some(block) = rest.strip_prefix("\"\"\"") {
        let mut from = 0;
        loop {
            let end = from + block.get(from..).and_then(|rest| rest.find("\"\"\"")).ok_or_else(unfinished)?;
            if !block.get(..end).unwrap_or_default().ends_with('\\') {
                return Ok(end + 6);
            }
            from = end + 3;
        }
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return Err(unfinished()),
            '"' if !escaped => return Ok(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Err(unfinished())
}

fn wrong(what: &str) -> Error {
    Error::invalid(format!("The GraphQL document cannot be read: {what}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(document: &str, name: Option<&str>) -> (Kind, Vec<String>) {
        let read = operation(document, name).unwrap();
        (read.kind, read.fields)
    }

    #[test]
    fn the_operation_and_its_outermost_fields_are_found() {
        assert_eq!(fields("{ a b { c } }", None), (Kind::Query, vec!["a".to_owned(), "b".to_owned()]));
        let document = r#"
            # mutation { harmless }
            mutation Pay($id: ID! = "}", $n: [Int!] = [1, -2.5e3]) @live(if: true) {
              mine: pay(id: $id, note: """a "quoted" \""" }""") @include(if: true) { ok }
              ...Rest
              ... on Mutation { inline(x: {a: "}"}) }
              ... @skip(if: false) { bare }
            }
            fragment Rest on Mutation { refund, pay { __typename } ...Deep }
            fragment Deep on Mutation { cancel }
        "#;
        assert_eq!(
            fields(document, None),
            (Kind::Mutation, ["pay", "refund", "cancel", "inline", "bare"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn of_several_operations_one_is_named() {
        let document = "query A { a } mutation B { b }";
        assert_eq!(fields(document, Some("B")), (Kind::Mutation, vec!["b".to_owned()]));
        let told = |name| operation(document, name).unwrap_err().message().to_owned();
        assert!(told(None).ends_with("name one as operation_name: A, B."));
        assert!(told(Some("C")).ends_with("no operation 'C'. It has: A, B."));
    }

    #[test]
    fn a_mutation_cannot_pass_for_a_query() {
        for document in [
            "mutation{a}",
            "\u{feff}mutation{a}",
            ",,mutation,X,{a}",
            "#{\nmutation\r\n{a}",
            "fragment F on Q { x } mutation { ...G } fragment G on M { a }",
        ] {
            assert_eq!(fields(document, None), (Kind::Mutation, vec!["a".to_owned()]), "{document}");
        }
        assert_eq!(fields("subscription { a }", None).0, Kind::Subscription);
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for document in [
            "",
            "query",
            "{",
            "{ a",
            "{}",
            "query A { a } query A { b }",
            "{ ...F }",
            "{ ...F } fragment F on Q { ...F }",
            "type A { a: Int }",
            "{ a(x: \") }",
            "{ a } ;",
        ] {
            assert!(operation(document, None).is_err(), "{document}");
        }
        assert!(operation(&format!("{{{}", "... {".repeat(10_000)), None).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(document in "\\PC{0,60}") {
            let _ = operation(&document, None);
        }

        #[test]
        fn any_tokens_are_read_without_panic(tokens in prop::collection::vec(
            prop::sample::select(vec!["{", "}", "(", ")", "...", "on", "query", "mutation", "fragment", "a", "\"", "@", ":", "#", "\n"]), 0..30)) {
            let _ = operation(&tokens.join(" "), None);
        }
    }
}
