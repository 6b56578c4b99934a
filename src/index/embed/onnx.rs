//! An ONNX model in memory, as rten runs it: tokens in, numbers out.

use std::{borrow::Cow, sync::Arc};

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::Layout;

use satchel_model::error::{Error, Result};

/// Outputs that hold embeddings, the best first, as fastembed's catalogue counts on them.
const OUTPUTS: [&str; 3] = ["text_embeds", "last_hidden_state", "sentence_embedding"];

/// A loaded model. Many threads may run it at once.
pub(super) struct OnnxModel {
    model: rten::Model,
    ids: NodeId,
    mask: NodeId,
    types: Option<NodeId>,
    output: NodeId,
}

/// A batch of texts as token numbers, row after row, each padded to `width`.
#[derive(Debug, Default)]
pub(super) struct TokenBatch {
    pub(super) rows: usize,
    pub(super) width: usize,
    pub(super) ids: Vec<i32>,
    /// 1 for a token of the text, 0 for padding.
    pub(super) mask: Vec<i32>,
    pub(super) types: Vec<i32>,
}

/// The result of a model for a batch: a vector for each token, or one for each text.
#[derive(Debug)]
pub(super) struct Embeddings {
    pub(super) shape: Vec<usize>,
    pub(super) numbers: Vec<f32>,
}

impl OnnxModel {
    /// Reads an ONNX file, and lays out its weights as the processor likes them.
    ///
    /// # Errors
    ///
    /// What keeps the file from being used, in words.
    pub(super) fn load(file: Cow<'static, [u8]>) -> Result<Self, String> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let model = match file {
            Cow::Borrowed(bytes) => options.load_static_slice(bytes),
            Cow::Owned(bytes) => options.load(bytes),
        };
        let model = model.map_err(|e| e.to_string())?;
        let input = |name| find(&model, model.input_ids(), name);
        let needed = |name| input(name).ok_or_else(|| format!("it has no input '{name}'"));
        let (ids, mask, types) = (needed("input_ids")?, needed("attention_mask")?, input("token_type_ids"));
        let output = output(&model)?;
        Ok(Self { model, ids, mask, types, output })
    }

    /// Runs the model in the threads of a pool.
    ///
    /// # Errors
    ///
    /// [`Internal`](satchel_model::error::Kind::Internal) if the engine cannot run it.
    pub(super) fn run(&self, batch: TokenBatch, pool: &Arc<ThreadPool>) -> Result<Embeddings> {
        let shape = [batch.rows, batch.width];
        let mut inputs = vec![(self.ids, tensor(shape, batch.ids)?), (self.mask, tensor(shape, batch.mask)?)];
        if let Some(types) = self.types {
            inputs.push((types, tensor(shape, batch.types)?));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let [output] = self.model.run_n(inputs, [self.output], Some(options)).map_err(Error::internal)?;
        let Value::FloatTensor(output) = output else {
            return Err(Error::invalid("The embedding model gives no numbers with fractions: it cannot be used."));
        };
        Ok(Embeddings { shape: output.shape().to_vec(), numbers: output.into_data() })
    }
}

fn find(model: &rten::Model, nodes: &[NodeId], name: &str) -> Option<NodeId> {
    nodes.iter().copied().find(|node| model.node_info(*node).and_then(|info| info.name()) == Some(name))
}

/// The only output, or the best of those that are known.
fn output(model: &rten::Model) -> Result<NodeId, String> {
    if let [only] = model.output_ids() {
        return Ok(*only);
    }
    let known = OUTPUTS.iter().find_map(|name| find(model, model.output_ids(), name));
    known.ok_or_else(|| format!("none of its outputs is called {}", OUTPUTS.join(", ")))
}

fn tensor(shape: [usize; 2], numbers: Vec<i32>) -> Result<ValueOrView<'static>> {
    Value::from_shape(shape, numbers).map(ValueOrView::from).map_err(Error::internal)
}
