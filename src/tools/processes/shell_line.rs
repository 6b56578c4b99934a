//! The programs a shell line starts, where that can be told for certain.

/// The programs of the line, in order; `None` if it holds anything that could start a program unseen:
/// substitutions, groups, functions, keywords, variables set for a command, names that are not plain.
///
/// It errs on one side only. Words are split as the shell splits them; whatever the shell expands into a command
/// (`$(`, backquotes, `${`, arithmetic, braces or wildcards in a program's name) makes the whole line unclear.
pub(super) fn programs(line: &str) -> Option<Vec<String>> {
    // Even in quotes: some builtins evaluate such text again.
    if ["`", "$(", "${", "$[", "$'", "$\"", "<<", "<(", ">("].iter().any(|mark| line.contains(mark)) {
        return None;
    }
    let mut programs = Vec::new();
    let mut expects_program = true;
    let mut words = Words { rest: line };
    loop {
        match words.next()? {
            Token::End => return Some(programs),
            Token::Separator => expects_program = true,
            Token::Redirection => {
                // The file's name is no program.
                let Token::Word(_) = words.next()? else { return None };
            }
            Token::Word(word) if expects_program => {
                programs.push(plain(word)?);
                expects_program = false;
            }
            Token::Word(_) => {}
        }
    }
}

/// Every word that may be a program's name, quotes and all that could hide it aside: for what must never run.
/// It finds more than there are, never fewer of those that stand in the line.
pub(super) fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    let starts = |c: char| ";|&\n(){}`".contains(c);
    line.split(starts).flat_map(|part| {
        let mut words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'', '\\', '$', '!']));
        let mut more = true;
        std::iter::from_fn(move || {
            let word = words.next().filter(|_| more)?;
            // What stands before a program: variables, and words of the shell.
            more = word.contains('=') || BEFORE.contains(&word) || word.is_empty();
            Some(word)
        })
    })
}

const BEFORE: [&str; 13] =
    ["if", "then", "else", "elif", "do", "while", "until", "time", "exec", "command", "env", "nohup", "builtin"];

enum Token<'a> {
    Word(&'a str),
    /// A new command comes after it.
    Separator,
    /// A file comes after it.
    Redirection,
    End,
}

/// A shell line word by word, as written.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The next token; `None` if the line is not understood.
    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let Some(first) = self.rest.chars().next() else { return Some(Token::End) };
        match first {
            ';' | '|' | '&' | '\n' => {
                self.skip(1);
                Some(Token::Separator)
            }
            '<' | '>' => self.redirection(),
            // A comment hides quotes from the shell, but not from a reader of words.
            '(' | ')' | '#' => None,
            _ => self.word(),
        }
    }

    fn redirection(&mut self) -> Option<Token<'a>> {
        self.skip(1);
        if self.rest.starts_with('>') {
            self.skip(1);
        }
        let Some(copied) = self.rest.strip_prefix('&') else { return Some(Token::Redirection) };
        // `>&2` names a stream; `>& file` is left to the sandbox's other half of the grammar.
        let digits = copied.len() - copied.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-').len();
        self.rest = copied.get(digits..)?;
        (digits > 0 && self.rest.chars().next().is_none_or(|c| " \t\n;|&<>".contains(c))).then_some(())?;
        self.next()
    }

    fn word(&mut self) -> Option<Token<'a>> {
        let whole = self.rest;
        let mut length = 0;
        let mut characters = whole.char_indices();
        let mut quote = None;
        while let Some((at, c)) = characters.next() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None | Some('"'), '\\') => drop(characters.next()?),
                (None, ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')') => {
                    length = at;
                    break;
                }
                _ => {}
            }
            length = characters.offset();
        }
        if quote.is_some() {
            return None;
        }
        let (word, rest) = whole.split_at(length);
        self.rest = rest;
        // A number right before an arrow belongs to the arrow.
        if rest.starts_with(['<', '>']) && word.chars().all(|c| c.is_ascii_digit()) {
            return self.redirection();
        }
        Some(Token::Word(word))
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }
}

/// A program's name that the shell takes as it stands.
fn plain(word: &str) -> Option<String> {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._/+@%:-".contains(c);
    word.chars().all(safe).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_a_plain_line_is_found() {
        let cases: &[(&str, &[&str])] = &[
            ("ls -la", &["ls"]),
            ("git log | head -3; echo done", &["git", "head", "echo"]),
            ("make&&make test||echo 'a; b'\nls", &["make", "make", "echo", "ls"]),
            ("sort < in > out 2>&1 &", &["sort"]),
            ("> out cat 2>err", &["cat"]),
            ("grep \"a\\\"; rm\" file", &["grep"]),
            ("ls $HOME", &["ls"]),
            ("", &[]),
        ];
        for (line, expected) in cases {
            let expected: Vec<String> = expected.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(programs(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_line_that_could_start_a_program_unseen_is_unclear() {
        for line in [
            "ls $(rm x)",
            "ls `rm x`",
            "(rm x)",
            "ls <(rm x)",
            "PATH=. ls",
            "l\"s\"",
            "\\rm x",
            "$CMD",
            "/bin/l?",
            "{ls,rm}",
            "ls # ' \n rm x #'",
            "ls 'unclosed",
            "printf -v 'a[$(rm x)]' 1",
            "ls <<EOF\nEOF",
            "f() { rm x; }; f",
            "ls \\",
        ] {
            assert_eq!(programs(line), None, "{line}");
        }
    }

    #[test]
    fn what_follows_a_redirection_is_seen_as_a_program() {
        assert_eq!(programs("> a rm x"), Some(vec!["rm".to_owned()]));
        assert_eq!(programs("ls >| rm"), None);
        assert_eq!(programs("ls >&rm"), None);
        assert_eq!(programs("ls &> rm"), Some(vec!["ls".to_owned()]));
    }

    #[test]
    fn a_mentioned_program_is_found_behind_what_precedes_it() {
        for line in [
            "sudo ls",
            "ls; sudo x",
            "X=1 sudo x",
            "if sudo x; then y; fi",
            "echo $(sudo x)",
            "exec sudo x",
            "'sudo' x",
        ] {
            assert!(mentioned(line).any(|word| word == "sudo"), "{line}");
        }
        assert!(!mentioned("echo sudo").any(|word| word == "sudo"));
    }
}
