//! Behaviour across crates: the tests are in `tests/`, the tables of other engines in `golden/`.
