//! The documentation of the options, generated from the keys.

use super::key::{OptionInfo, Status};
use super::keys::{ALL, HEADER_PREFIX, TABLE_DEFAULT_PREFIX};

/// The table of options as Markdown: key, type, default, status and meaning of each.
pub fn option_docs_markdown() -> String {
    let mut text = String::from(
        "| key | type | default | status | meaning |\n| --- | --- | --- | --- | --- |\n",
    );
    for info in ALL {
        text.push_str(&row(info));
    }
    text.push_str(&format!(
        "| `{TABLE_DEFAULT_PREFIX}<key>` | string |  | honoured | a catalog option: becomes option \
         `<key>` of every new table that does not set it |\n"
    ));
    text.push_str(&format!(
        "| `{HEADER_PREFIX}<name>` | string |  | honoured | an option of a REST catalog: header \
         `<name>` of every request |\n"
    ));
    text
}

fn row(info: &OptionInfo) -> String {
    let mut key = code(info.name);
    if !info.fallback.is_empty() {
        let names: Vec<_> = info.fallback.iter().map(|name| code(name)).collect();
        key.push_str(&format!(" (also {})", names.join(", ")));
    }
    let default = info.default.map(code).unwrap_or_default();
    let status = match info.status {
        Status::Honoured => "honoured".to_owned(),
        Status::NoEffect(reason) => format!("no effect: {reason}"),
        Status::Refused(reason) => format!("refused: {reason}"),
    };
    let cells = [
        key,
        info.type_name.to_owned(),
        default,
        status,
        info.doc.to_owned(),
    ];
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A text in backquotes, with control characters shown as escapes.
fn code(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| {
            if c.is_control() {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect();
    if shown.is_empty() {
        "empty".to_owned()
    } else {
        format!("`{shown}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_row_of_five_cells() {
        let text = option_docs_markdown();
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(rows.len(), ALL.len() + 2);
        for row in &rows {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
        }
        assert!(text.contains(
            "| `auto-create` | boolean | `false` | refused: a format table is created by its catalog | "
        ));
        assert!(
            text.contains("| `csv.line-delimiter` (also `lineSep`) | string | `\\n` | honoured | ")
        );
        assert!(
            text.contains("| `csv.null-literal` (also `nullvalue`) | string | empty | honoured | ")
        );
    }
}
