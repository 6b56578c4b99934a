//! A model as rten holds it, with what goes in and comes out.

use std::ffi::CString;

use ort_sys::ONNXTensorElementDataType as Element;
use rten::{DataType, Dimension as Axis, Model, ModelOptions, NodeId, ValueType};

use super::{
    info::{Dimension, Info},
    status::Outcome,
};

/// A loaded model. Can be run by many threads at once.
pub(super) struct Graph {
    pub(super) model: Model,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
}

/// One input or output.
pub(super) struct Port {
    pub(super) node: NodeId,
    pub(super) name: CString,
    pub(super) info: Info,
}

impl Graph {
    /// Reads an ONNX file, and lays out its weights as the processor likes them.
    pub(super) fn load(file: &[u8]) -> Outcome<Self> {
        let mut options = ModelOptions::with_all_ops();
        let model = options.prepack_weights(true).load(file.to_vec()).map_err(|e| e.to_string())?;
        let ports = |nodes: &[NodeId]| nodes.iter().map(|&node| port(&model, node)).collect::<Outcome<Vec<_>>>();
        let (inputs, outputs) = (ports(model.input_ids())?, ports(model.output_ids())?);
        Ok(Self { model, inputs, outputs })
    }
}

fn port(model: &Model, node: NodeId) -> Outcome<Port> {
    let info = model.node_info(node).ok_or("the model has an input or output that is not there")?;
    let name = CString::new(info.name().unwrap_or_default()).map_err(|e| e.to_string())?;
    let element = match info.dtype() {
        // ONNX's integers of 64 bits, which rten narrows when it loads.
        Some(ValueType::Tensor(DataType::Int32)) => Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64,
        _ => Element::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
    };
    let dimensions = info.shape().unwrap_or_default().into_iter().map(dimension).collect::<Outcome<_>>()?;
    Ok(Port { node, name, info: Info { element, dimensions } })
}

fn dimension(axis: Axis) -> Outcome<Dimension> {
    match axis {
        Axis::Fixed(length) => {
            let length = i64::try_from(length).map_err(|e| e.to_string())?;
            Ok(Dimension { length, name: CString::default() })
        }
        Axis::Symbolic(name) => Ok(Dimension { length: -1, name: CString::new(name).map_err(|e| e.to_string())? }),
    }
}
