//! The list `layers:` of the user config: the memories that are read together, the nearest first.
//!
//! Never opens one, of which it only lists names, and never takes a name or a location from a memory: what came by
//! `git clone` names no layer.

use std::path::{Path, PathBuf};

use super::find::FoundBy;
use super::{EnvLookup, find, user};
use crate::code::{Code, Rejection, quote};
use crate::path::ScopeName;

/// The layer of the memory that is found from the working directory.
pub const PROJECT: &str = "project";
/// The layer of the user's own memory.
pub const MINE: &str = "mine";

/// A layer: the name in front of its addresses, and its data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerLocation {
    pub name: String,
    pub dir: PathBuf,
}

/// The layers of the user config.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerList {
    /// The layers to open, the nearest first.
    pub locations: Vec<LayerLocation>,
    pub left_out: Vec<LeftOutLayer>,
}

/// An entry of the list that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutLayer {
    /// The name that its addresses would have; `None` where it has none, or where another layer has it.
    pub name: Option<String>,
    pub code: Code,
    /// A sentence with the reason.
    pub reason: String,
    /// Whether every command notes it.
    pub is_noted: bool,
}

impl LeftOutLayer {
    pub fn new(name: Option<&str>, code: Code, reason: String) -> LeftOutLayer {
        LeftOutLayer { name: name.map(str::to_owned), code, reason, is_noted: true }
    }

    /// The error of a command that names it.
    pub fn rejection(&self) -> Rejection {
        Rejection::new(self.code, self.reason.clone()).hint("fix it, or remove it from `layers` in the user config")
    }
}

/// Where `project` and `mine` are.
pub struct KnownLocations {
    /// The memory of the project; `None` outside of one.
    pub project: Option<PathBuf>,
    /// The user's own memory, whether it exists or not.
    pub mine: Option<PathBuf>,
    pub home: Option<PathBuf>,
}

/// The layers of a list, and its entries that name no layer: also a directory that an earlier entry names, or that lies
/// in the one of another layer, so that nothing is read twice. `project` is left out without a note
/// where there is none, or where it is another of the layers.
pub fn layer_locations(list: &[String], known: &KnownLocations) -> LayerList {
    let (mut locations, mut left_out) = (Vec::<LayerLocation>::new(), Vec::new());
    for written in list {
        let known_location = |name: &str, dir: &Option<PathBuf>| match dir {
            Some(dir) => Ok(LayerLocation { name: name.to_owned(), dir: dir.clone() }),
            None => Err(unnoted(name, "there is none here")),
        };
        let location = match written.as_str() {
            PROJECT => known_location(PROJECT, &known.project),
            MINE => known_location(MINE, &known.mine),
            path => named_location(path, known.home.as_deref()),
        };
        let location = match location {
            Ok(location) => location,
            Err(entry) => {
                left_out.push(entry);
                continue;
            }
        };
        let same = locations.iter().find(|other| is_same_dir(&other.dir, &location.dir));
        if let Some(same) = same {
            if (same.name != PROJECT && location.name != PROJECT) || same.name == location.name {
                let reason = format!("the layer {} is listed twice", same.name);
                let name = Some(location.name.as_str()).filter(|name| *name != same.name);
                left_out.push(LeftOutLayer::new(name, Code::Usage, reason));
            } else {
                left_out.push(unnoted(&location.name, &format!("it is the layer {}", same.name)));
            }
            continue;
        }
        if let Some(outer) = locations.iter().find(|other| is_nested(&other.dir, &location.dir)) {
            let error =
                format!("the layer {} is left out: it and the layer {} lie in one another", location.name, outer.name);
            left_out.push(LeftOutLayer::new(Some(&location.name), Code::Usage, error));
            continue;
        }
        if locations.iter().any(|other| other.name == location.name) {
            let reason = format!("two layers are called {}", location.name);
            left_out.push(LeftOutLayer::new(None, Code::Usage, reason));
        } else {
            locations.push(location)
        }
    }
    LayerList { locations, left_out }
}

fn unnoted(name: &str, reason: &str) -> LeftOutLayer {
    let reason = format!("the layer {name} is left out: {reason}");
    LeftOutLayer { is_noted: false, ..LeftOutLayer::new(Some(name), Code::NoDataDir, reason) }
}

