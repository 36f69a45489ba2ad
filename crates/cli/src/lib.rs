//! The `ftable` command.
