//! Layers: other memories that are read together with the session's own, and changes that name one of them.
//!
//! Never opens a memory that the user config does not name, and shows of each what its own policy lets the caller see.

use std::sync::Arc;

use super::change::change;
use super::layer_names::{error_in_layer, name_layer};
use super::list_and_read::resolve_address;
use super::results::{ChangeOutcome, ChangeResult, WarningRow};
use super::review::WOULD_WAIT;
use super::{ChangeOptions, CommandResult, Error, Session};
use crate::change::JournalEntry;
use crate::code::{Code, Rejection, Warning};
use crate::document::to_new_bullet;
use crate::host::layers::{LayerList, LeftOutLayer};
use crate::operation::dialects::to_json;
use crate::operation::{Action, Batch, Operation, Target};
use crate::path::SourceAddress;
use crate::view::journal::{RevisionState, revision_states};

/// The layers of a session, whose own memory is the nearest.
#[derive(Clone)]
pub struct Layers {
    /// The name of the session's own memory.
    pub own: String,
    /// The others, the nearest first.
    pub others: Vec<Layer>,
    /// The layers of the user config that are not read.
    pub left_out: Vec<LeftOutLayer>,
    /// Why a change that names no layer is refused: a nearer layer than the session's own memory cannot be read, and
    /// the change may be meant for it.
    pub refuses_changes: Option<Rejection>,
    /// The list of the user config from which they were opened.
    pub listed: LayerList,
}

impl Layers {
    /// The layers whose absence every command notes.
    pub(super) fn noted(&self) -> impl Iterator<Item = &LeftOutLayer> {
        self.left_out.iter().filter(|entry| entry.is_noted)
    }

    /// Refuses the name of a layer that is left out.
    fn require_read(&self, name: &str) -> Result<(), Rejection> {
        let is_read = self.own == name || self.others.iter().any(|layer| layer.name == name);
        let named = self.left_out.iter().find(|entry| !is_read && entry.name.as_deref() == Some(name));
        named.map_or(Ok(()), |entry| Err(entry.rejection()))
    }
}

/// A memory that is read with another.
#[derive(Clone)]
pub struct Layer {
    /// What stands in front of its addresses.
    pub name: String,
    pub session: Arc<Session>,
}

/// The name of a layer, an address or a revision in it, and its session.
type InLayer<'a> = (&'a str, &'a str, Arc<Session>);

/// Addresses that name one layer.
pub(super) struct AddressesInLayer {
    pub layer: String,
    /// Without the name of the layer.
    pub addresses: Vec<String>,
    pub session: Arc<Session>,
}

/// The memories that are read together with one.
#[derive(Default)]
pub(super) struct Sources {
    /// By name, the nearest first.
    pub sessions: Vec<(String, Arc<Session>)>,
    /// Why shared scopes are left out; those of layers are in [`Layers`].
    pub left_out: Vec<String>,
}

impl Session {
    /// The memories that are read together with this one: of a scope the shared ones, else the layers.
    ///
    /// # Errors
    /// As `open_scope`.
    pub(super) fn sources(&self) -> Result<Sources, Rejection> {
        let Some(layers) = &self.layers else { return self.shared_scopes() };
        let sessions = layers.others.iter().map(|layer| (layer.name.clone(), layer.session.clone())).collect();
        Ok(Sources { sessions, left_out: Vec::new() })
    }

    /// The memory that an address names in front of its colon. The session's own layer has a name, too.
    ///
    /// # Errors
    /// As `open_scope`; the reason of a layer that is left out.
    pub(super) fn source(&self, name: &str) -> Result<Option<Arc<Session>>, Rejection> {
        match &self.layers {
            Some(layers) if layers.own == name => Ok(Some(Arc::new(self.named_own_layer()))),
            Some(layers) => {
                layers.require_read(name)?;
                Ok(layers.others.iter().find(|layer| layer.name == name).map(|layer| layer.session.clone()))
            }
            None => Ok(self.shared_scope(name)?.map(Arc::new)),
        }
    }

    /// The session's own memory as a layer that an address names: a nearer one that cannot be read is not meant.
    fn named_own_layer(&self) -> Session {
        let mut named = self.clone_session();
        if let Some(layers) = &mut named.layers {
            layers.refuses_changes = None;
        }
        named
    }

