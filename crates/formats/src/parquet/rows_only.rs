//! Files of a table without data columns: a footer that says how many rows there are.
//!
//! The encoder takes the rows of a row group from its columns and would write 0. Such a file has no column chunk,
//! so its footer is all there is to write; readers count a file by its footer.

use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::schema::types::SchemaDescriptor;

/// The magic at both ends of a file.
const MAGIC: &[u8] = b"PAR1";

/// The bytes of a file with this many rows and no column.
pub(super) fn file(
    rows: u64,
    schema: SchemaDescriptor,
    created_by: &str,
) -> Result<Bytes, ParquetError> {
    let schema = Arc::new(schema);
    let rows = i64::try_from(rows).map_err(|error| ParquetError::General(error.to_string()))?;
    let created_by = Some(created_by.to_owned());
    let file = FileMetaData::new(1, rows, created_by, None, Arc::clone(&schema), None);
    let mut metadata = ParquetMetaDataBuilder::new(file);
    if rows > 0 {
        let group = RowGroupMetaData::builder(schema)
            .set_num_rows(rows)
            .build()?;
        metadata = metadata.add_row_group(group);
    }
    let mut bytes = MAGIC.to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata.build()).finish()?;
    Ok(bytes.into())
}
