//! The types of a file, the Arrow types they decode to, and what is done to the decoded arrays.

use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field, Fields, TimeUnit};
use ftable_core::types::{MAX_LENGTH, to_arrow_type};
use ftable_core::{DataType, TypeKind};

use super::recode::{Recode, TimestampColumn};
use super::wire::Message;
use crate::convert::{FileType, Form};

/// How deep types may lie in each other: a table's go to 112 levels.
const MAX_DEPTH: usize = 128;

/// A type of the file; its position in the list of types is its column id.
#[derive(Debug, Clone, Default)]
pub(super) struct TypeNode {
    pub(super) kind: Kind,
    pub(super) subtypes: Vec<usize>,
    /// The names of a struct's fields.
    pub(super) names: Vec<String>,
    /// Of CHAR and VARCHAR, in characters.
    pub(super) length: u64,
    pub(super) precision: u64,
    pub(super) scale: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Boolean,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    String,
    Binary,
    Timestamp,
    List,
    Map,
    Struct,
    Union,
    Decimal,
    Date,
    Varchar,
    Char,
    TimestampInstant,
    /// Newer than this reader.
    Unknown(u64),
}

/// The kinds by their numbers.
const KINDS: [Kind; 19] = [
    Kind::Boolean,
    Kind::Byte,
    Kind::Short,
    Kind::Int,
    Kind::Long,
    Kind::Float,
    Kind::Double,
    Kind::String,
    Kind::Binary,
    Kind::Timestamp,
    Kind::List,
    Kind::Map,
    Kind::Struct,
    Kind::Union,
    Kind::Decimal,
    Kind::Date,
    Kind::Varchar,
    Kind::Char,
    Kind::TimestampInstant,
];

impl Kind {
    pub(super) fn of(number: u64) -> Self {
        let known = usize::try_from(number)
            .ok()
            .and_then(|number| KINDS.get(number))
            .copied();
        known.unwrap_or(Self::Unknown(number))
    }

    pub(super) fn number(self) -> u64 {
        match self {
            Self::Unknown(number) => number,
            known => KINDS.iter().position(|kind| *kind == known).unwrap_or(0) as u64,
        }
    }

    pub(super) fn is_timestamp(self) -> bool {
        matches!(self, Self::Timestamp | Self::TimestampInstant)
    }
}

impl TypeNode {
    /// The type as the decoder is to take it: of a timestamp it decodes the seconds.
    pub(super) fn for_decoder(&self) -> Message {
        let kind = match self.kind {
            kind if kind.is_timestamp() => Kind::Long,
            // Not decoded: a column with it is refused.
            Kind::Unknown(_) => Kind::Long,
            kind => kind,
        };
        let mut message = Message::default();
        message.number(1, kind.number());
        for subtype in &self.subtypes {
            message.number(2, *subtype as u64);
        }
        for name in &self.names {
            message.bytes(3, name.as_bytes());
        }
        message.number(4, self.length.min(u64::from(u32::MAX)));
        message.number(5, self.precision.min(u64::from(u32::MAX)));
        message.number(6, self.scale.min(u64::from(u32::MAX)));
        message
    }

    /// The type's name in messages.
    fn name(&self) -> String {
        match self.kind {
            Kind::Boolean => "BOOLEAN".to_owned(),
            Kind::Byte => "BYTE".to_owned(),
            Kind::Short => "SHORT".to_owned(),
            Kind::Int => "INT".to_owned(),
            Kind::Long => "LONG".to_owned(),
            Kind::Float => "FLOAT".to_owned(),
            Kind::Double => "DOUBLE".to_owned(),
            Kind::String => "STRING".to_owned(),
            Kind::Binary => "BINARY".to_owned(),
            Kind::Timestamp => "TIMESTAMP".to_owned(),
            Kind::List => "LIST".to_owned(),
            Kind::Map => "MAP".to_owned(),
            Kind::Struct => "STRUCT".to_owned(),
            Kind::Union => "UNION".to_owned(),
            Kind::Decimal => format!("DECIMAL({}, {})", self.precision, self.scale),
            Kind::Date => "DATE".to_owned(),
            Kind::Varchar => format!("VARCHAR({})", self.length),
            Kind::Char => format!("CHAR({})", self.length),
            Kind::TimestampInstant => "TIMESTAMP_INSTANT".to_owned(),
            Kind::Unknown(number) => format!("of kind {number}"),
        }
    }
}

