//! Column types: which exist, how they are spelled and which Arrow type carries them.
//!
//! Two grammars read a type. [`DataType::parse_json_text`] reads the strings of a schema file,
//! where nested types are JSON objects; `FromStr` reads SQL text, where they are spelled
//! `ARRAY<INT>`. `Display` writes SQL text, serde writes the JSON of a schema file.

mod arrow;
mod data_type;
mod ddl;
mod display;
mod field;
mod ids;
mod json;
mod lexer;
mod parse;
#[cfg(test)]
pub(crate) mod testing;

pub use arrow::{
    from_arrow_schema, from_arrow_type, to_arrow_field, to_arrow_schema, to_arrow_type,
};
pub(crate) use data_type::check_names;
pub use data_type::{DataType, GEOGRAPHY_ALGORITHMS, MAX_LENGTH, MAX_NESTING, TypeKind};
pub use ddl::parse_columns;
pub use field::DataField;
pub use ids::{assign_field_ids, assign_new_field_ids, check_field_ids, highest_field_id};
pub use json::fields_from_json;
