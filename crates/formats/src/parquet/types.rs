//! The columns of a file: Parquet types, the Arrow types they decode to, and what Arrow does not say of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Fields};
use ftable_core::TypeKind;
use ftable_core::types::MAX_LENGTH;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr, SchemaDescriptor, Type, TypePtr};

use super::NAME;
use super::metadata::{self, Footer};
use crate::convert::{FileFields, FileType, Form};
use crate::error::{CorruptSnafu, Result};
use crate::offload::attempt;

/// Bytes of an INT96.
const INT96_BYTES: i32 = 12;

/// A file whose asked columns can be decoded.
pub(super) struct Described {
    pub(super) reader: ArrowReaderMetadata,
    /// The types of all top-level columns, in file order; of those not asked for they mean nothing.
    pub(super) columns: Vec<FileType>,
}

/// The names of a file's top-level columns, in file order.
pub(super) fn names(footer: &Footer) -> Vec<&str> {
    roots(footer.metadata.file_metadata().schema_descr())
        .iter()
        .map(|root| root.name())
        .collect()
}

/// Works out how the columns at `asked` are decoded.
///
/// # Errors
/// A column asked for that has no Arrow type at all.
pub(super) fn describe(path: &str, footer: Footer, asked: &BTreeSet<usize>) -> Result<Described> {
    let failed = |error: ParquetError| metadata::corrupt(path, &error);
    let schema = footer.metadata.file_metadata().schema_descr_ptr();
    let mut is_asked = (0..).map(|position| asked.contains(&position));
    let has_int96 = schema.columns().iter().enumerate().any(|(leaf, column)| {
        column.physical_type() == PhysicalType::INT96
            && asked.contains(&schema.get_column_root_idx(leaf))
    });
    let plain = match has_int96 {
        true => None,
        false => attempt(|| arrow(&footer).ok()),
    };
    let reader = match plain {
        Some(reader) => reader,
        // A column that is not asked for may be as odd as it likes.
        None => {
            let schema = decodable(&schema, &mut is_asked).map_err(failed)?;
            arrow(&footer.with_schema(path, schema)?).map_err(failed)?
        }
    };
    let columns = columns(&schema, &reader, asked).ok_or_else(|| {
        let message = "its schema has columns that cannot be told apart".to_owned();
        CorruptSnafu {
            path,
            format: NAME,
            message,
        }
        .build()
    })?;
    Ok(Described { reader, columns })
}

/// The columns that a file has by its own schema; one that cannot be decoded at all is of a foreign type.
pub(super) fn file_fields(path: &str, footer: Footer) -> Result<FileFields> {
    let schema = footer.metadata.file_metadata().schema_descr_ptr();
    let all = 0..roots(&schema).len();
    let asked: BTreeSet<usize> = match attempt(|| arrow(&footer).ok()) {
        Some(_) => all.collect(),
        // One odd column spoils the schema as a whole.
        None => roots(&schema)
            .iter()
            .enumerate()
            .filter(|(_, root)| is_decodable(root))
            .map(|(position, _)| position)
            .collect(),
    };
    let described = describe(path, footer, &asked)?;
    let columns = roots(&schema).iter().zip(described.columns).enumerate();
    let own = columns.map(|(position, (root, file_type))| {
        let file_type = match asked.contains(&position) {
            true => file_type,
            false => FileType::leaf(ArrowType::Null, root_name(root), Form::Foreign),
        };
        (root.name().to_owned(), file_type)
    });
    Ok(FileFields::new(path, own))
}

/// Whether a column alone has an Arrow type.
fn is_decodable(root: &TypePtr) -> bool {
    let alone = decodable_type(root, true).and_then(|root| {
        Type::group_type_builder("alone")
            .with_fields(vec![root])
            .build()
    });
    alone.is_ok_and(|alone| {
        let schema = SchemaDescriptor::new(Arc::new(alone));
        attempt(|| parquet_to_arrow_schema(&schema, None).ok()).is_some()
    })
}

fn root_name(root: &Type) -> String {
    match root.is_primitive() {
        true => name(root, root.get_physical_type()),
        false => "group".to_owned(),
    }
}

fn roots(schema: &SchemaDescriptor) -> &[TypePtr] {
    schema.root_schema().get_fields()
}

fn arrow(footer: &Footer) -> Result<ArrowReaderMetadata, ParquetError> {
    // An embedded Arrow schema would bring dictionaries, views and zones of its own.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    ArrowReaderMetadata::try_new(Arc::clone(&footer.metadata), options)
}

/// The same columns, with INT96 as the twelve bytes that it is and without annotations where none is asked for.
///
/// As a timestamp the decoder would wrap INT96 outside of 1677 to 2262, or cut a negative time of day upwards.
fn decodable(
    schema: &SchemaDescPtr,
    is_asked: &mut dyn Iterator<Item = bool>,
) -> Result<SchemaDescPtr, ParquetError> {
    let mut fields = Vec::new();
    for (root, asked) in roots(schema).iter().zip(is_asked) {
        fields.push(decodable_type(root, asked)?);
    }
    let root = Type::group_type_builder(schema.name())
        .with_fields(fields)
        .build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root))))
}

