//! A loaded model: tokens in, one vector a text out.

use std::borrow::Cow;

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use std::sync::Arc;

use super::model::{Model, Pooling};
use crate::model::error::{Error, Result};

/// A model in memory. May be used by many threads at once; each run stays on the thread it is called from.
pub(super) struct Encoder {
    graph: rten::Model,
    ids: NodeId,
    mask: NodeId,
    types: Option<NodeId>,
    output: NodeId,
    pooling: Pooling,
    dimensions: usize,
    pool: Arc<ThreadPool>,
}

impl Encoder {
    /// Reads the graph and prepares its weights.
    pub(super) fn load(model: &Model) -> Result<Self> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let graph = match &model.onnx {
            Cow::Borrowed(bytes) => options.load_static_slice(bytes),
            Cow::Owned(bytes) => options.load(bytes.clone()),
        };
        let unusable =
            |e: String| Error::invalid(format!("The embedding model '{}' cannot be used: {e}.", model.info.id));
        let graph = graph.map_err(|e| unusable(e.to_string()))?;
        let node = |name: &str| graph.node_id(name).map_err(|e| unusable(e.to_string()));
        let (ids, mask) = (node("input_ids")?, node("attention_mask")?);
        let types = graph.find_node("token_type_ids");
        let output = *graph.output_ids().first().ok_or_else(|| unusable("it has no output".to_owned()))?;
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        Ok(Self { graph, ids, mask, types, output, pooling: model.pooling, dimensions: model.info.dimensions, pool })
    }

    /// One vector of length 1 for each text.
    pub(super) fn encode(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let length = texts.iter().map(Vec::len).max().unwrap_or_default();
        let shape = [texts.len(), length];
        let mut ids = Vec::with_capacity(texts.len() * length);
        let mut mask = Vec::with_capacity(texts.len() * length);
        for text in texts {
            let padding = length - text.len();
            ids.extend(text.iter().map(|id| id.cast_signed()).chain(std::iter::repeat_n(0, padding)));
            mask.extend(std::iter::repeat_n(1, text.len()).chain(std::iter::repeat_n(0, padding)));
        }
        let types = vec![0; ids.len()];
        let value = |data: Vec<i32>| Value::from_shape(&shape, data).map_err(|e| Error::internal(e.to_string()));
        let mut inputs: Vec<(NodeId, ValueOrView)> =
            vec![(self.ids, value(ids)?.into()), (self.mask, value(mask)?.into())];
        if let Some(node) = self.types {
            inputs.push((node, value(types)?.into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        let [output] =
            self.graph.run_n(inputs, [self.output], Some(options)).map_err(|e| Error::internal(e.to_string()))?;
        let (shape, values) = output.into_shape_vec::<f32, 3>().map_err(|e| Error::internal(e.to_string()))?;
        if shape != [texts.len(), length, self.dimensions] {
            return Err(Error::invalid(format!("The embedding model gave a result of the shape {shape:?}.")));
        }
        let rows = values.chunks_exact(length * self.dimensions);
        Ok(texts.iter().zip(rows).map(|(text, row)| self.pool(row, text.len())).collect())
    }

    /// The token vectors of one text as one vector of length 1.
    fn pool(&self, row: &[f32], tokens: usize) -> Vec<f32> {
        let counted = match self.pooling {
            Pooling::Mean => tokens,
            Pooling::Cls => 1,
        };
        let mut vector = vec![0.0; self.dimensions];
        for token in row.chunks_exact(self.dimensions).take(counted) {
            vector.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
        }
        // The length takes the mean's divisor with it.
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }
}
