//! Documents that describe what a system can do, read into proposals.

mod budget;
pub mod curl;
mod curl_auth;
mod curl_body;
mod curl_command;
mod curl_headers;
mod curl_path;
mod curl_shell;
#[cfg(test)]
mod curl_tests;
mod curl_words;
mod discriminator;
pub mod document;
mod example;
pub mod graphql;
mod graphql_input;
mod graphql_sdl;
mod graphql_selection;
pub mod openapi;
mod references;
mod schema;
#[cfg(test)]
mod schema_tests;
mod text;
mod web_page;
pub mod wsdl;
