//! The profile of a tool, as find_tools reads it: made from its spec alone, always the same.

use serde_json::Value;

use super::lexical::Field;
use satchel_engine::tool::Tool;
use satchel_model::words;

/// Characters of the text that stands for the whole tool: the model reads no more.
const WHOLE: usize = 2_000;
/// Least words of an example's title that say something, for it to be a need.
const TELLING: usize = 3;
/// Characters of what it does and when to choose it that stand for it until the whole of it is known: whole sentences.
/// The model takes as long as a text is, and what comes later in one finds few tools.
const SHORT: usize = 200;
/// Characters of what is said of a server.
const ABOUT: usize = 300;

/// A tool's profile.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// The id results name it by.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its other names, with what they say beyond it.
    pub aliases: Vec<(String, String)>,
    /// A description of what it does.
    pub description: String,
    /// A description of when to choose it.
    pub when_to_use: String,
    /// Its category.
    pub category: String,
    /// The server or system it belongs to, and what that says of itself.
    pub server: Option<(String, String)>,
    /// Its parameters, with their descriptions.
    pub parameters: Vec<(String, String)>,
    /// The titles of its examples.
    pub examples: Vec<String>,
}

impl Profile {
    /// A registered tool's profile.
    pub fn new(tool: &Tool) -> Self {
        let spec = tool.spec();
        let described = |description: Option<&str>| description.unwrap_or_default().to_owned();
        let own = spec.examples.iter().chain(tool.aliases().iter().flat_map(|alias| alias.examples()));
        Self {
            id: spec.id(),
            name: spec.name.clone(),
            aliases: tool.aliases().iter().map(|a| (a.name().to_owned(), described(a.description()))).collect(),
            description: spec.description.clone(),
            when_to_use: spec.when_to_use.clone(),
            category: serde_json::to_value(spec.category)
                .ok()
                .and_then(|c| c.as_str().map(str::to_owned))
                .unwrap_or_default(),
            server: None,
            parameters: parameters(&spec.parameters.document()),
            examples: own.map(|example| example.title.clone()).collect(),
        }
    }

    /// Its texts by field, for the words.
    pub fn fields(&self) -> Vec<(Field, &str)> {
        let mut fields = vec![
            (Field::Name, self.name.as_str()),
            (Field::Description, &self.description),
            (Field::WhenToUse, &self.when_to_use),
            (Field::Group, &self.category),
        ];
        for (name, description) in &self.aliases {
            fields.extend([(Field::Alias, name.as_str()), (Field::AboutAlias, description)]);
        }
        if let Some((name, about)) = &self.server {
            fields.extend([(Field::Group, name.as_str()), (Field::AboutGroup, about)]);
        }
        for (name, description) in &self.parameters {
            fields.extend([(Field::Parameters, name.as_str()), (Field::Parameters, description)]);
        }
        fields.extend(self.examples.iter().map(|title| (Field::Examples, title.as_str())));
        fields
    }

    /// Its three views, for the meaning: the whole, name and the opening of the description, the name.
    pub fn views(&self) -> [String; 3] {
        let name = spoken(&self.name);
        let told = format!("{} {}", self.description, self.when_to_use);
        let told = told.trim();
        let short = format!("{name}: {}", opening(told, SHORT));
        let mut whole = vec![format!("{name}: {told}")];
        if !self.category.is_empty() {
            whole.push(format!("Category: {}", spoken(&self.category)));
        }
        if let Some((name, about)) = &self.server {
            whole.push(format!("Server: {}: {}", spoken(name), about.chars().take(ABOUT).collect::<String>()));
        }
        if !self.aliases.is_empty() {
            let aliases: Vec<String> = self.aliases.iter().map(|(alias, _)| spoken(alias)).collect();
            whole.push(format!("Also: {}", aliases.join(", ")));
        }
        whole.extend(self.examples.iter().cloned());
        if !self.parameters.is_empty() {
            let told = self.parameters.iter().map(|(name, description)| match description.as_str() {
                "" => spoken(name),
                description => format!("{} ({description})", spoken(name)),
            });
            whole.push(format!("Parameters: {}", told.collect::<Vec<_>>().join(", ")));
        }
        [whole.join(". ").chars().take(WHOLE).collect(), short, name]
    }

