//! Bytes from outside, read in a process of their own: documents, pages, answers of systems, descriptions of APIs.
//!
//! A [`Reader`] blocks, so it is used in a turn of [`Work`](satchel_host::work::Work). What a hostile file can take is what the
//! kernel lets its process take; the process ends with the task.

mod failure;

use std::{
    any::Any,
    fmt,
    fs::File,
    io::{self, Read},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use failure::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use satchel_engine::context::Context;
use satchel_formats::{
    api::document::{ApiFiles, ApiRead},
    extracted::{DocumentText, Extracted},
    modify::Update,
    page::Page,
    payload::Form,
    types::TypesRead,
    worker::{CsvSheet, DocumentForm, Head, Reply, Task, processor_time},
};
use satchel_host::workers::{Death, Ended, Limits as ProcessLimits, ReadLimits, Readers};
use satchel_model::{
    business_process::draft::ProcessDraft,
    error::{Error, Result},
    skill::SkillRead,
    text::clip,
};

/// Memory of a process beside the bytes it reads.
const MEMORY: u64 = 128 << 20;
/// A longer answer needs room before it is parsed, which takes several times its bytes.
const SMALL: usize = 256 << 10;
/// Most characters of a refusal.
const WORDS: usize = 2_000;
/// Wall time for each second of processor time, and beside it: readers give way to everything else.
const PATIENCE: (u32, Duration) = (4, Duration::from_secs(20));

/// Reads what comes from outside. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    readers: Readers,
    room: Option<Room>,
}

/// Takes room for an answer of so many bytes, until what it returns is dropped.
type Room = Arc<dyn Fn(u64) -> Result<Box<dyn Any>> + Send + Sync>;

impl Reader {
    /// A reader that starts these processes.
    pub fn new(readers: &Readers) -> Self {
        Self { readers: readers.clone(), room: None }
    }

    /// A reader that takes room for an answer before it is parsed. What `room` returns is dropped when it has been.
    pub fn taking_room(self, room: impl Fn(u64) -> Result<Box<dyn Any>> + Send + Sync + 'static) -> Self {
        Self { room: Some(Arc::new(room)), ..self }
    }

    /// Returns a reader that takes room of a run's caller for what it reads, while it is parsed.
    pub fn for_run(cx: &Context) -> Self {
        let run = cx.clone();
        let room = move |bytes| -> Result<Box<dyn Any>> {
            let (app, user) = (run.app(), run.caller().user);
            Ok(Box::new(app.lifecycle.runtime.block_on(app.host.work.answer_room(Some(user), bytes))?))
        };
        Self::new(&cx.app().host.readers).taking_room(room)
    }