/// A layer that is written as a path: its name is that of the directory, or of the one that contains `memory/`.
fn named_location(path: &str, home: Option<&Path>) -> Result<LayerLocation, LeftOutLayer> {
    let shown = quote(path, 80);
    let dir = match (path.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(path),
    };
    if !dir.is_absolute() {
        let reason = format!("the layer {shown} is neither project, mine, an absolute path nor one from ~/");
        return Err(LeftOutLayer::new(layer_name(&dir).as_deref(), Code::Usage, reason));
    }
    // The directory that holds `memory/` may be named as well.
    let inner = dir.join("memory");
    let dir = if !find::is_data_dir(&dir) && find::is_data_dir(&inner) { inner } else { dir };
    let unnamed = || {
        let reason = format!("the layer {shown} has a name that no address can have; rename its directory");
        LeftOutLayer::new(None, Code::Usage, reason)
    };
    let name = layer_name(&dir).ok_or_else(unnamed)?;
    Ok(LayerLocation { name, dir })
}

/// The name of a layer in a directory; `None` for one that no address can have, or that stands for another layer.
fn layer_name(dir: &Path) -> Option<String> {
    let mut names = dir.iter().rev().filter_map(|name| name.to_str()).filter(|name| *name != "memory");
    let name = names.next().unwrap_or_default().trim_start_matches('.').to_lowercase();
    let name = ScopeName::new(&name).ok()?.as_str().to_owned();
    Some(name).filter(|name| name != PROJECT && name != MINE)
}

/// The name of a file or folder at the top of a memory that reads like an address in one of these layers:
/// `mine:facts`. With it, the author of a memory could pass its texts off as those of another.
pub fn disguised_entry(dir: &Path, layers: &[LayerLocation]) -> Option<String> {
    let names = std::fs::read_dir(dir).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_disguised = |name: &String| {
        name.split_once(':').is_some_and(|(layer, _)| layers.iter().any(|location| location.name == layer))
    };
    names.into_iter().find(is_disguised)
}

/// Whether two paths lead to one directory.
pub fn is_same_dir(a: &Path, b: &Path) -> bool {
    let real = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    a == b || real(a) == real(b)
}

/// Whether one of two directories is in the other.
fn is_nested(a: &Path, b: &Path) -> bool {
    let [a, b] = [a, b].map(|dir| dir.canonicalize().unwrap_or_else(|_| dir.to_owned()));
    a.starts_with(&b) || b.starts_with(&a)
}

/// Where `project` and `mine` are, given the memory that the search found.
pub fn known_locations(found: &find::FoundDirectory, mine: Option<PathBuf>, env: EnvLookup<'_>) -> KnownLocations {
    let project = (found.found_by == FoundBy::Ancestor).then(|| found.dir());
    KnownLocations { project, mine, home: user::home(env) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(list: &[&str], project: Option<&str>, expected: &[(&str, &str)], problems: usize) {
        let known = KnownLocations {
            project: project.map(PathBuf::from),
            mine: Some("/home/ann/.local/share/memdir".into()),
            home: Some("/home/ann".into()),
        };
        let list: Vec<String> = list.iter().map(|entry| (*entry).to_owned()).collect();
        let LayerList { locations, left_out } = layer_locations(&list, &known);
        let noted: Vec<_> = left_out.iter().filter(|entry| entry.is_noted).collect();
        let locations: Vec<(&str, &str)> =
            locations.iter().map(|location| (location.name.as_str(), location.dir.to_str().unwrap())).collect();
        assert_eq!((locations, noted.len()), (expected.to_vec(), problems), "{list:?} {noted:?}");
    }

    #[test]
    fn layers_have_names_and_places() {
        let mine = ("mine", "/home/ann/.local/share/memdir");
        check(&["project", "mine"], Some("/w/shop/memory"), &[("project", "/w/shop/memory"), mine], 0);
        check(&["mine", "project"], None, &[mine], 0);
        check(&["~/team/memory", "/srv/Ops"], None, &[("team", "/home/ann/team/memory"), ("ops", "/srv/Ops")], 0);
        check(&["/srv/ops", "/other/ops"], None, &[("ops", "/srv/ops")], 1);
        check(&["mine", "/home/ann/.local/share/memdir"], None, &[mine], 1);
        check(&["mine", "mine"], None, &[mine], 1);
        check(&["project", "project"], Some("/w/shop/memory"), &[("project", "/w/shop/memory")], 1);
        check(&["project", "/w/shop/memory"], Some("/w/shop/memory"), &[("project", "/w/shop/memory")], 0);
        check(&["project", "/w/shop/memory/old"], Some("/w/shop/memory"), &[("project", "/w/shop/memory")], 1);
        check(&["/w/shop/memory/old", "project"], Some("/w/shop/memory"), &[("old", "/w/shop/memory/old")], 1);
        check(&["relative", "/x/mine", "/x/a b", "/"], None, &[], 4);
    }
}
