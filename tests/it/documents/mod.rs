//! Documents: read, made, changed; hostile ones refused. The fixtures were made by the programs they are named after.

mod bomb;
mod bombs;
mod change;
mod damage;
mod fixture;
mod office;
mod read;
mod tools;