    /// The layer that an address or a revision names, and the rest of it.
    ///
    /// # Errors
    /// The reason of a layer that is left out.
    fn layer_of<'a>(&self, written: &'a str) -> Result<Option<InLayer<'a>>, Rejection> {
        let named = self.layers.as_ref().and_then(|_| SourceAddress::parse(written));
        let Some(SourceAddress { source, address }) = named else { return Ok(None) };
        Ok(self.source(source)?.map(|layer| (source, address, layer)))
    }

    /// The layer of a revision `LAYER:REVISION`, and the revision there; empty for the newest.
    ///
    /// # Errors
    /// The reason of a layer that is left out.
    pub(super) fn layer_of_revision<'a>(&self, written: Option<&'a str>) -> Result<Option<InLayer<'a>>, Rejection> {
        written.map_or(Ok(None), |written| self.layer_of(written))
    }

    /// Refuses addresses and globs that name a layer that is left out.
    ///
    /// # Errors
    /// The reason of that layer.
    pub(super) fn require_layers_of(&self, addresses: &[String]) -> Result<(), Rejection> {
        addresses.iter().try_for_each(|address| self.layer_of(address).map(drop))
    }

    /// The other layer that all these addresses are in, and the addresses there; `None` if none names one.
    ///
    /// # Errors
    /// `usage` if they name several; the reason of a layer that is left out.
    pub(super) fn layer_of_addresses(&self, addresses: &[String]) -> Result<Option<AddressesInLayer>, Rejection> {
        let named = addresses.iter().map(|address| self.layer_of(address)).collect::<Result<Vec<_>, _>>()?;
        let named: Vec<_> = named.into_iter().flatten().collect();
        let Some((first, _, session)) = named.first() else { return Ok(None) };
        if named.len() < addresses.len() || named.iter().any(|(name, ..)| name != first) {
            let error = Rejection::new(Code::Usage, "the addresses are in several layers");
            return Err(error.hint("run the command for each layer"));
        }
        let rest = named.iter().map(|(_, address, _)| (*address).to_owned()).filter(|address| !address.is_empty());
        Ok(Some(AddressesInLayer { layer: (*first).to_owned(), addresses: rest.collect(), session: session.clone() }))
    }

    /// Whether the user config has a layer of this name, also if it is left out.
    fn is_layer_name(&self, name: &str) -> bool {
        self.layers.as_ref().is_some_and(|layers| {
            let left_out = layers.left_out.iter().filter_map(|entry| entry.name.as_deref());
            let read = layers.others.iter().map(|layer| layer.name.as_str());
            read.chain([layers.own.as_str()]).chain(left_out).any(|known| known == name)
        })
    }

    /// Whether a layer is the session's own memory, whose paths have no name in front.
    pub(super) fn is_own_layer(&self, name: &str) -> bool {
        self.layers.as_ref().is_some_and(|layers| layers.own == name)
    }

    /// The names of the farther layers, the nearest first.
    pub(super) fn layer_names(&self) -> Vec<String> {
        self.layers.iter().flat_map(|layers| &layers.others).map(|layer| layer.name.clone()).collect()
    }

    /// The warnings about layers that are left out, and about what is wrong with the policies of the others.
    pub fn layer_warnings(&self) -> Vec<Warning> {
        let left_out = self.layers.iter().flat_map(Layers::noted);
        let of_policies = self.layers.iter().flat_map(|layers| &layers.others).flat_map(|layer| {
            let named = |warning: &Warning| format!("in the layer {}: {}", layer.name, warning.message);
            let warnings = layer.session.policy.warnings.iter();
            warnings.map(move |warning| Warning { message: named(warning), ..warning.clone() })
        });
        left_out.map(|entry| Warning::new(Code::Note, entry.reason.clone())).chain(of_policies).collect()
    }
}

/// The sentence about a layer that a command cannot read and leaves out.
pub(super) fn layer_left_out(name: &str, error: &Error) -> String {
    let reason = error.rejections.first().map_or("", |rejection| rejection.message.as_str());
    format!("the layer {name} is left out: {reason}")
}

/// A range whose start named a layer, without the layer's name at its end.
///
/// # Errors
/// `usage` if the end names another layer.
pub(super) fn range_in_layer(layer: &str, range: &str) -> Result<String, Rejection> {
    let dots = if range.contains("...") { "..." } else { ".." };
    let Some((start, end)) = range.split_once(dots) else { return Ok(range.to_owned()) };
    match SourceAddress::parse(end) {
        Some(named) if named.source == layer => Ok(format!("{start}{dots}{}", named.address)),
        Some(_) => Err(Rejection::new(Code::Usage, "the two ends of the range are of two layers")
            .hint("each layer has a history of its own")),
        None => Ok(range.to_owned()),
    }
}

