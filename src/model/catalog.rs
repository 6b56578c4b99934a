//! The service catalog: systems, their endpoints, and how both are reached.

pub mod auth;
pub mod credentials;
pub mod directory;
pub mod draft;
pub mod endpoint;
pub mod graphql;
pub mod graphql_index;
pub mod imported;
mod lookup;
pub mod pace;
pub mod place;
pub mod proposal;
pub mod reading;
pub mod status;
pub mod style;
pub mod system;
pub mod upload;
pub mod waiting;
pub mod xml_name;
