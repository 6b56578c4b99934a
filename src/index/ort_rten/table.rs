//! The table of functions, and putting it in force.

use ort_sys::{OrtApi, stub};

use super::{info, memory, session, value};

/// Makes rten the engine of `ort`. Must come before anything else that touches `ort`; repeating it does nothing.
pub fn install() {
    ort::set_api(table());
}

fn table() -> OrtApi {
    OrtApi {
        CreateEnv: session::create_env,
        ReleaseEnv: session::release_env,
        CreateSessionOptions: session::create_options,
        SetIntraOpNumThreads: session::set_threads,
        ReleaseSessionOptions: session::release_options,
        CreateSessionFromArray: session::create,
        ReleaseSession: session::release,
        SessionGetInputCount: session::input_count,
        SessionGetOutputCount: session::output_count,
        SessionGetInputName: session::input_name,
        SessionGetOutputName: session::output_name,
        SessionGetInputTypeInfo: session::input_type,
        SessionGetOutputTypeInfo: session::output_type,
        SessionGetMemoryInfoForInputs: memory::of_ports,
        SessionGetMemoryInfoForOutputs: memory::of_ports,
        Run: session::run,
        GetOnnxTypeFromTypeInfo: info::kind,
        CastTypeInfoToTensorInfo: info::as_tensor,
        GetTensorElementType: info::element,
        GetDimensionsCount: info::rank,
        GetDimensions: info::dimensions,
        GetSymbolicDimensions: info::symbols,
        ReleaseTypeInfo: info::release,
        CreateTensorTypeAndShapeInfo: info::create,
        SetTensorElementType: info::set_element,
        SetDimensions: info::set_dimensions,
        SetSymbolicDimensions: info::set_symbols,
        ReleaseTensorTypeAndShapeInfo: info::release_created,
        GetAllocatorWithDefaultOptions: memory::default_allocator,
        CreateAllocator: memory::session_allocator,
        CreateMemoryInfo: memory::create_info,
        CreateTensorWithDataAsOrtValue: value::borrow,
        IsTensor: value::is_tensor,
        GetTensorMutableData: value::data,
        GetTensorMemoryInfo: value::memory_info,
        GetTensorElementTypeAndShapeDataReference: value::shape,
        ReleaseValue: value::release,
        ..stub::api()
    }
}
