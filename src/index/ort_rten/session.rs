//! Sessions: a model in memory, ready to run. Sessions over the same model share its weights.
#![expect(unsafe_code, reason = "functions of a C interface, see the module's documentation")]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    slice,
    sync::{Arc, Weak},
};

use ort_sys::{
    OrtAllocator, OrtEnv, OrtLoggingLevel, OrtRunOptions, OrtSession, OrtSessionOptions, OrtStatusPtr, OrtTypeInfo,
    OrtValue,
};
use parking_lot::Mutex;
use rten::{RunOptions, ThreadPool};
use sha2::{Digest, Sha256};

use super::{
    graph::{Graph, Port},
    memory,
    spread::spread,
    status::{self, Outcome},
    value::{self, Tensor},
};

/// Behind `OrtEnv`: the models some session holds, by the hash of their files.
#[derive(Default)]
struct Environment {
    graphs: Mutex<Vec<([u8; 32], Weak<Graph>)>>,
}

/// Behind `OrtSessionOptions`.
struct Options {
    threads: usize,
}

/// Behind `OrtSession`.
struct Session {
    graph: Arc<Graph>,
    pool: Arc<ThreadPool>,
}

impl Environment {
    /// The model, from memory where another session has it already.
    fn graph(&self, file: &[u8]) -> Outcome<Arc<Graph>> {
        let hash: [u8; 32] = Sha256::digest(file).into();
        // Held while it loads, so that two at once do not both.
        let mut graphs = self.graphs.lock();
        graphs.retain(|(_, graph)| graph.strong_count() > 0);
        if let Some(graph) = graphs.iter().find(|(known, _)| *known == hash).and_then(|(_, graph)| graph.upgrade()) {
            return Ok(graph);
        }
        let graph = Arc::new(Graph::load(file)?);
        graphs.push((hash, Arc::downgrade(&graph)));
        Ok(graph)
    }
}

pub(super) unsafe extern "system" fn create_env(
    _: OrtLoggingLevel,
    _: *const c_char,
    out: *mut *mut OrtEnv,
) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = Box::into_raw(Box::<Environment>::default()).cast() };
    status::fine()
}

pub(super) unsafe extern "system" fn release_env(env: *mut OrtEnv) {
    if !env.is_null() {
        // SAFETY: it came from `create_env`, and is released once, after its sessions.
        drop(unsafe { Box::from_raw(env.cast::<Environment>()) });
    }
}

pub(super) unsafe extern "system" fn create_options(out: *mut *mut OrtSessionOptions) -> OrtStatusPtr {
    // SAFETY: `out` can be written to.
    unsafe { *out = Box::into_raw(Box::new(Options { threads: 1 })).cast() };
    status::fine()
}

pub(super) unsafe extern "system" fn set_threads(options: *mut OrtSessionOptions, threads: c_int) -> OrtStatusPtr {
    // SAFETY: `options` came from `create_options`, and the builder that holds them is borrowed for this call.
    unsafe { (*options.cast::<Options>()).threads = usize::try_from(threads).unwrap_or(1).max(1) };
    status::fine()
}

pub(super) unsafe extern "system" fn release_options(options: *mut OrtSessionOptions) {
    if !options.is_null() {
        // SAFETY: they came from `create_options`, and are released once.
        drop(unsafe { Box::from_raw(options.cast::<Options>()) });
    }
}

pub(super) unsafe extern "system" fn create(
    env: *const OrtEnv,
    file: *const c_void,
    length: usize,
    options: *const OrtSessionOptions,
    out: *mut *mut OrtSession,
) -> OrtStatusPtr {
    status::of(|| {
        if file.is_null() {
            return Err("there is no model".to_owned());
        }
        // SAFETY: both came from the functions above; `file` has `length` bytes for this call.
        let (env, options, file) = unsafe {
            let file = slice::from_raw_parts(file.cast::<u8>(), length);
            (&*env.cast::<Environment>(), &*options.cast::<Options>(), file)
        };
        let graph = env.graph(file)?;
        let pool = ThreadPool::with_num_threads(options.threads);
        spread(&pool, options.threads);
        let session = Session { graph, pool: Arc::new(pool) };
        // SAFETY: `out` can be written to.
        unsafe { *out = Box::into_raw(Box::new(session)).cast() };
        Ok(())
    })
}

pub(super) unsafe extern "system" fn release(session: *mut OrtSession) {
    if !session.is_null() {
        // SAFETY: it came from `create`, and is released once.
        drop(unsafe { Box::from_raw(session.cast::<Session>()) });
    }
}