    /// Returns what a person may say who needs it: the sentences on when to use it, and what its examples show where
    /// their titles say it.
    pub fn needs(&self) -> Vec<&str> {
        let sentences = self.when_to_use.split(['.', ';']).map(str::trim).filter(|s| s.split_whitespace().count() >= 3);
        let titles = self.examples.iter().map(String::as_str);
        sentences.chain(titles.filter(|title| words::terms(title).len() >= TELLING)).collect()
    }
}

/// The first sentences of a text, or its first words, as many as so many characters hold; its first word at least.
fn opening(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let held = text.get(..end).unwrap_or(text);
    let sentences = held.rmatch_indices(". ").next().map(|(at, _)| at + 1);
    let words = || held.rfind(char::is_whitespace).unwrap_or(end);
    text.get(..sentences.unwrap_or_else(words)).unwrap_or(held)
}

/// An identifier as one would say it.
fn spoken(name: &str) -> String {
    let apart = words::apart(name);
    let words = apart.split(|c: char| !(c.is_alphanumeric() || "&+#".contains(c)));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Names and descriptions from a schema, those of nested objects included.
fn parameters(schema: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(schema, 0, &mut found);
    found
}

fn collect(schema: &Value, depth: usize, found: &mut Vec<(String, String)>) {
    const DEEPEST: usize = 2;
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let description = inner.get("description").and_then(Value::as_str).unwrap_or_default();
        found.push((name.clone(), description.to_owned()));
        if depth < DEEPEST {
            collect(inner, depth + 1, found);
            collect(inner.get("items").unwrap_or(&Value::Null), depth + 1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn profile() -> Profile {
        Profile {
            id: "mcp:readFile".into(),
            name: "readFile".into(),
            description: "Reads a file.".into(),
            when_to_use: "You know the path. Not for folders".into(),
            category: "files".into(),
            server: Some(("file-server".into(), "Files of a disk".into())),
            parameters: vec![("max_bytes".into(), "How much".into()), ("path".into(), String::new())],
            examples: vec!["The first lines".into()],
            ..Profile::default()
        }
    }

    #[test]
    fn the_views_go_from_the_whole_to_the_name() {
        let [whole, short, name] = profile().views();
        assert_eq!(name, "read File");
        assert_eq!(short, "read File: Reads a file. You know the path. Not for folders");
        assert_eq!(
            whole,
            format!(
                "{short}. Category: files. Server: file server: Files of a disk. The first lines. Parameters: max \
                 bytes (How much), path"
            )
        );
    }

    #[test]
    fn a_long_text_opens_with_whole_sentences_or_words() {
        assert_eq!(opening("Reads a file.", 20), "Reads a file.");
        assert_eq!(opening("Reads a file. Then it closes the file.", 20), "Reads a file.");
        assert_eq!(opening("Reads a file and closes it", 19), "Reads a file and");
        assert_eq!(opening("Liest_eine_große_Datei_ein", 13), "Liest_eine_gr");
        assert_eq!(opening("größer. Und mehr", 9), "größer.");
    }

    #[test]
    fn its_needs_are_what_a_person_may_say() {
        let mut profile = profile();
        profile.examples.extend(["With variables".into(), "Count the errors of a log file".into()]);
        assert_eq!(profile.needs(), ["You know the path", "Not for folders", "Count the errors of a log file"]);
    }

    #[test]
    fn nested_parameters_are_read_too() {
        let schema = json!({"properties": {
            "to": {"description": "Whom", "properties": {"mail": {"description": "Address"}}},
            "rows": {"items": {"properties": {"cell": {}}}},
        }});
        let names: Vec<String> = parameters(&schema).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["to", "mail", "rows", "cell"]);
    }
}
