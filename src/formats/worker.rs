//! A reader process: takes one task and the bytes it is about from a pipe, answers, and ends. It holds no file and no
//! network, and the kernel stops it where it takes more memory or time than it may.
//!
//! The input is a [`Head`] as one line of JSON and the contents after it. The answer is a [`Reply`] as one line of JSON, and
//! the bytes that were made after it.

use std::{
    io::{self, BufRead, BufReader, BufWriter, PipeReader, PipeWriter, Read, Write},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use url::Url;

pub use super::convert::CsvSheet;
use super::{
    api, convert, extracted::DocumentText, limits::Limits, modify, page, payload, processes, read, skill, types,
};
use satchel_model::error::{Error, Kind, Result};

/// The task to do with the contents.
#[derive(Debug, Serialize, Deserialize)]
pub enum Task {
    /// Read a document: [`Extracted`](super::extracted::Extracted).
    Document {
        /// Its name, for the ending.
        name: String,
        /// The form that is wanted: its blocks, or only its text, as [`DocumentText`].
        form: DocumentForm,
    },
    /// Read a page for its article: an `Extracted`, of the whole page where it is no article.
    Article {
        /// Its name, for the ending.
        name: String,
        /// The address it came from.
        address: Option<String>,
        /// `true` if its bare text is enough: it took too much to be read as a page.
        plain: bool,
    },
    /// Turn the sheets of a workbook into CSV: a list of [`CsvSheet`]s.
    Csv {
        /// Only the sheet of this name.
        sheet: Option<String>,
    },
    /// Add paragraphs to a DOCX: nothing, and the bytes of the new one.
    Append {
        /// The paragraphs.
        paragraphs: Vec<String>,
    },
    /// Replace a text in a DOCX: how often it stood there, and the bytes of the new one.
    Replace {
        /// The text.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Change cells of an XLSX: nothing, and the bytes of the new one.
    UpdateCells {
        /// The cells.
        updates: Vec<modify::Update>,
    },
    /// Merge PDFs, each a content of its own: how many pages, and the bytes of the new one.
    Merge,
    /// Read a web page: a [`Page`](page::Page).
    Page {
        /// The encoding its head named.
        charset: Option<String>,
        /// The address it came from.
        address: Url,
        /// `true` if only its article is wanted.
        article: bool,
        /// `true` if its bare text is enough: it took too much to be read as a page.
        plain: bool,
    },
    /// Read the body of an answer: its [`Form`](payload::Form), and the value.
    Payload {
        /// The content type its head named.
        media: Option<String>,
    },
    /// Read the description of an API: an [`ApiRead`](api::document::ApiRead).
    Api(api::document::ApiFiles),
    /// Read business processes: a list of drafts.
    Processes,
    /// Read a skill, of files or of a zip: a [`SkillRead`](satchel_model::skill::SkillRead), and the bytes of its files.
    Skill {
        /// The path of each content.
        paths: Vec<String>,
    },
    /// Read what a gRPC system describes of itself: what it came to, as [`TypesRead`](types::TypesRead), and the bytes of a
    /// set of descriptors.
    Types,
}

impl Task {
    /// Most bytes of the answer: what the contents may hold, with the marks of JSON.
    pub fn longest_answer(&self) -> usize {
        let megabytes = match self {
            Self::Processes | Self::Types => 8,
            Self::Skill { .. } => 16,
            Self::Page { .. } | Self::Payload { .. } => 32,
            Self::Document { .. } | Self::Article { .. } | Self::Csv { .. } | Self::Api(_) => 64,
            // New files, which are about as long as those they are made of.
            Self::Append { .. } | Self::Replace { .. } | Self::UpdateCells { .. } | Self::Merge => 128,
        };
        megabytes << 20
    }

    /// Returns the name of what is read, for people.
    pub fn subject(&self) -> &'static str {
        match self {
            Self::Article { .. } | Self::Page { .. } => "page",
            Self::Payload { .. } => "answer",
            Self::Api(_) => "description of the API",
            Self::Processes => "list of processes",
            Self::Skill { .. } => "skill",
            Self::Types => "description of types",
            _ => "document",
        }
    }
}

/// The form of a document that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentForm {
    /// Its blocks, tables and metadata.
    Blocks,
    /// Its text, tables and metadata.
    Text,
}

