//! What a crate may pull in: nothing that belongs to another layer, one arrow, and little in all.

use std::collections::BTreeMap;

use crate::workspace::{DependencyKind, Member};

/// What a crate's library may not depend on directly. Tests are free.
const FORBIDDEN: [(&str, &[&str]); 4] = [
    (
        "ftable-core",
        &[
            "futures", "opendal", "orc-rust", "parquet", "reqwest", "tokio",
        ],
    ),
    ("ftable-formats", &["opendal"]),
    ("ftable-catalog", &["orc-rust", "parquet"]),
    (
        "ftable-table",
        &["opendal", "orc-rust", "parquet", "reqwest"],
    ),
];

/// Packages whose second version would make batches of one crate unusable in another.
const SINGLE: [&str; 3] = ["arrow-array", "arrow-schema", "parquet"];

/// The package whose tree is weighed.
pub const FACADE: &str = "ftable";

/// Packages of HTTP and TLS.
const NETWORK: [&str; 9] = [
    "aws-lc-rs",
    "h2",
    "hyper",
    "native-tls",
    "openssl",
    "reqwest",
    "ring",
    "rustls",
    "ureq",
];

/// How many packages the facade may be compiled with, itself and our own crates included.
pub const MAX_PACKAGES: usize = 200;

/// One sentence for each direct dependency that a crate may not have.
pub fn check_forbidden(members: &[Member]) -> Vec<String> {
    let mut findings = Vec::new();
    for member in members {
        let rule = FORBIDDEN
            .iter()
            .find(|(package, _)| *package == member.package);
        let Some((_, forbidden)) = rule else { continue };
        for dependency in &member.dependencies {
            if dependency.kind != DependencyKind::Dev
                && forbidden.contains(&dependency.name.as_str())
            {
                findings.push(format!(
                    "dependencies: {} may not depend on {}: it belongs to another layer",
                    member.package, dependency.name
                ));
            }
        }
    }
    findings
}

/// One sentence for each of the shared packages that the lock file has in two versions.
pub fn check_single_versions(lock: &str) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, version) in locked_packages(lock) {
        if SINGLE.contains(&name) {
            versions.entry(name).or_default().push(version);
        }
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| {
            format!(
                "dependencies: {name} is in Cargo.lock more than once: {}",
                versions.join(", ")
            )
        })
        .collect()
}

/// Sentences if the facade, built alone, is compiled with more than [`MAX_PACKAGES`], or with HTTP or TLS, which
/// only its features `rest` and `s3` may bring. `packages` are `name version`.
pub fn check_facade(packages: &[String]) -> Vec<String> {
    let see = format!("see `cargo tree -p {FACADE} -e normal`");
    let mut findings = Vec::new();
    let count = packages.len();
    if count > MAX_PACKAGES {
        findings.push(format!(
            "dependencies: {FACADE} is compiled with {count} packages, more than {MAX_PACKAGES}; {see}"
        ));
    }
    let names = packages
        .iter()
        .filter_map(|package| package.split(' ').next());
    findings.extend(names.filter(|name| NETWORK.contains(name)).map(|name| {
        format!(
            "dependencies: {FACADE} is compiled with {name} without its features rest and s3; {see}"
        )
    }));
    findings
}

/// Name and version of each package of a lock file.
fn locked_packages(lock: &str) -> Vec<(&str, &str)> {
    let mut packages = Vec::new();
    let mut name = None;
    for line in lock.lines() {
        if let Some(value) = quoted(line, "name = ") {
            name = Some(value);
        } else if let Some(version) = quoted(line, "version = ")
            && let Some(name) = name.take()
        {
            packages.push((name, version));
        }
    }
    packages
}

fn quoted<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix('"')?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn member(package: &str, name: &str, kind: DependencyKind) -> Member {
        let dependencies = vec![Dependency {
            name: name.to_owned(),
            kind,
        }];
        Member {
            folder: String::new(),
            package: package.to_owned(),
            dependencies,
        }
    }

    #[test]
    fn a_forbidden_dependency_is_found_in_libraries_and_left_to_tests() {
        let members = [
            member("ftable-core", "tokio", DependencyKind::Normal),
            member("ftable-formats", "opendal", DependencyKind::Build),
            member("ftable-catalog", "parquet", DependencyKind::Dev),
            member("ftable-table", "arrow-array", DependencyKind::Normal),
            member("ftable-io", "tokio", DependencyKind::Normal),
        ];
        assert_eq!(
            check_forbidden(&members),
            [
                "dependencies: ftable-core may not depend on tokio: it belongs to another layer",
                "dependencies: ftable-formats may not depend on opendal: it belongs to another layer",
            ]
        );
    }

    #[test]
    fn every_forbidden_pair_is_found() {
        let pairs = [
            ("ftable-core", "opendal"),
            ("ftable-core", "parquet"),
            ("ftable-core", "orc-rust"),
            ("ftable-core", "reqwest"),
            ("ftable-core", "futures"),
            ("ftable-table", "opendal"),
            ("ftable-table", "parquet"),
            ("ftable-table", "orc-rust"),
            ("ftable-table", "reqwest"),
            ("ftable-catalog", "orc-rust"),
        ];
        for (package, name) in pairs {
            let members = [member(package, name, DependencyKind::Normal)];
            assert_eq!(check_forbidden(&members).len(), 1, "{package} and {name}");
        }
    }

    const LOCK: &str = "version = 4\n\n[[package]]\nname = \"arrow-array\"\nversion = \"58.0.0\"\n\n\
                        [[package]]\nname = \"syn\"\nversion = \"1.0.0\"\n\n\
                        [[package]]\nname = \"syn\"\nversion = \"2.0.0\"\n\n\
                        [[package]]\nname = \"arrow-array\"\nversion = \"59.1.0\"\ndependencies = [\n \"syn\",\n]\n";

    #[test]
    fn two_arrows_are_found_and_two_of_others_are_not() {
        let expected = "dependencies: arrow-array is in Cargo.lock more than once: 58.0.0, 59.1.0";
        assert_eq!(check_single_versions(LOCK), [expected]);
        assert_eq!(
            check_single_versions(&LOCK.replacen("arrow-array", "arrow", 1)),
            [""; 0]
        );
    }

    #[test]
    fn the_facade_is_light_and_without_network() {
        let packages = |count: usize| -> Vec<String> {
            (0..count).map(|index| format!("p{index} 1.0.0")).collect()
        };
        assert_eq!(check_facade(&packages(MAX_PACKAGES)), [""; 0]);
        let findings = check_facade(&packages(MAX_PACKAGES + 1));
        assert!(
            findings[0].contains("compiled with 201 packages, more than 200"),
            "{findings:?}"
        );
        let with_network = ["rustls 0.23.0".to_owned(), "rustls-like 1.0.0".to_owned()];
        let findings = check_facade(&with_network);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].contains("with rustls without"), "{findings:?}");
    }
}