fn decodable_type(node: &TypePtr, asked: bool) -> Result<TypePtr, ParquetError> {
    let info = node.get_basic_info();
    let repetition = if info.has_repetition() {
        info.repetition()
    } else {
        Repetition::REQUIRED
    };
    if node.is_group() {
        let fields = node
            .get_fields()
            .iter()
            .map(|field| decodable_type(field, asked));
        let mut group = Type::group_type_builder(node.name())
            .with_repetition(repetition)
            .with_fields(fields.collect::<Result<_, _>>()?);
        if asked {
            group = group
                .with_logical_type(info.logical_type_ref().cloned())
                .with_converted_type(info.converted_type());
        }
        return group.build().map(Arc::new);
    }
    let bytes = |length| {
        Type::primitive_type_builder(node.name(), PhysicalType::FIXED_LEN_BYTE_ARRAY)
            .with_length(length)
            .with_repetition(repetition)
            .build()
            .map(Arc::new)
    };
    match node.get_physical_type() {
        PhysicalType::INT96 => bytes(INT96_BYTES),
        _ if asked => Ok(Arc::clone(node)),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => match &**node {
            Type::PrimitiveType { type_length, .. } => bytes(*type_length),
            Type::GroupType { .. } => Ok(Arc::clone(node)),
        },
        physical => Type::primitive_type_builder(node.name(), physical)
            .with_repetition(repetition)
            .build()
            .map(Arc::new),
    }
}

/// Pairs the file's columns with the Arrow fields they decode to; groups without any leaf have none.
fn columns(
    schema: &SchemaDescPtr,
    reader: &ArrowReaderMetadata,
    asked: &BTreeSet<usize>,
) -> Option<Vec<FileType>> {
    let mut leaves = schema.columns().iter();
    let mut fields = reader.schema().fields().iter();
    let mut columns = Vec::new();
    for (position, root) in roots(schema).iter().enumerate() {
        let own = own_leaves(&mut leaves, root);
        let file_type = match own.is_empty() {
            true => FileType::leaf(ArrowType::Null, "a group without fields", Form::Foreign),
            false => {
                let arrow = fields.next()?.data_type();
                match asked.contains(&position) {
                    true => Builder { leaves: own.iter() }.build(arrow, Some(root))?,
                    false => FileType::leaf(ArrowType::Null, "", Form::Foreign),
                }
            }
        };
        columns.push(file_type);
    }
    fields.next().is_none().then_some(columns)
}

fn own_leaves<'a>(
    leaves: &mut impl Iterator<Item = &'a ColumnDescPtr>,
    root: &TypePtr,
) -> Vec<&'a ColumnDescPtr> {
    fn count(node: &Type) -> usize {
        match node.is_primitive() {
            true => 1,
            false => node.get_fields().iter().map(|field| count(field)).sum(),
        }
    }
    leaves.take(count(root)).collect()
}

/// Walks an Arrow type and the leaves of its column side by side: both stand in the same order.
struct Builder<'a, I: Iterator<Item = &'a &'a ColumnDescPtr>> {
    leaves: I,
}

impl<'a, I: Iterator<Item = &'a &'a ColumnDescPtr>> Builder<'a, I> {
    /// `node` is the Parquet type where it is known; below lists and maps it is found by its place.
    fn build(&mut self, arrow: &ArrowType, node: Option<&TypePtr>) -> Option<FileType> {
        match arrow {
            ArrowType::List(field) => {
                let element = self.build(field.data_type(), element_of(node, field.data_type()))?;
                Some(FileType::nested(arrow.clone(), "LIST", vec![element]))
            }
            ArrowType::Map(entries, _) => {
                let ArrowType::Struct(fields) = entries.data_type() else {
                    return None;
                };
                let inner = node.and_then(|node| node.get_fields_of_group()?.first());
                let children = self.fields(fields, inner)?;
                Some(FileType::nested(arrow.clone(), "MAP", children))
            }
            ArrowType::Struct(fields) => {
                let children = self.fields(fields, node)?;
                if node.is_some_and(|node| is_variant(node)) {
                    let variant = FileType::nested(arrow.clone(), "group VARIANT", children);
                    return Some(variant.with_form(Form::Foreign));
                }
                let group = FileType::nested(arrow.clone(), "group", children);
                Some(match node.is_some_and(|node| is_wrapper(node)) {
                    true => group.with_form(Form::Wrapper),
                    false => group,
                })
            }
            leaf => self
                .leaves
                .next()
                .map(|column| leaf_type(leaf, column.self_type())),
        }
    }

    fn fields(&mut self, fields: &Fields, node: Option<&TypePtr>) -> Option<Vec<FileType>> {
        let nodes = node
            .and_then(|node| node.get_fields_of_group())
            .unwrap_or_default();
        // Fields without leaves are not in the Arrow type: then places do not tell.
        let known = nodes.len() == fields.len();
        let mut children = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let child = nodes.get(index).filter(|_| known);
            // A repeated field is a list of itself, without a group around.
            let child = child.filter(|child| !is_repeated(child));
            children.push(self.build(field.data_type(), child)?);
        }
        Some(children)
    }
}