/// Makes a change whose addresses name a layer; `None` for any other.
pub(super) fn change_in_layer(
    session: &Session,
    batch: &Batch,
    options: &ChangeOptions,
) -> Option<CommandResult<ChangeOutcome>> {
    session.layers.as_ref()?;
    let mut inner = batch.clone();
    let layer_named = |operation: &mut Operation| match operation.target_mut() {
        Some(Target::Address(at) | Target::SectionOrField(at)) => {
            Ok(session.layer_of(at)?.map(|(name, ..)| name.to_owned()))
        }
        Some(Target::File(_) | Target::Category(_) | Target::IdOrCategory { .. }) | None => Ok(None),
    };
    let named: Result<Vec<Option<String>>, Rejection> = inner.operations.iter_mut().map(layer_named).collect();
    let named = match named {
        Ok(named) => named,
        Err(error) => return Some(Err(error.into())),
    };
    for operation in &batch.operations {
        let Action::Move { at: Target::Address(at), to, .. } = &operation.action else { continue };
        match layers_of_move(session, at, to) {
            Ok(None) => {}
            Ok(Some(layers)) if batch.operations.len() == 1 => {
                return Some(move_between_layers(session, operation, layers, options));
            }
            Ok(Some(_)) => {
                let error = Rejection::new(Code::Usage, "a move to another layer is a change of its own");
                return Some(Err(error.hint("move it alone, and make the other changes for themselves").into()));
            }
            Err(error) => return Some(Err(error.into())),
        }
    }
    let first = named.iter().flatten().next()?;
    if named.iter().any(|name| name.as_ref() != Some(first)) {
        let error = Rejection::new(Code::Usage, "a change names one layer in all its addresses, or none");
        return Some(Err(error.hint("make a change for each layer").into()));
    }
    let layer = session.source(first).ok()??;
    for operation in &mut inner.operations {
        if let Some(Target::Address(at) | Target::SectionOrField(at)) = operation.target_mut()
            && let Some(address) = SourceAddress::parse(at).map(|named| named.address.to_owned())
        {
            *at = address;
        }
        if let Action::Move { to, .. } = &mut operation.action
            && let Some(named) = SourceAddress::parse(to).filter(|named| named.source == first)
        {
            *to = named.address.to_owned();
        }
    }
    let own = session.layers.as_ref().is_some_and(|layers| layers.own == *first);
    Some(match change(&layer, inner, options) {
        outcome if own => outcome,
        Ok(outcome) => Ok(with_layer(outcome, first)),
        Err(error) => Err(error_in_layer(error, first)),
    })
}

/// The outcome with the layer in front of its paths.
fn with_layer(outcome: ChangeOutcome, layer: &str) -> ChangeOutcome {
    match outcome {
        ChangeOutcome::Changed(mut result) => {
            name_layer(&mut result, layer);
            ChangeOutcome::Changed(result)
        }
        ChangeOutcome::Repeated(repeated) => ChangeOutcome::Repeated(repeated),
    }
}

/// An address in a layer: its name, the address there, and its session.
type LayerAddress = (String, String, Arc<Session>);

/// The source and the destination of a move to another layer; `None` if both are in one. A destination that names no
/// layer is in that of the source.
///
/// # Errors
/// The reason of a layer that is left out; `usage` if a name alone is that of a layer and of a file.
fn layers_of_move(session: &Session, at: &str, to: &str) -> Result<Option<(LayerAddress, LayerAddress)>, Rejection> {
    let owned = |(name, address, layer): InLayer<'_>| (name.to_owned(), address.to_owned(), layer);
    let Some(layers) = &session.layers else { return Ok(None) };
    let from = session.layer_of(at)?.map(owned);
    // A layer's name alone is that layer: `mv mine:user@h project`.
    let bare = if session.is_layer_name(to) && (from.is_some() || to != layers.own) {
        session.source(to)?.map(|layer| (to.to_owned(), String::new(), layer))
    } else {
        None
    };
    let source = from.as_ref().map_or(session, |(.., layer)| layer);
    if bare.is_some()
        && let Ok(file) = resolve_address(source, to)
    {
        let message = format!("'{to}' is the name of a layer and of a file");
        let hint = format!("{to}: is the layer, {} the file", file.path);
        return Err(Rejection::new(Code::Usage, message).hint(hint));
    }
    let Some(destination) = bare.or(session.layer_of(to)?.map(owned)) else { return Ok(None) };
    let own = || (layers.own.clone(), at.to_owned(), Arc::new(session.clone_session()));
    Ok(Some((from.unwrap_or_else(own), destination)).filter(|(from, to)| from.0 != to.0))
}