/// SAFETY: `session` came from [`create`] and has not been released.
unsafe fn graph<'a>(session: *const OrtSession) -> &'a Graph {
    // SAFETY: as the caller promises.
    unsafe { &(*session.cast::<Session>()).graph }
}

pub(super) unsafe extern "system" fn input_count(session: *const OrtSession, out: *mut usize) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours, `out` can be written to.
    unsafe { *out = graph(session).inputs.len() };
    status::fine()
}

pub(super) unsafe extern "system" fn output_count(session: *const OrtSession, out: *mut usize) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours, `out` can be written to.
    unsafe { *out = graph(session).outputs.len() };
    status::fine()
}

fn lend_name(ports: &[Port], at: usize, out: *mut *mut c_char) -> OrtStatusPtr {
    status::of(|| {
        let name = memory::lend_name(&ports.get(at).ok_or("no such input or output")?.name)?;
        // SAFETY: `out` can be written to.
        unsafe { *out = name };
        Ok(())
    })
}

pub(super) unsafe extern "system" fn input_name(
    session: *const OrtSession,
    at: usize,
    _: *mut OrtAllocator,
    out: *mut *mut c_char,
) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours.
    lend_name(unsafe { &graph(session).inputs }, at, out)
}

pub(super) unsafe extern "system" fn output_name(
    session: *const OrtSession,
    at: usize,
    _: *mut OrtAllocator,
    out: *mut *mut c_char,
) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours.
    lend_name(unsafe { &graph(session).outputs }, at, out)
}

fn lend_type(ports: &[Port], at: usize, out: *mut *mut OrtTypeInfo) -> OrtStatusPtr {
    status::of(|| {
        let info = ports.get(at).ok_or("no such input or output")?.info.clone();
        // SAFETY: `out` can be written to.
        unsafe { *out = info.lend() };
        Ok(())
    })
}

pub(super) unsafe extern "system" fn input_type(
    session: *const OrtSession,
    at: usize,
    out: *mut *mut OrtTypeInfo,
) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours.
    lend_type(unsafe { &graph(session).inputs }, at, out)
}

pub(super) unsafe extern "system" fn output_type(
    session: *const OrtSession,
    at: usize,
    out: *mut *mut OrtTypeInfo,
) -> OrtStatusPtr {
    // SAFETY: `session` is one of ours.
    lend_type(unsafe { &graph(session).outputs }, at, out)
}

/// The ports with these names, in their order.
///
/// SAFETY: `names` has `count` C strings.
unsafe fn named(ports: &[Port], names: *const *const c_char, count: usize) -> Outcome<Vec<&Port>> {
    let find = |at| {
        // SAFETY: as the caller promises.
        let name = unsafe { CStr::from_ptr(*names.add(at)) };
        let port = ports.iter().find(|port| *port.name == *name);
        port.ok_or_else(|| format!("the model has no '{}'", name.to_string_lossy()))
    };
    (0..count).map(find).collect()
}

pub(super) unsafe extern "system" fn run(
    session: *mut OrtSession,
    _: *const OrtRunOptions,
    input_names: *const *const c_char,
    inputs: *const *const OrtValue,
    input_count: usize,
    output_names: *const *const c_char,
    output_count: usize,
    outputs: *mut *mut OrtValue,
) -> OrtStatusPtr {
    status::of(|| {
        // SAFETY: `session` is one of ours; others may be running it, which rten allows.
        let session = unsafe { &*session.cast::<Session>() };
        // SAFETY: there are as many names as the counts say.
        let (given, wanted) = unsafe {
            let given = named(&session.graph.inputs, input_names, input_count)?;
            (given, named(&session.graph.outputs, output_names, output_count)?)
        };
        let mut values = Vec::with_capacity(given.len());
        for (at, port) in given.into_iter().enumerate() {
            // SAFETY: there are `input_count` values of ours, whose memory the caller keeps during the run.
            values.push((port.node, unsafe { value::input(*inputs.add(at)) }?.into()));
        }
        let nodes: Vec<_> = wanted.iter().map(|port| port.node).collect();
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&session.pool)));
        let results = session.graph.model.run(values, &nodes, Some(options)).map_err(|e| e.to_string())?;
        let results = results.into_iter().map(Tensor::of).collect::<Outcome<Vec<_>>>()?;
        for (at, result) in results.into_iter().take(output_count).enumerate() {
            // SAFETY: `outputs` has `output_count` places. One that is already filled would leak, and `ort` fills none.
            unsafe { outputs.add(at).write(result.lend()) };
        }
        Ok(())
    })
}
