//! Terms as text.

pub mod c;
pub mod smtlib;
