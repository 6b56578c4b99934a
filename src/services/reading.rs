//! Bytes from outside, read in a process of their own: documents, pages, answers of systems, descriptions of APIs.
//!
//! A [`Reader`] blocks, so it is used in a turn of [`Work`](crate::host::work::Work). What a hostile file can take is what the
//! kernel lets its process take; the process ends with the task.

use std::{fs::File, io::Read, time::Duration};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use crate::{
    engine::context::Context,
    formats::{
        api::document::{ApiFiles, ApiRead},
        extracted::{DocumentText, Extracted},
        modify::Update,
        page::Page,
        payload::Form,
        worker::{CsvSheet, DocumentForm, Head, Reply, Task, processor_time},
    },
    host::workers::{Death, Ended, Limits as ProcessLimits, ReadLimits, Readers},
    model::{
        business_process::draft::ProcessDraft,
        error::{Error, Kind, Result},
    },
};

/// Memory of a process beside the bytes it reads.
const MEMORY: u64 = 128 << 20;
/// Longest answer: a text, its tables and the marks of JSON.
const ANSWER: usize = 128 << 20;
/// Wall time for each second of processor time, and beside it: readers give way to everything else.
const PATIENCE: (u32, Duration) = (4, Duration::from_secs(20));

/// Reads what comes from outside. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Reader {
    readers: Readers,
}

impl Reader {
    /// A reader that starts these processes.
    pub fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone() }
    }

    /// The reader of a run.
    pub fn of(cx: &Context) -> Self {
        Self::new(&cx.app().host.readers)
    }

    /// Reads a document with its structure.
    ///
    /// # Errors
    /// Where it is no document that can be read, or takes more than it may.
    pub fn document<'a>(&self, content: impl Into<Content<'a>>, name: &str) -> Result<Extracted> {
        self.value(Task::Document { name: name.to_owned(), form: DocumentForm::Blocks }, content)
    }

    /// Reads a document for its text.
    ///
    /// # Errors
    /// As [`Self::document`].
    pub fn text<'a>(&self, content: impl Into<Content<'a>>, name: &str) -> Result<DocumentText> {
        self.value(Task::Document { name: name.to_owned(), form: DocumentForm::Text }, content)
    }

    /// Reads a page that was fetched: its article, or all of it where it is none.
    ///
    /// # Errors
    /// As [`Self::document`].
    pub fn article<'a>(&self, content: impl Into<Content<'a>>, name: &str, address: Option<&str>) -> Result<Extracted> {
        self.value(Task::Article { name: name.to_owned(), address: address.map(str::to_owned) }, content)
    }

    /// Reads the sheets of a workbook as CSV: all of them, or the one that is named.
    ///
    /// # Errors
    /// As [`Self::document`], and where there is no such sheet.
    pub fn csv<'a>(&self, content: impl Into<Content<'a>>, sheet: Option<&str>) -> Result<Vec<CsvSheet>> {
        self.value(Task::Csv { sheet: sheet.map(str::to_owned) }, content)
    }

    /// Adds paragraphs at the end of a DOCX. Returns the new one.
    ///
    /// # Errors
    /// As [`Self::document`].
    pub fn append(&self, bytes: &[u8], paragraphs: Vec<String>) -> Result<Vec<u8>> {
        let ((), after) = self.run(Task::Append { paragraphs }, [bytes])?;
        Ok(after)
    }

    /// Replaces a text in a DOCX. Returns the new one, and how often the text stood there.
    ///
    /// # Errors
    /// As [`Self::document`], and where the text does not stand there.
    pub fn replace(&self, bytes: &[u8], old: String, new: String) -> Result<(Vec<u8>, usize)> {
        let (count, after) = self.run(Task::Replace { old, new }, [bytes])?;
        Ok((after, count))
    }

    /// Changes cells of an XLSX. Returns the new one.
    ///
    /// # Errors
    /// As [`Self::document`], and where there is no such sheet or cell.
    pub fn update_cells(&self, bytes: &[u8], updates: Vec<Update>) -> Result<Vec<u8>> {
        let ((), after) = self.run(Task::UpdateCells { updates }, [bytes])?;
        Ok(after)
    }

    /// Joins the pages of several PDFs in the order given. Returns the new one, and how many pages it has.
    ///
    /// # Errors
    /// As [`Self::document`].
    pub fn merge(&self, files: &[&[u8]]) -> Result<(Vec<u8>, usize)> {
        let (pages, after) = self.run(Task::Merge, files.iter().copied())?;
        Ok((after, pages))
    }

    /// Reads a web page as Markdown.
    ///
    /// # Errors
    /// As [`Self::document`].
    pub fn page(&self, bytes: &[u8], charset: Option<&str>, address: &Url, article: bool) -> Result<Page> {
        self.value(Task::Page { charset: charset.map(str::to_owned), address: address.clone(), article }, bytes)
    }

    /// Reads the body of an answer by what it says it is.
    ///
    /// # Errors
    /// Where that takes more than it may.
    pub fn payload(&self, bytes: &[u8], media: Option<&str>) -> Result<(Form, Value)> {
        self.value(Task::Payload { media: media.map(str::to_owned) }, bytes)
    }

    /// Reads the description of an API, or says which of its files are missing.
    ///
    /// # Errors
    /// Where it is no description that is known, or takes more than it may.
    pub fn api(&self, files: ApiFiles, texts: &[&[u8]]) -> Result<ApiRead> {
        let (read, _) = self.run(Task::Api(files), texts.iter().copied())?;
        Ok(read)
    }

    /// Reads business processes written down as YAML.
    ///
    /// # Errors
    /// Where the text is no list of processes.
    pub fn processes(&self, text: &str) -> Result<Vec<ProcessDraft>> {
        self.value(Task::Processes, text.as_bytes())
    }

    fn value<'a, T: DeserializeOwned>(&self, task: Task, content: impl Into<Content<'a>>) -> Result<T> {
        self.run(task, [content]).map(|(value, _)| value)
    }

    /// Does a task. Returns its value, and the bytes that were made.
    fn run<'a, T, C>(&self, task: Task, contents: impl IntoIterator<Item = C>) -> Result<(T, Vec<u8>)>
    where
        T: DeserializeOwned,
        C: Into<Content<'a>>,
    {
        let contents: Vec<Content<'a>> = contents.into_iter().map(Into::into).collect();
        let lengths: Vec<u64> = contents.iter().map(Content::length).collect();
        let most = read_limits(lengths.iter().sum());
        let mut head = serde_json::to_vec(&Head { task, lengths }).map_err(Error::internal)?;
        head.push(b'\n');
        let head: Box<dyn Read + '_> = Box::new(head.as_slice());
        let mut input = contents.into_iter().fold(head, |before, next| Box::new(before.chain(next.into_read())));
        let mut answer = self.readers.run(&mut input, &most).map_err(|why| ended(why, &most))?;
        let end = answer.iter().position(|byte| *byte == b'\n').ok_or_else(|| Error::internal("no answer"))?;
        let reply = serde_json::from_slice(answer.get(..end).unwrap_or_default()).map_err(Error::internal)?;
        answer.drain(..=end);
        match reply {
            Reply::Done(value) => Ok((value, answer)),
            Reply::Refused { kind, message } => Err(Error::new(kind, message)),
        }
    }
}