/// Refuses types that are no tree below a struct: the decoder follows them wherever they point.
pub(super) fn check_types(types: &[TypeNode]) -> Result<(), String> {
    let root = types.first().ok_or("the footer has no types")?;
    if root.kind != Kind::Struct {
        return Err(format!("its root is {}, not a STRUCT", root.name()));
    }
    let mut depths: Vec<Option<usize>> = vec![None; types.len()];
    depths[0] = Some(0);
    for (id, node) in types.iter().enumerate() {
        let Some(depth) = depths[id] else {
            return Err(format!("type {id} belongs to no column"));
        };
        let children = node.subtypes.len();
        let fits = match node.kind {
            Kind::List => children == 1,
            Kind::Map => children == 2,
            Kind::Struct => children == node.names.len(),
            Kind::Union => (1..=256).contains(&children),
            Kind::Unknown(_) => true,
            _ => children == 0,
        };
        if !fits {
            return Err(format!(
                "type {id}, a {}, has {children} children",
                node.name()
            ));
        }
        if depth >= MAX_DEPTH {
            return Err(format!(
                "its types lie more than {MAX_DEPTH} deep in each other"
            ));
        }
        for child in &node.subtypes {
            // Children come after their parents, and belong to one.
            match depths.get_mut(*child) {
                Some(slot @ None) if *child > id => *slot = Some(depth + 1),
                _ => return Err(format!("type {id} cannot have type {child} for a child")),
            }
        }
    }
    Ok(())
}

/// How a column of the file is decoded for a column of the table.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) file_type: FileType,
    /// What the decoder is asked for.
    pub(super) hint: ArrowType,
    /// What is done to it.
    pub(super) recode: Recode,
}

impl Described {
    /// A column that is not decoded.
    pub(super) fn unread() -> Self {
        Self::foreign("")
    }

    fn foreign(name: &str) -> Self {
        leaf(
            ArrowType::Null,
            ArrowType::Null,
            name.to_owned(),
            Form::Foreign,
            Recode::Keep,
        )
    }
}

/// Describes a column for the type it is declared as.
pub(super) fn describe(types: &[TypeNode], id: usize, declared: &DataType) -> Described {
    match unreadable(types, id) {
        None => described(types, id, Some(declared)),
        Some(name) => Described::foreign(&name),
    }
}

/// The type of a column by itself.
pub(super) fn file_type(types: &[TypeNode], id: usize) -> FileType {
    match unreadable(types, id) {
        None => described(types, id, None).file_type,
        Some(name) => Described::foreign(&name).file_type,
    }
}

/// The first type in a column that cannot be decoded at all, by name.
fn unreadable(types: &[TypeNode], id: usize) -> Option<String> {
    let node = types.get(id)?;
    let wrong = match node.kind {
        Kind::Union | Kind::Unknown(_) => true,
        Kind::Struct => node.subtypes.is_empty(),
        Kind::Decimal => !(1..=38).contains(&node.precision) || node.scale > node.precision,
        _ => false,
    };
    if wrong {
        return Some(match node.kind {
            Kind::Struct => "STRUCT without fields".to_owned(),
            _ => node.name(),
        });
    }
    let inner = node
        .subtypes
        .iter()
        .find_map(|child| unreadable(types, *child))?;
    Some(format!("{} with a {inner}", node.name()))
}

fn described(types: &[TypeNode], id: usize, declared: Option<&DataType>) -> Described {
    let nothing = TypeNode::default();
    let node = types.get(id).unwrap_or(&nothing);
    let name = node.name();
    let plain = |arrow: ArrowType| {
        leaf(
            arrow.clone(),
            arrow,
            name.clone(),
            Form::Plain,
            Recode::Keep,
        )
    };
    match node.kind {
        Kind::Boolean => plain(ArrowType::Boolean),
        Kind::Byte => plain(ArrowType::Int8),
        Kind::Short => plain(ArrowType::Int16),
        Kind::Int => leaf(
            ArrowType::Int32,
            ArrowType::Int32,
            name,
            Form::MaybeTime,
            Recode::Keep,
        ),
        Kind::Long => plain(ArrowType::Int64),
        Kind::Float => plain(ArrowType::Float32),
        Kind::Double => plain(ArrowType::Float64),
        Kind::String => plain(ArrowType::Utf8),
        Kind::Varchar => text(node, name, Recode::Keep),
        Kind::Char => text(node, name, Recode::Trim),
        Kind::Binary => plain(ArrowType::Binary),
        Kind::Date => plain(ArrowType::Date32),
        Kind::Decimal => {
            // Both were checked to be no more than 38.
            plain(ArrowType::Decimal128(
                node.precision as u8,
                node.scale as i8,
            ))
        }
        Kind::Timestamp | Kind::TimestampInstant => timestamp(node, id, declared),
        Kind::List => list(types, node, declared),
        Kind::Map => map(types, node, declared),
        Kind::Struct => row(types, node, declared),
        Kind::Union | Kind::Unknown(_) => plain(ArrowType::Null),
    }
}

fn leaf(hint: ArrowType, arrow: ArrowType, name: String, form: Form, recode: Recode) -> Described {
    Described {
        file_type: FileType::leaf(arrow, name, form),
        hint,
        recode,
    }
}

