//! The member list is bottom-up: a crate may depend only on crates above it.
//!
//! Dev-dependencies on the test kit are the exception: it stands below the crates whose tests use it.

use crate::workspace::{DependencyKind, Member};

/// The package that tests of any crate may use.
const TEST_KIT: &str = "ftable-testkit";

/// Crates that never see each other, whatever their order.
const STRANGERS: [(&str, &str); 3] = [
    ("ftable-formats", "ftable-catalog"),
    // The writer stands alone.
    ("ftable-orc-writer", "ftable-core"),
    ("ftable-orc-writer", "ftable-io"),
];

/// One sentence for each dependency that points down or sideways.
pub fn check(members: &[Member]) -> Vec<String> {
    let mut findings = Vec::new();
    for (own, member) in members.iter().enumerate() {
        for dependency in &member.dependencies {
            let position = members
                .iter()
                .position(|other| other.package == dependency.name);
            let Some(position) = position else { continue };
            let package = &member.package;
            let name = &dependency.name;
            let for_tests = dependency.kind == DependencyKind::Dev && name == TEST_KIT;
            if position >= own && !for_tests {
                findings.push(format!(
                    "layers: {package} depends on {name}, which is not above it in the member list"
                ));
            }
            if are_strangers(package, name) {
                findings.push(format!(
                    "layers: {package} depends on {name}; the two never see each other"
                ));
            }
        }
    }
    findings
}

fn are_strangers(one: &str, other: &str) -> bool {
    STRANGERS
        .iter()
        .any(|&(left, right)| (one, other) == (left, right) || (other, one) == (left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn member(package: &str, dependencies: &[(&str, DependencyKind)]) -> Member {
        let dependencies = dependencies
            .iter()
            .map(|&(name, kind)| Dependency {
                name: name.to_owned(),
                kind,
            })
            .collect();
        Member {
            folder: format!("crates/{package}"),
            package: package.to_owned(),
            dependencies,
        }
    }

    #[test]
    fn upward_and_foreign_dependencies_pass() {
        let members = [
            member("ftable-core", &[("serde", DependencyKind::Normal)]),
            member("ftable-io", &[("ftable-core", DependencyKind::Normal)]),
        ];
        assert_eq!(check(&members), [""; 0]);
    }

    #[test]
    fn a_dependency_on_a_lower_crate_is_found_whatever_its_kind() {
        for kind in [
            DependencyKind::Normal,
            DependencyKind::Build,
            DependencyKind::Dev,
        ] {
            let members = [
                member("ftable-core", &[("ftable-io", kind)]),
                member("ftable-io", &[]),
            ];
            let expected = "layers: ftable-core depends on ftable-io, which is not above it in the member list";
            assert_eq!(check(&members), [expected]);
        }
    }

    #[test]
    fn the_test_kit_is_for_tests_only() {
        let kit = member(TEST_KIT, &[]);
        let test = [
            member("ftable-core", &[(TEST_KIT, DependencyKind::Dev)]),
            kit.clone(),
        ];
        assert_eq!(check(&test), [""; 0]);
        let library = [
            member("ftable-core", &[(TEST_KIT, DependencyKind::Normal)]),
            kit,
        ];
        assert_eq!(check(&library).len(), 1);
    }

    #[test]
    fn formats_and_catalog_never_see_each_other() {
        let members = [
            member("ftable-formats", &[]),
            member("ftable-catalog", &[("ftable-formats", DependencyKind::Dev)]),
        ];
        let expected =
            "layers: ftable-catalog depends on ftable-formats; the two never see each other";
        assert_eq!(check(&members), [expected]);
    }
}
