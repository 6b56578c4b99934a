//! The worker: reads tasks from a pipe, runs them, answers. It holds no file, no network and no secret of its own.

use std::{
    collections::VecDeque,
    io::{self, BufReader, PipeReader, PipeWriter, Read, Write},
    sync::Arc,
};

use parking_lot::Mutex;
use rhai::{AST, Dynamic};
use serde_json::value::RawValue;

use super::{
    check, limits,
    machine::Machine,
    state::World,
    wire::{Answer, Ask, Fault, Ran, Reply, Task},
};

/// Compiled scripts a worker keeps.
const KEPT: usize = 64;

/// Serves until the other end closes.
pub fn serve((tasks, answers): (PipeReader, PipeWriter)) -> io::Result<()> {
    let stream = Stream(Arc::new(Mutex::new((BufReader::new(tasks), answers))));
    let mut worker = Worker { machine: Machine::new(Box::new(stream.clone())), known: Known::default() };
    while let Some(frame) = stream.read()? {
        let task: Task<Dynamic> = serde_json::from_slice(&frame)?;
        let reply = worker.reply(task);
        stream.write(&reply)?;
    }
    Ok(())
}

struct Worker {
    machine: Machine,
    known: Known,
}

impl Worker {
    fn reply(&mut self, task: Task<Dynamic>) -> Vec<u8> {
        let reply = match task {
            Task::Run { key, source, args, config, now } => {
                let ast = match self.known.script(&self.machine, &key, source) {
                    Ok(Some(ast)) => ast,
                    Ok(None) => return encode(&Reply::Unknown),
                    Err(fault) => return encode(&Reply::Ran(failed(fault))),
                };
                let mut state = self.machine.state().lock();
                (state.config, state.now) = (config, Some(now));
                drop(state);
                Reply::Ran(self.machine.run(ast, args))
            }
            Task::Check { source } => Reply::Checked(check::check(&self.machine, &source)),
            Task::Test { source } => Reply::Tested(self.machine.test(&source)),
        };
        let frame = encode(&reply);
        if frame.len() <= limits::MAX_OUTPUT {
            return frame;
        }
        let message = format!("The script gives back more than {} KB.", limits::MAX_OUTPUT >> 10);
        encode(&Reply::Ran(failed(Fault::of_script(message))))
    }
}

/// The scripts it has compiled, by their keys, the oldest first.
#[derive(Default)]
struct Known(VecDeque<(String, AST)>);

impl Known {
    fn script(&mut self, machine: &Machine, key: &str, source: Option<String>) -> Result<Option<&AST>, Fault> {
        if let Some(at) = self.0.iter().position(|(known, _)| known == key) {
            return Ok(self.0.get(at).map(|(_, ast)| ast));
        }
        let Some(source) = source else { return Ok(None) };
        let ast = machine.compile(&source).map_err(|error| {
            let problem = super::faults::of_text(&source, &error);
            let hint = problem.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
            let message = format!("{}{hint}", problem.message);
            Fault { line: Some(problem.line), column: Some(problem.column), ..Fault::of_script(message) }
        })?;
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((key.to_owned(), ast));
        Ok(self.0.back().map(|(_, ast)| ast))
    }
}

fn failed(fault: Fault) -> Ran<Box<RawValue>> {
    Ran { outcome: Err(fault), log: Vec::new(), operations: 0 }
}

fn encode(reply: &Reply<Box<RawValue>>) -> Vec<u8> {
    serde_json::to_vec(reply).unwrap_or_else(|error| {
        let message = format!("What the script gives back is no JSON: {error}.");
        let fault = Fault::of_script(message);
        serde_json::to_vec(&Reply::Ran(failed(fault))).unwrap_or_default()
    })
}

/// The server at the other end. A frame is its length in four bytes, little-endian, and its bytes.
#[derive(Clone)]
struct Stream(Arc<Mutex<(BufReader<PipeReader>, PipeWriter)>>);

impl Stream {
    /// The next frame; none at the end.
    fn read(&self) -> io::Result<Option<Vec<u8>>> {
        let mut stream = self.0.lock();
        let (stream, _) = &mut *stream;
        let mut length = [0; 4];
        match stream.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let mut frame = vec![0; usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX)];
        stream.read_exact(&mut frame)?;
        Ok(Some(frame))
    }

    fn write(&self, frame: &[u8]) -> io::Result<()> {
        let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
        let mut whole = Vec::with_capacity(frame.len() + 4);
        whole.extend_from_slice(&length.to_le_bytes());
        whole.extend_from_slice(frame);
        self.0.lock().1.write_all(&whole)
    }
}

impl World for Stream {
    fn ask(&mut self, ask: &Ask) -> Option<Answer> {
        let frame = serde_json::to_vec(&Reply::<()>::Ask(ask.clone())).ok()?;
        if frame.len() > limits::MAX_OUTPUT {
            return Some(Answer::Failed(format!("This asks with more than {} KB.", limits::MAX_OUTPUT >> 10)));
        }
        self.write(&frame).ok()?;
        serde_json::from_slice(&self.read().ok()??).ok()
    }
}
