//! What the manifests and the lock file say about the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;

/// The platform whose dependencies are counted; fixed, so that every machine counts the same.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Why one package depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyKind {
    /// Compiled into the library.
    Normal,
    /// Compiled into its build script.
    Build,
    /// Compiled into its tests.
    Dev,
}

/// A dependency as a manifest declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The package's name in its registry, not what the crate calls it.
    pub name: String,
    /// Why it is there.
    pub kind: DependencyKind,
}

/// A crate of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The folder below the root, as the member list spells it.
    pub folder: String,
    /// The package's name.
    pub package: String,
    /// What its manifest declares, in the order of the manifest.
    pub dependencies: Vec<Dependency>,
}

/// The workspace: its crates bottom-up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The crates in the order of the member list.
    pub members: Vec<Member>,
}

/// The root folder of this workspace.
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that runs this program, or the one on the path.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

impl Workspace {
    /// Reads the manifests under `root`, without the network if that is possible.
    ///
    /// # Errors
    /// No manifest, a lock file that is out of date, or dependencies that are not on this machine.
    pub fn load(root: &Path) -> Result<Self> {
        let manifest = root.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest)
            .map_err(|error| format!("{}: {error}", manifest.display()))?;
        let metadata = metadata(root, &["--offline"]).or_else(|_| metadata(root, &[]))?;
        Self::parse(&member_list(&text), &metadata)
    }

    /// Reads the answer of `cargo metadata`, with the folders of the member list in their order.
    ///
    /// # Errors
    /// A folder that the answer does not know.
    pub fn parse(folders: &[String], metadata: &Value) -> Result<Self> {
        let root = Path::new(text(metadata, "workspace_root"));
        let packages = items(metadata, "packages");
        let members = folders
            .iter()
            .map(|folder| {
                let manifest = root.join(folder).join("Cargo.toml");
                let package = packages
                    .iter()
                    .find(|package| Path::new(text(package, "manifest_path")) == manifest)
                    .ok_or_else(|| format!("member '{folder}' has no package"))?;
                Ok(member(folder, package))
            })
            .collect::<Result<_>>()?;
        Ok(Self { members })
    }
}

/// What a package is compiled with, itself included and tests and build scripts left out, as `name version` in
/// order. Features count as they do when it is built alone: those of other crates of the workspace turn nothing on.
///
/// # Errors
/// A lock file that is out of date, or dependencies that are not on this machine.
pub fn compiled_with(root: &Path, package: &str) -> Result<Vec<String>> {
    let tree = tree(root, package, &["--offline"]).or_else(|_| tree(root, package, &[]))?;
    Ok(packages_of_tree(&tree))
}

/// The packages that `cargo tree --prefix none` lists, each once: `name v1.0.0 (path) (*)`.
fn packages_of_tree(tree: &str) -> Vec<String> {
    let mut packages: Vec<String> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, version) = (words.next()?, words.next()?);
            Some(format!("{name} {}", version.trim_start_matches('v')))
        })
        .collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

fn tree(root: &Path, package: &str, arguments: &[&str]) -> Result<String> {
    let fixed = [
        "tree",
        "--locked",
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--target",
        PLATFORM,
        "--package",
        package,
    ];
    let output = cargo()
        .args(fixed)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo tree: {}", message.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The folders of the member list of a workspace manifest, in their order.
///
/// `cargo metadata` gives the members in an order of its own, and a TOML parser would be a dependency for one
/// list of strings.
pub fn member_list(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().map(str::trim);
    let list = lines.skip_while(|line| !line.starts_with("members"));
    let mut folders = Vec::new();
    for line in list {
        folders.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
        if line.ends_with(']') {
            break;
        }
    }
    folders
}

fn metadata(root: &Path, arguments: &[&str]) -> Result<Value> {
    let fixed = [
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        PLATFORM,
    ];
    let output = cargo()
        .args(fixed)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata: {}", message.trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn member(folder: &str, package: &Value) -> Member {
    let dependencies = items(package, "dependencies")
        .iter()
        .map(|dependency| Dependency {
            name: text(dependency, "name").to_owned(),
            kind: match text(dependency, "kind") {
                "dev" => DependencyKind::Dev,
                "build" => DependencyKind::Build,
                _ => DependencyKind::Normal,
            },
        });
    Member {
        folder: folder.to_owned(),
        package: text(package, "name").to_owned(),
        dependencies: dependencies.collect(),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn member_list_keeps_the_order_of_the_manifest() {
        let manifest = "[workspace]\nresolver = \"3\"\n# bottom-up\nmembers = [\n  \"crates/z\",\n  \"a\",\n]\n\
                        [workspace.package]\nversion = \"1\"\n";
        assert_eq!(member_list(manifest), ["crates/z", "a"]);
        assert_eq!(
            member_list("[workspace]\nmembers = [\"x\", \"y\"]\nother = [\"z\"]"),
            ["x", "y"]
        );
        assert_eq!(member_list("[package]\nname = \"n\""), [""; 0]);
    }

    fn sample() -> Value {
        json!({
            "workspace_root": "/w",
            "packages": [
                {"id": "b#1", "name": "b", "manifest_path": "/w/crates/b/Cargo.toml", "dependencies": [
                    {"name": "a", "kind": null}, {"name": "t", "kind": "dev"}, {"name": "c", "kind": "build"}]},
                {"id": "a#1", "name": "a", "manifest_path": "/w/crates/a/Cargo.toml", "dependencies": []},
                {"id": "t#1", "name": "t", "manifest_path": "/r/t/Cargo.toml", "dependencies": []},
            ],
        })
    }

    #[test]
    fn members_come_in_list_order_with_their_dependencies() {
        let folders = ["crates/a".to_owned(), "crates/b".to_owned()];
        let workspace = Workspace::parse(&folders, &sample()).unwrap();
        let names: Vec<&str> = workspace
            .members
            .iter()
            .map(|member| member.package.as_str())
            .collect();
        assert_eq!(names, ["a", "b"]);
        let kinds: Vec<DependencyKind> = workspace.members[1]
            .dependencies
            .iter()
            .map(|dependency| dependency.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                DependencyKind::Normal,
                DependencyKind::Dev,
                DependencyKind::Build
            ]
        );
    }

    #[test]
    fn a_member_without_a_package_is_an_error() {
        let error = Workspace::parse(&["crates/none".to_owned()], &sample()).unwrap_err();
        assert_eq!(error, "member 'crates/none' has no package");
    }

    #[test]
    fn packages_of_a_tree_come_once() {
        let tree =
            "a v0.1.0 (/w/crates/a)\nb v1.2.3\nc v4.0.0 (proc-macro)\n\nb v1.2.3 (*)\nb v2.0.0\n";
        assert_eq!(
            packages_of_tree(tree),
            ["a 0.1.0", "b 1.2.3", "b 2.0.0", "c 4.0.0"]
        );
    }
}