/// A text of bounded length.
fn text(node: &TypeNode, name: String, recode: Recode) -> Described {
    let length = u32::try_from(node.length).ok();
    let own = length
        .filter(|length| (1..=MAX_LENGTH).contains(length))
        .map(|length| match node.kind {
            Kind::Char => TypeKind::Char { length },
            _ => TypeKind::VarChar { length },
        });
    let mut text = leaf(
        ArrowType::Utf8,
        ArrowType::Utf8,
        name,
        Form::BoundedText,
        recode,
    );
    text.file_type = text.file_type.with_own(own);
    text
}

fn timestamp(node: &TypeNode, id: usize, declared: Option<&DataType>) -> Described {
    let instant = node.kind == Kind::TimestampInstant;
    let form = if instant {
        Form::Instant
    } else {
        Form::WallClock
    };
    let same = declared.filter(|declared| match declared.kind() {
        TypeKind::Timestamp { .. } => !instant,
        TypeKind::TimestampLtz { .. } => instant,
        _ => false,
    });
    let target = same.and_then(|declared| Some((declared, to_arrow_type(declared).ok()?)));
    match target {
        Some((declared, arrow)) => {
            let column = TimestampColumn {
                id,
                instant,
                target: arrow.clone(),
                file_type: node.name(),
                declared: declared.to_string(),
            };
            leaf(
                ArrowType::Int64,
                arrow,
                node.name(),
                form,
                Recode::Timestamp(column),
            )
        }
        // Not asked for, or not readable as what is: its seconds are decoded and dropped.
        None => {
            let arrow = ArrowType::Timestamp(TimeUnit::Nanosecond, None);
            leaf(ArrowType::Int64, arrow, node.name(), form, Recode::Keep)
        }
    }
}

fn child_id(node: &TypeNode, index: usize) -> usize {
    node.subtypes.get(index).copied().unwrap_or(usize::MAX)
}

fn list(types: &[TypeNode], node: &TypeNode, declared: Option<&DataType>) -> Described {
    let element = match declared.map(DataType::kind) {
        Some(TypeKind::Array { element }) => Some(&**element),
        _ => None,
    };
    let element = described(types, child_id(node, 0), element);
    let field =
        |arrow: &ArrowType| ArrowType::List(Arc::new(Field::new("item", arrow.clone(), true)));
    Described {
        hint: field(&element.hint),
        file_type: FileType::nested(
            field(&element.file_type.arrow),
            node.name(),
            vec![element.file_type],
        ),
        recode: Recode::list(element.recode),
    }
}

fn map(types: &[TypeNode], node: &TypeNode, declared: Option<&DataType>) -> Described {
    let (key, value) = match declared.map(DataType::kind) {
        Some(TypeKind::Map { key, value }) => (Some(&**key), Some(&**value)),
        Some(TypeKind::Multiset { element }) => (Some(&**element), None),
        _ => (None, None),
    };
    let key = described(types, child_id(node, 0), key);
    let value = described(types, child_id(node, 1), value);
    let arrow = |key: &ArrowType, value: &ArrowType| {
        let key = Field::new("key", key.clone(), false);
        let entries = Fields::from(vec![key, Field::new("value", value.clone(), true)]);
        ArrowType::Map(
            Arc::new(Field::new_struct("entries", entries, false)),
            false,
        )
    };
    Described {
        hint: arrow(&key.hint, &value.hint),
        file_type: FileType::nested(
            arrow(&key.file_type.arrow, &value.file_type.arrow),
            node.name(),
            vec![key.file_type, value.file_type],
        ),
        recode: Recode::map(key.recode, value.recode),
    }
}

fn row(types: &[TypeNode], node: &TypeNode, declared: Option<&DataType>) -> Described {
    let fields = match declared.map(DataType::kind) {
        Some(TypeKind::Row { fields }) => fields.as_slice(),
        _ => &[],
    };
    let children: Vec<(&String, Described)> = node
        .names
        .iter()
        .zip(&node.subtypes)
        .map(|(name, id)| {
            let declared = fields.iter().find(|field| field.name == *name);
            (
                name,
                described(types, *id, declared.map(|field| &field.data_type)),
            )
        })
        .collect();
    let arrow = |of: &dyn Fn(&Described) -> ArrowType| {
        let fields = children
            .iter()
            .map(|(name, child)| Field::new(*name, of(child), true));
        ArrowType::Struct(fields.collect())
    };
    let hint = arrow(&|child| child.hint.clone());
    let whole = arrow(&|child| child.file_type.arrow.clone());
    let (types, recodes) = children
        .into_iter()
        .map(|(_, child)| (child.file_type, child.recode))
        .unzip();
    Described {
        hint,
        file_type: FileType::nested(whole, node.name(), types),
        recode: Recode::row(recodes),
    }
}
