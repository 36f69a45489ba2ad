//! What the manifests and the lock file say about the workspace.

use std::collections::HashMap;
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

/// One package of the resolved graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// The package's name.
    pub name: String,
    /// The ids of what it is compiled with, tests and build scripts left out.
    pub normal: Vec<String>,
}

/// The workspace: its crates bottom-up and the graph of everything they pull in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// The crates in the order of the member list.
    pub members: Vec<Member>,
    /// Every resolved package by its id.
    pub graph: HashMap<String, Node>,
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
        let names: HashMap<&str, &str> = packages
            .iter()
            .map(|package| (text(package, "id"), text(package, "name")))
            .collect();
        let nodes = metadata
            .get("resolve")
            .map_or(&[][..], |resolve| items(resolve, "nodes"));
        let graph = nodes
            .iter()
            .map(|node| (text(node, "id").to_owned(), graph_node(node, &names)));
        Ok(Self {
            members,
            graph: graph.collect(),
        })
    }

    /// The ids of everything that `package` is compiled with, itself included.
    pub fn normal_closure(&self, package: &str) -> Vec<&str> {
        let mut pending: Vec<&str> = self
            .graph
            .iter()
            .filter(|(_, node)| node.name == package)
            .map(|(id, _)| id.as_str())
            .collect();
        let mut seen: Vec<&str> = Vec::new();
        while let Some(id) = pending.pop() {
            if seen.contains(&id) {
                continue;
            }
            seen.push(id);
            if let Some(node) = self.graph.get(id) {
                pending.extend(node.normal.iter().map(String::as_str));
            }
        }
        seen.sort_unstable();
        seen
    }
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

fn graph_node(node: &Value, names: &HashMap<&str, &str>) -> Node {
    let is_normal = |edge: &&Value| {
        items(edge, "dep_kinds")
            .iter()
            .any(|kind| kind.get("kind").is_none_or(Value::is_null))
    };
    let normal = items(node, "deps").iter().filter(is_normal);
    Node {
        name: names
            .get(text(node, "id"))
            .copied()
            .unwrap_or_default()
            .to_owned(),
        normal: normal.map(|edge| text(edge, "pkg").to_owned()).collect(),
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
            "resolve": {"nodes": [
                {"id": "b#1", "deps": [
                    {"pkg": "a#1", "dep_kinds": [{"kind": null}]},
                    {"pkg": "t#1", "dep_kinds": [{"kind": "dev"}, {"kind": "build"}]}]},
                {"id": "a#1", "deps": [{"pkg": "b#1", "dep_kinds": [{"kind": null}]}]},
                {"id": "t#1", "deps": []},
            ]},
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
    fn closure_follows_normal_edges_only_and_ends_on_cycles() {
        let workspace = Workspace::parse(&[], &sample()).unwrap();
        assert_eq!(workspace.normal_closure("b"), ["a#1", "b#1"]);
        assert_eq!(workspace.normal_closure("t"), ["t#1"]);
        assert_eq!(workspace.normal_closure("unknown"), [""; 0]);
    }
}
