//! Plain `cargo test` keeps the house in order.

#[test]
fn the_workspace_is_tidy() {
    let findings = xtask::tidy::run(&xtask::workspace::workspace_root()).unwrap();
    assert!(
        findings.is_empty(),
        "{} findings:\n{}",
        findings.len(),
        findings.join("\n")
    );
}
