//! Keeping secrets out of what is shown.

use ftable_core::options::is_secret_key;

/// What is shown in place of a secret.
const MASK: &str = "******";

/// A secret of fewer bytes is a part of too many words to be looked for.
const MIN_SECRET: usize = 4;

/// Messages are shown up to this many characters.
const MAX_SHOWN: usize = 1000;

/// A text that others wrote, fit to be shown: one line, not endless, without the given secrets and without
/// the value behind any key that is named like a secret.
pub(super) fn redact(text: &str, secrets: &[String]) -> String {
    let mut shown = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= MIN_SECRET) {
        shown = shown.replace(secret.as_str(), MASK);
    }
    shown = mask_values(&shown);
    let mut line: String = shown
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_SHOWN + 1)
        .collect();
    if line.chars().count() > MAX_SHOWN {
        line.pop();
        line.push('…');
    }
    line
}

/// Masks what follows `key=`, `key:` and `"key":` where the key is that of a secret.
fn mask_values(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['=', ':']) {
        let (before, sign_and_after) = rest.split_at(at);
        let (sign, after) = sign_and_after.split_at(1);
        shown.push_str(before);
        shown.push_str(sign);
        rest = after;
        if is_secret_key(key_before(before)) {
            let blanks = rest.len() - rest.trim_start_matches([' ', '"', '\'', '\\']).len();
            let (skipped, value) = rest.split_at(blanks);
            let end = value_length(value);
            if end > 0 {
                shown.push_str(skipped);
                shown.push_str(MASK);
                rest = value.get(end..).unwrap_or_default();
            }
        }
    }
    shown.push_str(rest);
    shown
}

/// The key that ends where the sign stands.
fn key_before(before: &str) -> &str {
    let before = before.trim_end_matches([' ', '"', '\'', '\\']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_part(*c))
        .last()
        .map_or(before.len(), |(at, _)| at);
    before.get(start..).unwrap_or_default()
}

/// The bytes of the value at the beginning of a text, a scheme such as `Bearer` included.
fn value_length(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'' | '}' | ')');
    let first = text.find(ends).unwrap_or(text.len());
    let word = text.get(..first).unwrap_or_default();
    let is_scheme = ["bearer", "basic", "acs"]
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme))
        || word.to_ascii_uppercase().ends_with("-HMAC-SHA256");
    match text.get(first..).filter(|_| is_scheme) {
        Some(more) => {
            let blanks = more.len() - more.trim_start_matches(' ').len();
            let value = more.get(blanks..).unwrap_or_default();
            first + blanks + value.find(ends).unwrap_or(value.len())
        }
        None => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_masked_wherever_they_stand() {
        let secrets = ["hunter2".to_owned(), "ab".to_owned()];
        assert_eq!(
            redact("bad xhunter2y, table abc", &secrets),
            "bad x******y, table abc"
        );
    }

    #[test]
    fn values_behind_secret_keys_are_masked() {
        for (text, shown) in [
            ("token=abc rejected", "token=****** rejected"),
            (
                r#"{"fs.oss.accessKeySecret": "y", "x": 1}"#,
                r#"{"fs.oss.accessKeySecret": "******", "x": 1}"#,
            ),
            (
                "Authorization: Bearer abc.def, host: h",
                "Authorization: ******, host: h",
            ),
            ("password='p w'", "password='****** w'"),
            ("Table a.b does not exist", "Table a.b does not exist"),
            ("option path=/data: gone", "option path=/data: gone"),
            ("token:", "token:"),
            ("a = b = c", "a = b = c"),
            ("日志: 5", "日志: 5"),
        ] {
            assert_eq!(redact(text, &[]), shown);
        }
    }

    #[test]
    fn a_message_is_one_line_and_not_endless() {
        assert_eq!(redact("a\nb\u{1b}[1m", &[]), "a b [1m");
        let shown = redact(&"x".repeat(5000), &[]);
        assert_eq!(shown.chars().count(), 1001);
        assert!(shown.ends_with("x…"));
    }
}