trait Group {
    fn get_fields_of_group(&self) -> Option<&[TypePtr]>;
}

impl Group for TypePtr {
    fn get_fields_of_group(&self) -> Option<&[TypePtr]> {
        self.is_group().then(|| self.get_fields())
    }
}

/// The Parquet type of a list's element, where the list is the modern group of three levels.
fn element_of<'a>(node: Option<&'a TypePtr>, element: &ArrowType) -> Option<&'a TypePtr> {
    let repeated = node?.get_fields_of_group()?.first()?;
    let [inner] = repeated.get_fields_of_group()? else {
        return None;
    };
    let same_shape = inner.is_group() == element.is_nested() && !is_repeated(inner);
    same_shape.then_some(inner)
}

fn is_repeated(node: &Type) -> bool {
    let info = node.get_basic_info();
    info.has_repetition() && info.repetition() == Repetition::REPEATED
}

fn is_wrapper(node: &Type) -> bool {
    let info = node.get_basic_info();
    let annotated =
        info.logical_type_ref().is_some() || info.converted_type() != ConvertedType::NONE;
    let only = node.is_group() && node.get_fields().len() == 1;
    !annotated && only && node.get_fields().iter().all(|field| is_repeated(field))
}

fn is_variant(node: &Type) -> bool {
    let logical = node.get_basic_info().logical_type_ref();
    matches!(logical, Some(LogicalType::Variant(_)))
}

fn leaf_type(arrow: &ArrowType, column: &Type) -> FileType {
    let physical = column.get_physical_type();
    let form = form(arrow, column, physical);
    // The decoder gives an ENUM as bytes, though it is text.
    let own = matches!(form, Form::Text).then_some(TypeKind::VarChar { length: MAX_LENGTH });
    FileType::leaf(arrow.clone(), name(column, physical), form).with_own(own)
}

fn form(arrow: &ArrowType, column: &Type, physical: PhysicalType) -> Form {
    use LogicalType as L;
    let info = column.get_basic_info();
    match (info.logical_type_ref(), info.converted_type(), physical) {
        (_, _, PhysicalType::INT96) if *arrow == ArrowType::FixedSizeBinary(INT96_BYTES) => {
            Form::Int96
        }
        (None, ConvertedType::NONE, PhysicalType::INT32) => Form::Bare,
        // Bytes of which the annotation says that they are something else, known to this reader or not.
        (
            Some(L::Bson | L::Geometry(_) | L::Geography(_) | L::Variant(_) | L::_Unknown { .. }),
            ..,
        )
        | (None, ConvertedType::BSON, _) => Form::Foreign,
        (Some(L::Enum), ..) | (None, ConvertedType::ENUM, _) => Form::Text,
        _ => Form::Plain,
    }
}

/// A leaf's type as Parquet's own schema text has it.
fn name(column: &Type, physical: PhysicalType) -> String {
    let physical = match column {
        Type::PrimitiveType { type_length, .. }
            if physical == PhysicalType::FIXED_LEN_BYTE_ARRAY =>
        {
            format!("{physical}({type_length})")
        }
        _ => physical.to_string(),
    };
    let info = column.get_basic_info();
    let annotation = match info.logical_type_ref() {
        Some(logical) => logical_name(logical),
        None => match info.converted_type() {
            ConvertedType::NONE => return physical,
            ConvertedType::DECIMAL => {
                format!(
                    "DECIMAL({}, {})",
                    column.get_precision(),
                    column.get_scale()
                )
            }
            converted => converted.to_string(),
        },
    };
    format!("{physical} {annotation}")
}

fn logical_name(logical: &LogicalType) -> String {
    match logical {
        LogicalType::Integer(int) => {
            let sign = if int.is_signed { "INT" } else { "UINT" };
            format!("{sign}_{}", int.bit_width)
        }
        LogicalType::Decimal(decimal) => {
            format!("DECIMAL({}, {})", decimal.precision, decimal.scale)
        }
        LogicalType::Time(time) => format!("TIME({})", unit_name(&time.unit)),
        LogicalType::Timestamp(timestamp) => {
            let adjusted = if timestamp.is_adjusted_to_u_t_c {
                ", UTC"
            } else {
                ""
            };
            format!("TIMESTAMP({}{adjusted})", unit_name(&timestamp.unit))
        }
        LogicalType::Geometry(_) => "GEOMETRY".to_owned(),
        LogicalType::Geography(_) => "GEOGRAPHY".to_owned(),
        LogicalType::Variant(_) => "VARIANT".to_owned(),
        LogicalType::_Unknown { field_id } => format!("with annotation {field_id}"),
        other => format!("{other:?}").to_ascii_uppercase(),
    }
}

fn unit_name(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::MILLIS => "MILLIS",
        TimeUnit::MICROS => "MICROS",
        TimeUnit::NANOS => "NANOS",
    }
}