/// Moves a bullet to another layer: first it is added there, then removed here, each as a revision of its memory, so
/// that a failure in between leaves it twice rather than nowhere.
fn move_between_layers(
    session: &Session,
    operation: &Operation,
    ((from_name, from_address, from), (to_name, to_address, target)): (LayerAddress, LayerAddress),
    options: &ChangeOptions,
) -> CommandResult<ChangeOutcome> {
    let own_name = session.layers.as_ref().map_or("", |layers| layers.own.as_str());
    let in_layer = |error: Error, name: &str| if name == own_name { error } else { error_in_layer(error, name) };
    let in_source = |error: Error| in_layer(error, &from_name);
    let named = resolve_address(&from, &from_address).map_err(|error| in_source(error.into()))?;
    let Some(bullet) = named.bullet else {
        let to_name =
            if to_address.is_empty() { format!("; facts/{to_name}.md is a file of that name") } else { String::new() };
        return Err(Rejection::new(Code::Usage, "only a bullet can be moved to another layer")
            .hint(format!("name it as LAYER:FILE@BULLET{to_name}"))
            .into());
    };
    let document = &named.document;
    let section = &document.sections()[document.bullets()[bullet].section as usize];
    let same_place = match section.level {
        0 | 1 => named.path.to_string(),
        _ => format!("{}#{}", named.path, section.slug),
    };
    let address = if to_address.is_empty() { same_place } else { to_address };
    let item = to_new_bullet(document, bullet);
    let moved = move_reason(&from_name, &to_name);
    let reason = match &options.reason {
        Some(reason) => format!("{reason} ({moved})"),
        None => moved,
    };
    let options = ChangeOptions { reason: Some(reason), ..options.clone() };
    let target_address = address.clone();
    let add = Action::Add {
        at: Target::Address(address),
        text: item.text,
        children: item.children,
        meta: item.meta.map(|meta| meta.0).unwrap_or_default(),
        create: options.create,
    };
    let removal = |address: &str| Operation { action: remove_at(address), ..operation.clone() };
    let source = format!("{}{}", named.path, document.bullet_reference(bullet));
    // Planned before anything is written, so that a refusal changes nothing; with the address as it was given,
    // which must prove the bullet as for any other change.
    let plan = ChangeOptions { dry_run: true, ..options.clone() };
    change(&from, batch_of(removal(&from_address)), &plan)
        .map_err(|error| not_kept(in_source(error), &format!("leaves {from_name}")))?;
    let plan = ChangeOptions { if_match: None, ..plan };
    change(&target, batch_of(add.clone().into()), &plan)
        .map_err(|error| not_kept(in_layer(error, &to_name), &format!("enters {to_name}")))?;
    let added = change(&target, batch_of(add.into()), &ChangeOptions { if_match: None, ..options.clone() })
        .map_err(|error| in_layer(error, &to_name))?;
    let removed =
        change(&from, batch_of(removal(&source)), &options).map_err(|error| half_moved(error, &to_name, &from_name))?;
    let written = |layer: &str, address: &str| SourceAddress { source: layer, address }.to_string();
    let mut again = operation.clone();
    if let Action::Move { at, to, .. } = &mut again.action {
        *at = Target::Address(written(&from_name, &source));
        *to = written(&to_name, &target_address);
    }
    Ok(joined(added, &to_name, removed, &from_name, own_name, again))
}

/// How the reason of both revisions of a move to another layer ends.
fn move_reason(from: &str, to: &str) -> String {
    format!("moved from {from} to {to}")
}

