//! What is known of a column's type before it is read as a declared one.

use arrow_schema::DataType as ArrowType;
use ftable_core::TypeKind;

/// The type of a column as a file, or an input batch, has it.
///
/// The Arrow type alone is not enough: an ORC `TIMESTAMP` and an instant, or a Parquet integer with and without
/// annotation, decode to the same Arrow type and are not read alike.
#[derive(Debug, Clone)]
pub(crate) struct FileType {
    /// What its values decode to.
    pub(crate) arrow: ArrowType,
    /// The format's own name of it, for messages.
    pub(crate) name: String,
    /// What the Arrow type does not say.
    pub(crate) form: Form,
    /// The element of a list, key and value of a map, the fields of a struct in the order of its Arrow type.
    pub(crate) children: Vec<FileType>,
    /// The table type that the format itself names, where the Arrow type does not say it: texts of bounded length, and
    /// text that is decoded as bytes.
    pub(crate) own: Option<TypeKind>,
}

/// What the Arrow type of a column does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Nothing: the Arrow type says it all.
    Plain,
    /// An integer that its writer did not annotate, so that it may stand for a smaller one.
    Bare,
    /// An integer that stands for the milliseconds of a day where the table says so.
    MaybeTime,
    /// Twelve bytes: the nanoseconds of a day and the Julian day.
    Int96,
    /// Bytes that are said to be a text.
    Text,
    /// A text whose type bounds its length; it is no sequence of bytes.
    BoundedText,
    /// A timestamp without zone that must not be taken for an instant.
    WallClock,
    /// An instant that must not be taken for a timestamp without zone.
    Instant,
    /// A group around a repeated field, without annotation: it may stand for a list or a map.
    Wrapper,
    /// A type that no table column has.
    Foreign,
}

impl FileType {
    /// A type of which the Arrow type says everything.
    pub(crate) fn of_arrow(arrow: &ArrowType) -> Self {
        let children = match arrow {
            ArrowType::List(field)
            | ArrowType::LargeList(field)
            | ArrowType::FixedSizeList(field, _)
            | ArrowType::ListView(field)
            | ArrowType::LargeListView(field) => vec![Self::of_arrow(field.data_type())],
            ArrowType::Map(entries, _) => match entries.data_type() {
                ArrowType::Struct(fields) => Self::of_fields(fields),
                _ => Vec::new(),
            },
            ArrowType::Struct(fields) => Self::of_fields(fields),
            _ => Vec::new(),
        };
        Self::nested(arrow.clone(), arrow.to_string(), children)
    }

    fn of_fields(fields: &arrow_schema::Fields) -> Vec<Self> {
        fields
            .iter()
            .map(|field| Self::of_arrow(field.data_type()))
            .collect()
    }

    /// A type without children.
    pub(crate) fn leaf(arrow: ArrowType, name: impl Into<String>, form: Form) -> Self {
        Self {
            arrow,
            name: name.into(),
            form,
            children: Vec::new(),
            own: None,
        }
    }

    /// A type with children.
    pub(crate) fn nested(arrow: ArrowType, name: impl Into<String>, children: Vec<Self>) -> Self {
        Self {
            arrow,
            name: name.into(),
            form: Form::Plain,
            children,
            own: None,
        }
    }

    /// The same type, which the format names itself.
    pub(crate) fn with_own(mut self, own: Option<TypeKind>) -> Self {
        self.own = own;
        self
    }

    /// The same type with another form.
    pub(crate) fn with_form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }
}
