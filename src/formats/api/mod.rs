//! Documents that describe what a system can do, read into proposals.

pub mod curl;
pub mod document;
pub mod graphql;
pub mod openapi;
mod openapi_parts;
mod openapi_styles;
mod schema;
mod text;
pub mod wsdl;
