//! The worker: reads tasks from a pipe, runs them, answers. It holds no file, no network and no secret of its own.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, BufReader, PipeReader, PipeWriter, Read, Write},
    sync::Arc,
};

use parking_lot::Mutex;
use rhai::{AST, ParseError};
use serde_json::{Value, value::RawValue};

use super::{
    check, faults,
    given::Given,
    limits,
    machine::Machine,
    state::World,
    wire::{Answer, Ask, Fault, Ran, Reply, Task},
};
use satchel_model::frame;

/// Compiled scripts a worker keeps.
const KEPT: usize = 64;

/// Serves until the other end closes.
pub fn serve((tasks, answers): (PipeReader, PipeWriter)) -> io::Result<()> {
    let stream = Stream(Arc::new(Mutex::new((BufReader::new(tasks), answers))));
    let machine = Machine::new(Box::new(stream.clone()));
    let mut worker = Worker { machine, stream, known: VecDeque::new() };
    while let Some((frame, _)) = worker.stream.read()? {
        let reply = match serde_json::from_slice(&frame) {
            Ok(task) => worker.reply(task),
            Err(error) => {
                Some(encode(&Reply::Ran(failed(Fault::of_script(format!("This is too much for a script: {error}."))))))
            }
        };
        let Some(reply) = reply else { break };
        worker.stream.write(&reply, false)?;
    }
    Ok(())
}

struct Worker {
    machine: Machine,
    stream: Stream,
    /// The scripts it has compiled, by their keys, the oldest first.
    known: VecDeque<(String, AST)>,
}

impl Worker {
    /// `None` if nobody is there any more.
    fn reply(&mut self, task: Task<Given>) -> Option<Vec<u8>> {
        let reply = match task {
            Task::Run { key, args, config, now } => {
                if !self.known.iter().any(|(known, _)| *known == key)
                    && let Err(fault) = self.learn(key.clone())?
                {
                    return Some(encode(&Reply::Ran(failed(fault))));
                }
                let (_, ast) = self.known.iter().find(|(known, _)| *known == key)?;
                let mut state = self.machine.state().lock();
                (state.config, state.now) = (config, Some(now));
                drop(state);
                Reply::Ran(self.machine.run(ast, args.0))
            }
            Task::Program { source, now } => {
                let mut state = self.machine.state().lock();
                (state.config, state.now) = (BTreeMap::new(), Some(now));
                drop(state);
                Reply::Ran(match self.machine.compile(&source) {
                    Ok(ast) => self.machine.run_program(&ast),
                    Err(error) => failed(uncompiled(&source, &error)),
                })
            }
            Task::Check { source } => Reply::Checked(check::check(&self.machine, &source)),
            Task::Test { source } => Reply::Tested(self.machine.test(&source)),
        };
        let frame = encode(&reply);
        if frame.len() <= limits::MAX_OUTPUT {
            return Some(frame);
        }
        let message = format!("The script gives back more than {} KB.", limits::MAX_OUTPUT >> 10);
        Some(encode(&Reply::Ran(failed(Fault::of_script(message)))))
    }

    /// Asks for the text of a script, and compiles it.
    fn learn(&mut self, key: String) -> Option<Result<(), Fault>> {
        let Answer::Value(Value::String(source)) = self.stream.question(&encode(&Reply::Unknown))? else { return None };
        let compiled = self.machine.compile(&source).map_err(|error| uncompiled(&source, &error));
        Some(compiled.map(|ast| {
            if self.known.len() == KEPT {
                self.known.pop_front();
            }
            self.known.push_back((key, ast));
        }))
    }
}

/// The fault of a text that cannot be compiled.
fn uncompiled(source: &str, error: &ParseError) -> Fault {
    let problem = faults::of_text(source, error);
    let hint = problem.hint.map(|hint| format!(" {hint}")).unwrap_or_default();
    let message = format!("{}{hint}", problem.message);
    Fault { line: Some(problem.line), column: Some(problem.column), ..Fault::of_script(message) }
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

/// The server at the other end, spoken to in frames.
#[derive(Clone)]
struct Stream(Arc<Mutex<(BufReader<PipeReader>, PipeWriter)>>);

impl Stream {
    /// The next frame, and whether it answers a question; none at the end.
    fn read(&self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let mut stream = self.0.lock();
        let (stream, _) = &mut *stream;
        let mut head = [0; frame::HEAD];
        match stream.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let head = frame::Head::from_bytes(head);
        let mut frame = vec![0; head.length];
        stream.read_exact(&mut frame)?;
        Ok(Some((frame, head.asked)))
    }

    fn write(&self, frame: &[u8], asked: bool) -> io::Result<()> {
        let mut whole = Vec::new();
        frame::put(&mut whole, frame, asked).ok_or(io::ErrorKind::InvalidInput)?;
        self.0.lock().1.write_all(&whole)
    }

    /// Asks, and waits for the answer. Tasks that were sent before it are no more this worker's.
    fn question(&self, frame: &[u8]) -> Option<Answer> {
        self.write(frame, true).ok()?;
        loop {
            let (frame, asked) = self.read().ok()??;
            if asked {
                return serde_json::from_slice(&frame).ok();
            }
        }
    }
}

impl World for Stream {
    fn ask(&mut self, ask: &Ask) -> Option<Answer> {
        let frame = serde_json::to_vec(&Reply::<()>::Ask(ask.clone())).ok()?;
        if frame.len() > limits::MAX_OUTPUT {
            return Some(Answer::Failed(format!("This asks with more than {} KB.", limits::MAX_OUTPUT >> 10)));
        }
        self.question(&frame)
    }
}