    /// Reads a document with its structure.
    ///
    /// # Errors
    ///
    /// If it is no document that can be read, or takes more than it may.
    pub fn document<'a>(&self, content: impl Into<Content<'a>>, name: &str) -> Result<Extracted> {
        self.value(Task::Document { name: name.to_owned(), form: DocumentForm::Blocks }, content)
    }

    /// Reads a document for its text.
    ///
    /// # Errors
    ///
    /// As [`Self::document`].
    pub fn text<'a>(&self, content: impl Into<Content<'a>>, name: &str) -> Result<DocumentText> {
        self.value(Task::Document { name: name.to_owned(), form: DocumentForm::Text }, content)
    }

    /// Reads a page that was fetched: its article, all of it where it is none, or its bare text where that takes too much.
    /// `open` gives its content, as often as it is asked.
    ///
    /// # Errors
    ///
    /// As [`Self::document`].
    pub fn article<'a, C>(&self, open: impl Fn() -> Result<C>, name: &str, address: Option<&str>) -> Result<Extracted>
    where
        C: Into<Content<'a>>,
    {
        let task = |plain| Task::Article { name: name.to_owned(), address: address.map(str::to_owned), plain };
        match self.attempt(task(false), [open()?]) {
            Ok((read, _)) => Ok(read),
            Err(failure) if failure.is_exhausted() => self.value(task(true), open()?),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Reads the sheets of a workbook as CSV: all of them, or the one that is named.
    ///
    /// # Errors
    ///
    /// As [`Self::document`], and if there is no such sheet.
    pub fn csv<'a>(&self, content: impl Into<Content<'a>>, sheet: Option<&str>) -> Result<Vec<CsvSheet>> {
        self.value(Task::Csv { sheet: sheet.map(str::to_owned) }, content)
    }

    /// Adds paragraphs at the end of a DOCX. Returns the new one.
    ///
    /// # Errors
    ///
    /// As [`Self::document`].
    pub fn append(&self, bytes: &[u8], paragraphs: Vec<String>) -> Result<Vec<u8>> {
        let ((), after) = self.run(Task::Append { paragraphs }, [bytes])?;
        Ok(after)
    }

    /// Replaces a text in a DOCX. Returns the new one, and how often the text stood there.
    ///
    /// # Errors
    ///
    /// As [`Self::document`], and if the text does not stand there.
    pub fn replace(&self, bytes: &[u8], old: String, new: String) -> Result<(Vec<u8>, usize)> {
        let (count, after) = self.run(Task::Replace { old, new }, [bytes])?;
        Ok((after, count))
    }

    /// Changes cells of an XLSX. Returns the new one.
    ///
    /// # Errors
    ///
    /// As [`Self::document`], and if there is no such sheet or cell.
    pub fn update_cells(&self, bytes: &[u8], updates: Vec<Update>) -> Result<Vec<u8>> {
        let ((), after) = self.run(Task::UpdateCells { updates }, [bytes])?;
        Ok(after)
    }

    /// Joins the pages of several PDFs in the order given. Returns the new one, and how many pages it has.
    ///
    /// # Errors
    ///
    /// As [`Self::document`].
    pub fn merge(&self, files: &[&[u8]]) -> Result<(Vec<u8>, usize)> {
        let (pages, after) = self.run(Task::Merge, files.iter().copied())?;
        Ok((after, pages))
    }

    /// Reads a web page as Markdown; one that takes more than it may as plain text.
    ///
    /// # Errors
    ///
    /// As [`Self::document`].
    pub fn page(&self, bytes: &[u8], charset: Option<&str>, address: &Url, article: bool) -> Result<Page> {
        let task = |plain| Task::Page { charset: charset.map(str::to_owned), address: address.clone(), article, plain };
        match self.attempt(task(false), [bytes]) {
            Ok((page, _)) => Ok(page),
            Err(failure) if failure.is_exhausted() => self.value(task(true), bytes),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Reads the body of an answer by what it says it is.
    ///
    /// # Errors
    ///
    /// If that takes more than it may.
    pub fn payload(&self, bytes: &[u8], media: Option<&str>) -> Result<(Form, Value)> {
        self.value(Task::Payload { media: media.map(str::to_owned) }, bytes)
    }

    /// Reads the description of an API, or says which of its files are missing.
    ///
    /// # Errors
    ///
    /// If it is no description that is known, or takes more than it may.
    pub fn api(&self, files: ApiFiles, texts: &[&[u8]]) -> Result<ApiRead> {
        let (read, _) = self.run(Task::Api(files), texts.iter().copied())?;
        Ok(read)
    }

    /// Reads business processes written down as YAML.
    ///
    /// # Errors
    ///
    /// If the text is no list of processes.
    pub fn processes(&self, text: &str) -> Result<Vec<ProcessDraft>> {
        self.value(Task::Processes, text.as_bytes())
    }

    /// Reads a skill: of files under these paths, or of one zip. Returns it, and the bytes of its files one after the other.
    ///
    /// # Errors
    ///
    /// If it breaks a rule of the form, or takes more than it may.
    pub fn skill(&self, paths: Vec<String>, contents: &[Vec<u8>]) -> Result<(SkillRead, Vec<u8>)> {
        self.run(Task::Skill { paths }, contents)
    }

    /// Reads what answers of a gRPC system's reflection tell of its types, of which `known` are known. Returns what they came
    /// to, and the encoded set of those that are new.
    ///
    /// # Errors
    ///
    /// If they cannot be read, or take more than they may.
    pub fn types(&self, known: &[u8], answers: &[Bytes]) -> Result<(TypesRead, Vec<u8>)> {
        self.run(Task::Types, std::iter::once(known).chain(answers.iter().map(Bytes::as_ref)))
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
        self.attempt(task, contents).map_err(Error::from)
    }

    fn attempt<'a, T, C>(&self, task: Task, contents: impl IntoIterator<Item = C>) -> Result<(T, Vec<u8>), Failure>
    where
        T: DeserializeOwned,
        C: Into<Content<'a>>,
    {
        let contents: Vec<Content<'a>> = contents.into_iter().map(Into::into).collect();
        let lengths: Vec<u64> = contents.iter().map(Content::length).collect();
        let (most, subject) = (read_limits(lengths.iter().sum(), &task), task.subject());
        let mut head = serde_json::to_vec(&Head { task, lengths }).map_err(Error::internal)?;
        head.push(b'\n');
        let head: Box<dyn Read + '_> = Box::new(head.as_slice());
        let mut input = contents.into_iter().fold(head, |before, next| Box::new(before.chain(next.into_read())));
        let ended = |why| Failure::Ended { why, limits: most, subject };
        let mut answer = self.readers.run(&mut input, &most).map_err(ended)?;
        let end = answer.iter().position(|byte| *byte == b'\n').ok_or_else(|| Error::internal("no answer"))?;
        let large = self.room.as_ref().filter(|_| answer.len() > SMALL);
        let _held = large.map(|room| room(answer.len() as u64)).transpose()?;
        let reply = serde_json::from_slice(answer.get(..end).unwrap_or_default());
        answer.drain(..=end);
        match reply {
            Ok(Reply::Done(value)) => Ok((value, answer)),
            Ok(Reply::Refused { kind, message }) => Err(Error::new(kind, clip(&message, WORDS)).into()),
            // The parser of JSON goes less deep than some others.
            Err(error) if error.to_string().starts_with("recursion limit") => Err(ended(Ended::Died(Death::Stack))),
            Err(error) => Err(Error::internal(error).into()),
        }
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("readers", &self.readers).finish_non_exhaustive()
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
            Self::File(file, left) => Box::new(Whole { file, left }),
        }
    }
}

/// A file that must be as long as it was.
struct Whole {
    file: File,
    left: u64,
}

impl Read for Whole {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = (&mut self.file).take(self.left).read(into)?;
        if read == 0 && self.left > 0 && !into.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= read as u64;
        Ok(read)
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

/// Limits of a process that does this with so many bytes.
fn read_limits(bytes: u64, task: &Task) -> ReadLimits {
    let cpu = processor_time(bytes);
    let memory = MEMORY.saturating_add(bytes);
    let process = ProcessLimits { memory, cpu_seconds: cpu.as_secs() };
    ReadLimits { process, wall: cpu * PATIENCE.0 + PATIENCE.1, answer: task.longest_answer() }
}
