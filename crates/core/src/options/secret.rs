//! Which option values may be shown.

/// Words that mark a key whose value is a secret, as in Paimon: compared with the key in lower
/// case without `.`, `-` and `_`.
const SECRET_WORDS: [&str; 11] = [
    "password",
    "secret",
    "token",
    "credential",
    "accesskey",
    "accountkey",
    "encryptionkey",
    "authorization",
    "privatekey",
    "apikey",
    "sas",
];

/// What is shown in place of a secret.
pub(crate) const MASK: &str = "******";

/// Whether the value of `key` must never be printed.
pub fn is_secret_key(key: &str) -> bool {
    let plain: String = key
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_WORDS.iter().any(|word| plain.contains(word))
}
