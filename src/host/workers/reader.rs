//! Workers that read one hostile input each: a document, a page, the description of an API. A fresh process for each, so
//! that nothing of one is left for the next, and what it used ends with it.

use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    path::PathBuf,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
};

use super::{confine::Limits, death::Death, worker::Ended};

/// The hidden first argument of one; its memory in bytes and its processor time in seconds follow.
pub(super) const ARGUMENT: &str = "__reader";
/// Niceness of one: whoever reads a document waits, others do not.
const NICENESS: i32 = 10;
/// Most bytes read of what one says at its end.
const MAX_WORDS: usize = 16 << 10;
/// Bytes read at once.
const PIECE: usize = 64 << 10;
/// The time one that closed its standard output may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// The resources one process may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Memory and processor time, held by the kernel.
    pub process: Limits,
    /// Wall time, however busy the machine is.
    pub wall: Duration,
    /// Bytes of its answer.
    pub answer: usize,
}

/// Starts processes that read. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Readers {
    program: PathBuf,
}

impl Readers {
    /// Readers that are this program, started again.
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// Has a process read `input` to its end. Returns what it wrote. Blocks.
    ///
    /// # Errors
    ///
    /// How it ended, if it did not end well; it is no more then.
    pub fn run(&self, input: &mut dyn Read, limits: &ReadLimits) -> Result<Vec<u8>, Ended> {
        let mut running = Running::start(self, limits)?;
        let answer = running.converse(input, limits);
        match answer {
            Ok(answer) => running.end().map(|()| answer),
            // Broken pipes say nothing of the cause; its end does.
            Err(Ended::Died(_)) => Err(running.end().err().unwrap_or(Ended::Died(Death::Silent))),
            Err(other) => Err(other),
        }
    }
}

/// The limits in the arguments of this process.
pub(super) fn limits(arguments: &[String]) -> Option<Limits> {
    let [memory, seconds] = arguments else { return None };
    // Inherited by nothing: it starts no thread and no process.
    let _ = rustix::process::setpriority_process(None, NICENESS);
    Some(Limits { memory: memory.parse().ok()?, cpu_seconds: seconds.parse().ok()? })
}

/// A process that reads. Dropping it kills it.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: ChildStderr,
    deadline: Instant,
}

impl Running {
    fn start(readers: &Readers, limits: &ReadLimits) -> Result<Self, Ended> {
        #[expect(clippy::disallowed_methods, reason = "the one place where a reader starts")]
        let mut command = std::process::Command::new(&readers.program);
        command
            .arg(ARGUMENT)
            .arg(limits.process.memory.to_string())
            .arg(limits.process.cpu_seconds.to_string())
            .env_clear()
            // The allocator takes what it needs, and no arenas on stock: they would count against its limit.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Ended::Unstarted)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(Ended::Unstarted(io::ErrorKind::BrokenPipe.into()));
        };
        let running = Self { child, input: Some(input), output, errors, deadline: Instant::now() + limits.wall };
        running.unblock().map_err(Ended::Unstarted)?;
        Ok(running)
    }

    /// Neither reading nor writing waits: [`poll`] does, and until the deadline only.
    fn unblock(&self) -> io::Result<()> {
        let input = self.input.as_ref().map(AsFd::as_fd);
        for pipe in input.into_iter().chain([self.output.as_fd(), self.errors.as_fd()]) {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(())
    }

    /// Writes the input and reads the answer, whichever is possible.
    fn converse(&mut self, input: &mut dyn Read, limits: &ReadLimits) -> Result<Vec<u8>, Ended> {
        let (mut answer, mut piece) = (Vec::new(), vec![0; PIECE]);
        let (mut sent, mut at, mut filled) = (vec![0; PIECE], 0, 0);
        loop {
            if at == filled && self.input.is_some() {
                (at, filled) = (0, input.read(&mut sent).map_err(Ended::Input)?);
                if filled == 0 {
                    // The end of its input.
                    self.input = None;
                }
            }
            self.wait()?;
            if let Some(pipe) = &mut self.input {
                at += ready(pipe.write(sent.get(at..filled).unwrap_or_default()))?.unwrap_or_default();
            }
            match ready(self.output.read(&mut piece))? {
                None => {}
                Some(0) => return Ok(answer),
                Some(read) => answer.extend_from_slice(piece.get(..read).unwrap_or_default()),
            }
            if answer.len() > limits.answer {
                return Err(Ended::TooLong);
            }
        }
    }

    /// Waits until it takes more or says more.
    fn wait(&self) -> Result<(), Ended> {
        let input = self.input.as_ref().map(|input| PollFd::new(input, PollFlags::OUT));
        let mut pipes: Vec<PollFd<'_>> = input.into_iter().chain([PollFd::new(&self.output, PollFlags::IN)]).collect();
        wait_for(&mut pipes, self.deadline)
    }

    /// Waits for its end, and says how it ended. What it wrote to its standard error counts.
    fn end(&mut self) -> Result<(), Ended> {
        let (mut words, mut piece, deadline) = (Vec::new(), vec![0; PIECE], Instant::now() + FAREWELL);
        // Its end closes this pipe as well.
        while wait_for(&mut [PollFd::new(&self.errors, PollFlags::IN)], deadline).is_ok() {
            match ready(self.errors.read(&mut piece)) {
                Ok(None) => {}
                Ok(Some(read)) if read > 0 => {
                    let room = MAX_WORDS.saturating_sub(words.len());
                    words.extend_from_slice(piece.get(..read.min(room)).unwrap_or_default());
                }
                _ => break,
            }
        }
        let ended = self.child.try_wait().ok().flatten();
        let status = ended.or_else(|| {
            // It has closed all its pipes: the kernel is done with it in a moment, or it hangs.
            let _ = self.child.kill();
            self.child.wait().ok()
        });
        match status {
            Some(status) if status.success() => Ok(()),
            status => Err(Ended::Died(Death::from_exit(status, &String::from_utf8_lossy(&words)))),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already is only waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until one of the pipes is ready.
fn wait_for(pipes: &mut [PollFd<'_>], deadline: Instant) -> Result<(), Ended> {
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).map_err(|_| Ended::Time)?;
    match poll(pipes, Some(&left)) {
        Ok(0) => Err(Ended::Time),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(Ended::Unstarted(error.into())),
    }
}

/// `None` where nothing can be read or written now.
fn ready(done: io::Result<usize>) -> Result<Option<usize>, Ended> {
    match done {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(_) => Err(Ended::Died(Death::Silent)),
    }
}