/// Bytes to be read.
#[derive(Debug)]
pub enum Content<'a> {
    /// They are in memory.
    Bytes(&'a [u8]),
    /// They are in a file of so many bytes, which goes to the process piece by piece.
    File(File, u64),
}

impl<'a> Content<'a> {
    fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, length) => *length,
        }
    }

    /// A file that has grown since is read as far as it was long.
    fn into_read(self) -> Box<dyn Read + 'a> {
        match self {
            Self::Bytes(bytes) => Box::new(bytes),
            Self::File(file, length) => Box::new(file.take(length)),
        }
    }
}

impl<'a> From<&'a [u8]> for Content<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Content<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a> From<&'a Bytes> for Content<'a> {
    fn from(bytes: &'a Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<(File, u64)> for Content<'_> {
    fn from((file, length): (File, u64)) -> Self {
        Self::File(file, length)
    }
}

/// Limits of a process that reads so many bytes.
fn read_limits(bytes: u64) -> ReadLimits {
    let cpu = processor_time(bytes);
    let memory = MEMORY.saturating_add(bytes);
    let process = ProcessLimits { memory, cpu_seconds: cpu.as_secs() };
    ReadLimits { process, wall: cpu * PATIENCE.0 + PATIENCE.1, answer: ANSWER }
}

/// The error of a process that did not read to the end.
fn ended(why: Ended, limits: &ReadLimits) -> Error {
    match why {
        Ended::Time => Error::new(
            Kind::Timeout,
            format!(
                "It was not read within {} seconds, beside all the rest the server has to do. Try again later.",
                limits.wall.as_secs()
            ),
        ),
        Ended::Died(Death::Processor) => Error::invalid(format!(
            "The document was refused: reading it takes more than {} seconds, as only very large or hostile files do. \
             Split it.",
            limits.process.cpu_seconds
        )),
        Ended::Died(Death::Memory) => Error::invalid(format!(
            "The document was refused: reading it takes more than {} MB of memory, as only very large or hostile files do. \
             Split it.",
            limits.process.memory >> 20
        )),
        Ended::TooLong => Error::invalid(format!(
            "The document was refused: what it holds is more than {} MB. Split it.",
            limits.answer >> 20
        )),
        Ended::Died(Death::Stack) => {
            Error::invalid("The document was refused: it nests something more deeply than can be read.")
        }
        Ended::Died(Death::Panic(words)) => {
            tracing::error!(%words, "a reader panicked");
            Error::invalid("The document is damaged in a way that keeps it from being read. Open and save it anew.")
        }
        Ended::Died(death) => {
            tracing::error!(%death, "a reader ended unexpectedly");
            Error::internal(format!("a reader ended unexpectedly: {death}"))
        }
        Ended::Crowded => Error::internal("a reader has no part of what scripts hold"),
        Ended::Unstarted(error) => {
            Error::new(Kind::Internal, format!("No process could be started to read it: {error}.")).caused_by(error)
        }
    }
}
