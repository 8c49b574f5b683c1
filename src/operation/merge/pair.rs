//! Who is who: which atoms of three texts are the same thing.
//!
//! By id, by the same text, by the same text elsewhere, and last by likeness with a bonus for neighbours. Never looks at
//! what the merge makes of it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::alike;
use super::tree::{Tree, What};

/// Things, each with its atom in base, ours and theirs.
pub struct Things {
    /// The atoms of each thing; the first is the file.
    pub atoms: Vec<[Option<usize>; 3]>,
    /// The thing of each atom, for base, ours and theirs.
    pub of: [Vec<u32>; 3],
}

/// Finds the things of three texts.
pub fn things(base: &Tree, ours: &Tree, theirs: &Tree) -> Things {
    let (mut mine, mut yours) = (Links::new(base, ours), Links::new(base, theirs));
    super::sections::link(base, ours, &mut mine);
    super::sections::link(base, theirs, &mut yours);
    let twins = super::sections::twins(base, ours, theirs, &mine, &yours);
    let scopes = Scopes::of(base, &mine, &yours, &twins);
    contents(base, ours, &mut mine);
    contents(base, theirs, &mut yours);
    same_edit(base, [ours, theirs], &mut mine, &yours, [&scopes.ours, &scopes.theirs]);
    same_edit(base, [theirs, ours], &mut yours, &mine, [&scopes.theirs, &scopes.ours]);
    follow(base, [ours, theirs], &mut mine, &yours, [&scopes.ours, &scopes.theirs]);
    follow(base, [theirs, ours], &mut yours, &mine, [&scopes.theirs, &scopes.ours]);
    let twins = twin_contents([ours, theirs], &mine, &yours, &scopes, twins);
    number(base, ours, theirs, &mine, &yours, &twins)
}

/// Which atom of the base an atom of a side is, and the other way round.
pub struct Links {
    /// By the side's atom.
    pub base: Vec<Option<usize>>,
    /// By the base's atom.
    pub side: Vec<Option<usize>>,
}

impl Links {
    fn new(base: &Tree, side: &Tree) -> Links {
        let mut links = Links { base: vec![None; side.atoms.len()], side: vec![None; base.atoms.len()] };
        links.add(0, 0);
        links
    }

    /// Says that two atoms are one thing.
    pub fn add(&mut self, base: usize, side: usize) {
        self.base[side] = Some(base);
        self.side[base] = Some(side);
    }

    /// Whether neither has a partner yet.
    pub fn free(&self, base: usize, side: usize) -> bool {
        self.side[base].is_none() && self.base[side].is_none()
    }
}

/// A common number for the sections of both sides.
struct Scopes {
    ours: Vec<Option<usize>>,
    theirs: Vec<Option<usize>>,
}

impl Scopes {
    /// Base sections keep their number; sections that both sides made have one above those.
    fn of(base: &Tree, mine: &Links, yours: &Links, twins: &[(usize, usize)]) -> Scopes {
        let (mut ours, mut theirs) = (mine.base.clone(), yours.base.clone());
        for (i, (a, b)) in twins.iter().enumerate() {
            let number = Some(base.atoms.len() + i);
            (ours[*a], theirs[*b]) = (number, number);
        }
        Scopes { ours, theirs }
    }
}

/// A digest of bytes.
fn raw(text: &str) -> u64 {
    let mut state = DefaultHasher::new();
    text.hash(&mut state);
    state.finish()
}

fn is_content(tree: &Tree, atom: usize) -> bool {
    matches!(tree.atoms[atom].what, What::Item | What::Block | What::Summary)
}

/// The contents of a tree's sections, in file order.
fn all(tree: &Tree) -> impl Iterator<Item = usize> + '_ {
    (1..tree.atoms.len()).filter(|a| is_content(tree, *a))
}

fn contents(base: &Tree, side: &Tree, links: &mut Links) {
    by_id(base, side, links);
    // Of several with one text, those that are alike to the last byte belong together first.
    let bytes = |tree: &Tree, atom: usize| raw(tree.whole(atom));
    in_scope(base, side, links, &bytes);
    in_scope(base, side, links, &|tree, atom| tree.atoms[atom].key);
    elsewhere(base, side, links);
    alike::in_scope(base, side, links);
    alike::elsewhere(base, side, links);
}