/// The header that stands before the contents.
#[derive(Debug, Serialize, Deserialize)]
pub struct Head {
    /// The task.
    pub task: Task,
    /// The bytes of each content.
    pub lengths: Vec<u64>,
}

/// The result of a task.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply<T> {
    /// This came of it.
    Done(T),
    /// It was refused.
    Refused {
        /// The kind of error.
        kind: Kind,
        /// The message.
        message: String,
    },
}

impl<T> From<Result<T>> for Reply<T> {
    fn from(done: Result<T>) -> Self {
        match done {
            Ok(done) => Self::Done(done),
            Err(error) => Self::Refused { kind: error.kind(), message: error.message().to_owned() },
        }
    }
}

/// Does one task and ends.
///
/// # Errors
///
/// If a pipe is closed, or what comes through it is no task: nobody is there any more.
pub fn serve((input, output): (PipeReader, PipeWriter)) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    let head: Head = serde_json::from_slice(&line)?;
    let mut contents = Vec::with_capacity(head.lengths.len());
    for length in head.lengths {
        let mut content = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        input.read_exact(&mut content)?;
        contents.push(content);
    }
    let mut answer = Answer(BufWriter::new(output));
    answer.write(head.task, contents, &Limits::default())?;
    answer.0.flush()
}

struct Answer<W>(W);

impl<W: Write> Answer<W> {
    /// Does the task and writes its reply.
    fn write(&mut self, task: Task, contents: Vec<Vec<u8>>, limits: &Limits) -> io::Result<()> {
        match task {
            Task::Document { name, form: DocumentForm::Blocks } => {
                self.value(read::read(first(contents), &name, limits))
            }
            Task::Document { name, form: DocumentForm::Text } => {
                self.value(read::read(first(contents), &name, limits).map(DocumentText::from))
            }
            Task::Article { name, address, plain } => {
                self.value(read::article(first(contents), &name, address.as_deref(), plain, limits))
            }
            Task::Csv { sheet } => self.value(convert::csv(&first(contents), sheet.as_deref())),
            Task::Append { paragraphs } => {
                self.bytes(modify::append(&first(contents), &paragraphs).map(|bytes| ((), bytes)))
            }
            Task::Replace { old, new } => {
                let replaced = modify::replace(&first(contents), &old, &new);
                self.bytes(replaced.map(|(bytes, count)| (count, bytes)))
            }
            Task::UpdateCells { updates } => {
                self.bytes(modify::update_cells(&first(contents), &updates).map(|bytes| ((), bytes)))
            }
            Task::Merge => self.bytes(modify::merge(contents).map(|(bytes, pages)| (pages, bytes))),
            Task::Page { charset, address, article, plain } => {
                let reading = page::Reading { charset: charset.as_deref(), address: &address, article, plain };
                self.value(page::markdown(&first(contents), reading))
            }
            Task::Payload { media } => self.value(Ok(payload::parse(&first(contents), media.as_deref()))),
            Task::Api(files) => self.value(files.read(&contents)),
            Task::Skill { paths } => self.bytes(skill::read(&paths, contents)),
            Task::Types => self.bytes(types::read(&contents)),
            Task::Processes => {
                let text = String::from_utf8(first(contents)).map_err(|_| Error::invalid("The file is no UTF-8 text."));
                self.value(text.and_then(|text| processes::read(&text)))
            }
        }
    }

    fn value<T: Serialize>(&mut self, done: Result<T>) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, &Reply::from(done))?;
        self.0.write_all(b"\n")
    }

    fn bytes<T: Serialize>(&mut self, done: Result<(T, Vec<u8>)>) -> io::Result<()> {
        let (done, bytes) = done.map_or_else(|error| (Err(error), Vec::new()), |(value, bytes)| (Ok(value), bytes));
        self.value(done)?;
        self.0.write_all(&bytes)
    }
}

/// The content of a task that has only one.
fn first(contents: Vec<Vec<u8>>) -> Vec<u8> {
    contents.into_iter().next().unwrap_or_default()
}

/// Processor time that reading so many bytes may take: a hostile file of a few kilobytes gets little of it.
pub fn processor_time(bytes: u64) -> Duration {
    let megabytes = bytes >> 20;
    // Without optimisation a reader takes about ten times as long.
    let slowness = if cfg!(debug_assertions) { 10 } else { 1 };
    Duration::from_secs(megabytes.saturating_add(5).saturating_mul(slowness))
}
