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
pub(in crate::store) use inspect::Depth;
pub(in crate::store) use like::like;
#[cfg(test)]
pub(in crate::store) use migrations::left_at;
pub(in crate::store) use migrations::{migrate, newest_schema};
pub use params::Params;
pub(in crate::store) use params::params;
pub(in crate::store) use places::{places, rounded};
pub use row::Row;
pub use tx::{Moment, Tx};
pub use value::{Bind, Column, Misfit, Value};