fn by_id(base: &Tree, side: &Tree, links: &mut Links) {
    let mut known: HashMap<&str, Option<usize>> = HashMap::new();
    for atom in all(base) {
        if let Some(id) = &base.atoms[atom].id {
            known.entry(id).and_modify(|seen| *seen = None).or_insert(Some(atom));
        }
    }
    let mut taken: HashMap<&str, usize> = HashMap::new();
    for atom in all(side) {
        if let Some(id) = &side.atoms[atom].id {
            *taken.entry(id).or_default() += 1;
        }
    }
    for atom in all(side) {
        let Some(id) = side.atoms[atom].id.as_deref().filter(|id| taken[id] == 1) else { continue };
        if let Some(old) = known.get(id).copied().flatten() {
            links.add(old, atom);
        }
    }
}

/// Whether ids allow two atoms to be one thing: two different ones do not.
pub fn ids_agree(base: &Tree, old: usize, side: &Tree, new: usize) -> bool {
    match (&base.atoms[old].id, &side.atoms[new].id) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Whether likeness may decide: where the old one has an id, only that id can.
pub fn nameless(base: &Tree, old: usize) -> bool {
    base.atoms[old].id.is_none()
}

/// The same digest in the same section, in order.
fn in_scope(base: &Tree, side: &Tree, links: &mut Links, key: &dyn Fn(&Tree, usize) -> u64) {
    let mut known: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
    for atom in all(base).filter(|a| links.side[*a].is_none()) {
        known.entry((base.atoms[atom].scope, key(base, atom))).or_default().push(atom);
    }
    known.values_mut().for_each(|atoms| atoms.reverse());
    for atom in all(side) {
        let scope = links.base[side.atoms[atom].scope].filter(|_| links.base[atom].is_none());
        let Some(found) = scope.and_then(|scope| known.get_mut(&(scope, key(side, atom)))) else { continue };
        if let Some(at) = found.iter().rposition(|old| ids_agree(base, *old, side, atom)) {
            links.add(found.remove(at), atom);
        }
    }
}

/// The same text in another section, where it stands once on each side.
fn elsewhere(base: &Tree, side: &Tree, links: &mut Links) {
    let mut known: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
    // Entries of one day have one date: it moves between entries that both texts have, never from an old one to a new one.
    let free = |tree: &Tree, taken: &[Option<usize>]| -> Vec<usize> {
        let stays = |a: &usize| tree.label(*a).as_deref() != Some("date") || taken[tree.atoms[*a].scope].is_some();
        all(tree).filter(|a| taken[*a].is_none() && stays(a)).collect()
    };
    for atom in free(base, &links.side) {
        known.entry(base.atoms[atom].key).or_default().0.push(atom);
    }
    for atom in free(side, &links.base) {
        known.entry(side.atoms[atom].key).or_default().1.push(atom);
    }
    for atom in free(side, &links.base) {
        if let Some((old, new)) = known.get(&side.atoms[atom].key)
            && let ([old], [new]) = (&old[..], &new[..])
            && ids_agree(base, *old, side, *new)
        {
            links.add(*old, *new);
        }
    }
}

/// Where both sides gave a bullet the same new text, and only one pairing saw that it is that bullet, the other follows;
/// first in the same section, then wherever one side moved it.
fn same_edit(base: &Tree, sides: [&Tree; 2], links: &mut Links, other: &Links, scopes: [&[Option<usize>]; 2]) {
    let [side, across] = sides;
    let mut edited: HashMap<u64, Vec<(Option<usize>, usize)>> = HashMap::new();
    // What likeness alone paired gives way to the very same words.
    let guessed = |links: &Links, old: usize| {
        let key = links.side[old].map(|atom| side.atoms[atom].key);
        key.is_none_or(|key| key != base.atoms[old].key && nameless(base, old))
    };
    for atom in all(across) {
        let Some(old) = other.base[atom].filter(|old| guessed(links, *old)) else { continue };
        if base.atoms[old].key != across.atoms[atom].key {
            let scope = scopes[1][across.atoms[atom].scope];
            edited.entry(across.atoms[atom].key).or_default().push((scope, old));
        }
    }
    if edited.is_empty() {
        return;
    }
    for here in [true, false] {
        for atom in all(side).filter(|a| links.base[*a].is_none()).collect::<Vec<_>>() {
            let scope = scopes[0][side.atoms[atom].scope];
            let Some(found) = edited.get_mut(&side.atoms[atom].key) else { continue };
            let fits = |(there, old): &(Option<usize>, usize)| {
                let place = if here { scope.is_some() && scope == *there } else { links.side[*old].is_none() };
                place && guessed(links, *old) && ids_agree(base, *old, side, atom)
            };
            if let Some(at) = found.iter().position(fits).filter(|_| here || found.len() == 1) {
                let (_, old) = found.remove(at);
                if let Some(guess) = links.side[old] {
                    links.base[guess] = None;
                }
                links.add(old, atom);
            }
        }
    }
}

/// A bullet that one side moved to another section, and the other side moved there and rephrased.
fn follow(base: &Tree, sides: [&Tree; 2], links: &mut Links, other: &Links, scopes: [&[Option<usize>]; 2]) {
    let [side, across] = sides;
    let mut moved: HashMap<usize, Vec<usize>> = HashMap::new();
    for old in all(base).filter(|o| links.side[*o].is_none()) {
        let Some(there) = other.side[old] else { continue };
        let scope = scopes[1][across.atoms[there].scope];
        if let Some(scope) = scope.filter(|s| *s != base.atoms[old].scope) {
            moved.entry(scope).or_default().push(old);
        }
    }
    if moved.is_empty() {
        return;
    }
    for atom in all(side).filter(|a| links.base[*a].is_none()).collect::<Vec<_>>() {
        let found = scopes[0][side.atoms[atom].scope].and_then(|scope| moved.get(&scope));
        let Some(found) = found else { continue };
        let score = |old: &usize| alike::alike(base, *old, side, atom);
        let best = found.iter().filter(|o| links.free(**o, atom) && nameless(base, **o));
        if let Some(old) = best.max_by(|x, y| score(x).total_cmp(&score(y))).filter(|o| score(o) >= alike::FOLLOWED) {
            links.add(*old, atom);
        }
    }
}

/// New things that both sides put into one section with the same text.
fn twin_contents(
    sides: [&Tree; 2],
    mine: &Links,
    yours: &Links,
    scopes: &Scopes,
    mut twins: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let [ours, theirs] = sides;
    let bytes = |tree: &Tree, atom: usize| raw(tree.whole(atom));
    let said = |tree: &Tree, atom: usize| tree.atoms[atom].key;
    let mut taken: (Vec<bool>, Vec<bool>) = (vec![false; ours.atoms.len()], vec![false; theirs.atoms.len()]);
    for key in [&bytes as &dyn Fn(&Tree, usize) -> u64, &said] {
        let mut known: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
        for b in all(theirs).filter(|b| yours.base[*b].is_none() && !taken.1[*b]) {
            if let Some(scope) = scopes.theirs[theirs.atoms[b].scope] {
                known.entry((scope, key(theirs, b))).or_default().push(b);
            }
        }
        known.values_mut().for_each(|found| found.reverse());
        for a in all(ours).filter(|a| mine.base[*a].is_none()).collect::<Vec<_>>() {
            let scope = scopes.ours[ours.atoms[a].scope].filter(|_| !taken.0[a]);
            let found = scope.and_then(|scope| known.get_mut(&(scope, key(ours, a))));
            if let Some(b) = found.and_then(Vec::pop) {
                (taken.0[a], taken.1[b]) = (true, true);
                twins.push((a, b));
            }
        }
    }
    twins
}

fn number(base: &Tree, ours: &Tree, theirs: &Tree, mine: &Links, yours: &Links, twins: &[(usize, usize)]) -> Things {
    let mut atoms: Vec<[Option<usize>; 3]> =
        (0..base.atoms.len()).map(|o| [Some(o), mine.side[o], yours.side[o]]).collect();
    let twin_of: HashMap<usize, usize> = twins.iter().copied().collect();
    let twins_b: std::collections::HashSet<usize> = twins.iter().map(|(_, b)| *b).collect();
    for a in (0..ours.atoms.len()).filter(|a| mine.base[*a].is_none()) {
        atoms.push([None, Some(a), twin_of.get(&a).copied()]);
    }
    for b in (0..theirs.atoms.len()).filter(|b| yours.base[*b].is_none() && !twins_b.contains(b)) {
        atoms.push([None, None, Some(b)]);
    }
    let mut of = [vec![0; base.atoms.len()], vec![0; ours.atoms.len()], vec![0; theirs.atoms.len()]];
    for (thing, found) in atoms.iter().enumerate() {
        for (side, atom) in found.iter().enumerate() {
            if let Some(atom) = atom {
                of[side][*atom] = thing as u32;
            }
        }
    }
    Things { atoms, of }
}