/// The note that an undone revision was one half of a move between layers, and which revision the other half is.
///
/// # Errors
/// `io`; as [`Session::source`].
pub(super) fn other_half_note(session: &Session, undone: &str) -> Result<Option<Warning>, Rejection> {
    let Some(layers) = &session.layers else { return Ok(None) };
    let entries = session.store.recent_entries()?;
    let Some(reason) =
        entries.iter().find(|entry| format!("r{}", entry.rev) == undone).and_then(|e| e.header.reason.as_ref())
    else {
        return Ok(None);
    };
    let names = layers.others.iter().map(|layer| &layer.name).filter(|name| {
        [move_reason(&layers.own, name), move_reason(name, &layers.own)]
            .iter()
            .any(|moved| reason.trim_end_matches(')').ends_with(moved.as_str()))
    });
    for name in names {
        let Some(other) = session.source(name)? else { continue };
        let entries = other.store.recent_entries()?;
        let states = revision_states(&entries);
        let is_other_half = |entry: &&JournalEntry| {
            entry.header.reason.as_ref() == Some(reason)
                && entry.inverts.is_none()
                && states.get(&entry.rev) == Some(&RevisionState::Done)
        };
        let halves: Vec<&JournalEntry> = entries.iter().filter(is_other_half).collect();
        let message = match &halves[..] {
            [] => continue,
            [half] => {
                format!("{undone} was half of a move; to take the other half back: memdir undo {name}:r{}", half.rev)
            }
            _ => format!("{undone} was half of a move; `memdir log {name}:` shows the other half"),
        };
        return Ok(Some(Warning::new(Code::Note, message)));
    }
    Ok(None)
}

fn remove_at(address: &str) -> Action {
    Action::remove(Target::Address(address.to_owned()))
}

/// The error of a move that a policy would keep as a proposal: it is two changes in two memories, so none is kept.
/// `moves` says which half was refused: "leaves mine".
fn not_kept(mut error: Error, moves: &str) -> Error {
    for rejection in &mut error.rejections {
        match rejection.code {
            Code::Consent => {
                let fields = rejection.details.get("fields").and_then(serde_json::Value::as_array);
                let names: Vec<&str> = fields.into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
                rejection.message = format!("{} {moves} only with the user's consent", names.join(", "));
                rejection.hint =
                    Some("ask the user and pass their own words with --consent, or let a person move it".to_owned());
            }
            Code::Review => {
                let what = rejection.message.trim_end_matches(WOULD_WAIT);
                rejection.message =
                    format!("{what}; a move to another layer does not wait in inbox/, and nothing was kept");
                rejection.hint =
                    Some("let a person move it, or add it there and remove it here as two changes".to_owned());
            }
            _ => {}
        }
    }
    error
}

fn batch_of(operation: Operation) -> Batch {
    Batch { operations: vec![operation], ..Batch::default() }
}

/// The error of a move whose second half failed.
fn half_moved(mut error: Error, to: &str, from: &str) -> Error {
    for rejection in &mut error.rejections {
        rejection.message = format!("the bullet is in {to} now, and still in {from}: {}", rejection.message);
        rejection.changed = Some(true);
    }
    error
}

/// One outcome of both halves, with a note on how each is undone; of a dry run with the move itself as its operation.
fn joined(
    added: ChangeOutcome,
    to: &str,
    removed: ChangeOutcome,
    from: &str,
    own: &str,
    operation: Operation,
) -> ChangeOutcome {
    let (ChangeOutcome::Changed(mut result), ChangeOutcome::Changed(mut rest)) = (added, removed) else {
        return ChangeOutcome::Changed(ChangeResult::default());
    };
    let undo = |layer: &str, rev: &Option<String>| match rev.as_deref() {
        Some(rev) if layer == own => Some(format!("memdir undo {rev}")),
        rev => rev.map(|rev| format!("memdir undo {layer}:{rev}")),
    };
    let how = match (undo(to, &result.rev), undo(from, &rest.rev)) {
        (Some(there), Some(here)) => Some(format!("each layer has a revision of its own: {there}; {here}")),
        (None, Some(here)) => Some(format!("{to} had the bullet already; it was removed from {from}: {here}")),
        (there, None) => there.map(|there| format!("only {to} has a new revision: {there}")),
    };
    for (half, layer) in [(&mut result, to), (&mut rest, from)] {
        half.files.iter_mut().for_each(|file| file.rev.clone_from(&half.rev));
        name_layer(half, layer);
    }
    // Two revisions of two memories have no number in common.
    result.rev = match (result.rev.take(), rest.rev.take()) {
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    };
    result.warnings.extend(how.map(|how| WarningRow::from(&Warning::new(Code::Note, how))));
    if result.dry_run {
        result.operations = Some(vec![to_json(&operation)]);
        result.diff = Some(result.diff.unwrap_or_default() + &rest.diff.unwrap_or_default());
    }
    result.files.extend(rest.files);
    result.warnings.extend(rest.warnings);
    result.changed |= rest.changed;
    ChangeOutcome::Changed(result)
}
