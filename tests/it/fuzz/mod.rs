//! Bad input over HTTP, made from the OpenAPI document and from every tool's schema: each is answered with what is wrong
//! and where, none with a 5xx, and the server is as well afterwards as before.

mod bodies;
mod document;
mod requests;
mod run;
mod values;
