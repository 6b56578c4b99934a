//! The seam to the database's driver: the only place that names it.

mod connection;
mod failure;
mod inspect;
mod like;
mod migrations;
pub mod pages;
mod params;
mod places;
mod row;
mod tx;
mod value;

pub use connection::Connection;
pub(crate) use inspect::Depth;
pub(crate) use like::like;
#[cfg(test)]
pub(crate) use migrations::left_at;
pub(crate) use migrations::{migrate, newest_schema};
pub use params::Params;
pub(crate) use params::params;
pub(crate) use places::{places, rounded};
pub use row::Row;
pub use tx::{Moment, Tx};
pub use value::{Bind, Column, Misfit, Value};
