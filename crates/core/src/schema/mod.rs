//! Schemas: what a creator gives, what lies on disk, and what is refused.

mod builder;
mod defaults;
mod json;
mod pretty;
mod table_schema;
mod validate;

pub use builder::{Schema, SchemaBuilder};
pub use defaults::default_value;
pub use table_schema::{CURRENT_VERSION, TableSchema};
pub use validate::{validate_create, validate_open};
