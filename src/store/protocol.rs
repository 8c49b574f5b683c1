//! How a batch of files is changed so that a crash or a stranger at any moment loses nothing: one state machine for
//! commit and recovery (DESIGN 7).
//!
//! Pure: it says what to do next and is told what was seen. It knows files by number and texts by what they are to
//! this batch, so that a test can walk through every schedule of it.

/// What happens to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It gets another text (or mode).
    Update,
    /// It must not be there, and will be.
    Create,
    /// It goes.
    Remove,
}

/// Where a text can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// `.memdir/undo/REV-I`.
    Slot,
    /// The file itself.
    Target,
}

/// What lies in a place, to this batch. A text that somebody has open for writing is [`Text::Other`], whatever it
/// reads now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    /// Nothing.
    Absent,
    /// What the plan was made on.
    Base,
    /// What the plan wants.
    Ours,
    /// Anything else: a person's.
    Other,
}

/// The next thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Look what lies there. Answer: [`Seen::Saw`].
    Look(Place, usize),
    /// Write the new text to its slot and sync it; for a remove, free the slot.
    WriteSlot(usize),
    /// Append the intent line and sync the journal. [`Seen::Refused`]: nothing of it is in the journal.
    Intent,
    /// Swap slot and target. [`Seen::Stranger`]: the target is gone.
    Exchange(usize),
    /// Slot to target, which must be free. [`Seen::Stranger`]: it is not.
    In(usize),
    /// Target to slot, which is free. [`Seen::Stranger`]: the target is gone.
    Out(usize),
    /// Slot to a new name in `inbox/`. Nothing to do when the slot is gone.
    Rescue(usize),
    /// Sync the directories.
    SyncDirs,
    /// Append the end line; synced unless it says done.
    End(Ending),
    /// There is nothing more to do.
    Finish(Verdict),
}

/// What an end line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The batch stands.
    Done,
    /// It was put back.
    Undone,
    /// It was put back, and a displaced text lies in `inbox/`.
    Rescued,
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// It was done.
    Ok,
    /// Somebody else changed the names first; nothing was done.
    Stranger,
    /// The system refused; nothing was done.
    Refused,
    /// The system failed; whether it was done is not known.
    Failed,
    /// What lies there.
    Saw(Text),
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The batch stands.
    Done,
    /// It stands; a directory could not be synced.
    NotDurable,
    /// A file was not what the plan was made on. Nothing of the batch stands.
    Moved,
    /// The system refused. Nothing of the batch stands.
    Refused,
    /// Nobody can know; the intent stays open for the next writer.
    Unknown,
}

/// What is known of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Status {
    /// Not done, or put back.
    Todo,
    /// Not done, and its slot must be made again before it can be.
    Slotless,
    /// Done; what came out was the base.
    Done,
    /// Done; what came out was a person's text, and lies in the slot.
    Displaced,
    /// A person changed it since; it stays as it is.
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Check(usize),
    Write(usize),
    Intent,
    SurveySlot(usize),
    SurveyTarget(usize, Text),
    Rebuild(usize),
    Apply(usize),
    Judge(usize),
    Back(usize, Back),
    Sync,
    End,
    Over,
}

/// Where putting one file back stands. Each names what was asked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Back {
    Target,
    Exchange,
    CameOut,
    Straight,
    Left,
    Out,
    OutCameOut,
    In,
    Rescue,
}

/// One batch on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    kinds: Vec<Kind>,
    status: Vec<Status>,
    /// Of a recovery: whether a target that is to be written reads as it should.
    ready: bool,
    recovering: bool,
    phase: Phase,
    verdict: Verdict,
    rescued: bool,
}

impl Machine {
    /// A batch that begins.
    pub fn commit(kinds: Vec<Kind>) -> Machine {
        Machine::new(kinds, false)
    }

    /// A batch whose intent is in the journal, and no end.
    pub fn recover(kinds: Vec<Kind>) -> Machine {
        Machine::new(kinds, true)
    }

    fn new(kinds: Vec<Kind>, recovering: bool) -> Machine {
        Machine {
            status: vec![Status::Todo; kinds.len()],
            phase: if recovering { Phase::SurveySlot(0) } else { Phase::Check(0) },
            kinds,
            ready: true,
            recovering,
            verdict: Verdict::Done,
            rescued: false,
        }
    }

    /// The first action.
    pub fn start(&self) -> Action {
        match self.recovering {
            true => Action::Look(Place::Slot, 0),
            false => Action::Look(Place::Target, 0),
        }
    }

    /// The files that a person changed since, and that were therefore left alone.
    pub fn kept(&self) -> Vec<usize> {
        (0..self.kinds.len()).filter(|&i| self.status[i] == Status::Kept).collect()
    }

    /// Whether this finishes or undoes an earlier batch.
    #[cfg(test)]
    pub fn is_recovery(&self) -> bool {
        self.recovering
    }

    /// Whether what was done is being put back.
    #[cfg(test)]
    pub fn is_turning_back(&self) -> bool {
        matches!(self.phase, Phase::Back(..))
    }

    /// Takes what came of the last action; says the next.
    pub fn step(&mut self, seen: Seen) -> Action {
        let failed = matches!(seen, Seen::Refused | Seen::Failed);
        match self.phase {
            Phase::Check(_) | Phase::Write(_) if failed => self.give_up(Verdict::Refused),
            Phase::Check(i) if seen != Seen::Saw(self.expected(i)) => self.give_up(Verdict::Moved),
            Phase::Check(i) if i + 1 < self.kinds.len() => self.ask(Phase::Check(i + 1)),
            Phase::Check(_) => self.ask(Phase::Write(0)),
            Phase::Write(i) if i + 1 < self.kinds.len() => self.ask(Phase::Write(i + 1)),
            Phase::Write(_) => self.ask(Phase::Intent),
            Phase::Intent => match seen {
                Seen::Ok => self.apply_from(0),
                Seen::Refused => self.give_up(Verdict::Refused),
                _ => {
                    self.verdict = Verdict::Refused;
                    self.ask(Phase::End)
                }
            },
            Phase::SurveySlot(_) | Phase::SurveyTarget(..) if failed => self.give_up(Verdict::Unknown),
            Phase::SurveySlot(i) => self.ask(Phase::SurveyTarget(i, saw(seen))),
            Phase::SurveyTarget(i, slot) => self.surveyed(i, slot, saw(seen)),
            Phase::Rebuild(_) if failed => self.turn_back(Verdict::Moved),
            Phase::Rebuild(i) => {
                self.status[i] = Status::Todo;
                self.rebuild_from(i + 1)
            }
            Phase::Apply(i) => self.applied(i, seen),
            Phase::Judge(i) => self.judged(i, seen),
            Phase::Back(i, back) => self.backed(i, back, seen),
            Phase::Sync => {
                self.verdict = if failed { Verdict::NotDurable } else { Verdict::Done };
                self.ask(Phase::End)
            }
            Phase::End => {
                // A batch that stands needs no end line: the next writer finds out the same from the slots.
                if failed && self.undoing() {
                    self.verdict = Verdict::Unknown;
                }
                self.give_up(self.verdict)
            }
            Phase::Over => Action::Finish(self.verdict),
        }
    }

    fn undoing(&self) -> bool {
        matches!(self.verdict, Verdict::Moved | Verdict::Refused | Verdict::Unknown)
    }

    /// What must lie in the target before the batch.
    fn expected(&self, i: usize) -> Text {
        if self.kinds[i] == Kind::Create { Text::Absent } else { Text::Base }
    }

    fn ask(&mut self, phase: Phase) -> Action {
        self.phase = phase;
        match phase {
            Phase::Check(i) | Phase::SurveyTarget(i, _) => Action::Look(Place::Target, i),
            Phase::Write(i) | Phase::Rebuild(i) => Action::WriteSlot(i),
            Phase::Intent => Action::Intent,
            Phase::SurveySlot(i) | Phase::Judge(i) => Action::Look(Place::Slot, i),
            Phase::Apply(i) => match self.kinds[i] {
                Kind::Update => Action::Exchange(i),
                Kind::Create => Action::In(i),
                Kind::Remove => Action::Out(i),
            },
            Phase::Back(i, back) => match back {
                Back::Target => Action::Look(Place::Target, i),
                Back::Exchange | Back::Straight => Action::Exchange(i),
                Back::CameOut | Back::Left | Back::OutCameOut => Action::Look(Place::Slot, i),
                Back::Out => Action::Out(i),
                Back::In => Action::In(i),
                Back::Rescue => Action::Rescue(i),
            },
            Phase::Sync => Action::SyncDirs,
            Phase::End => Action::End(match (self.undoing(), self.rescued) {
                (false, _) => Ending::Done,
                (true, false) => Ending::Undone,
                (true, true) => Ending::Rescued,
            }),
            Phase::Over => Action::Finish(self.verdict),
        }
    }

    fn give_up(&mut self, verdict: Verdict) -> Action {
        self.verdict = verdict;
        self.ask(Phase::Over)
    }

    // Forward.

    fn apply_from(&mut self, from: usize) -> Action {
        match (from..self.kinds.len()).find(|&i| self.status[i] == Status::Todo) {
            Some(i) => self.ask(Phase::Apply(i)),
            None => self.ask(Phase::Sync),
        }
    }

    fn applied(&mut self, i: usize, seen: Seen) -> Action {
        match seen {
            Seen::Ok if self.kinds[i] == Kind::Create => {
                self.status[i] = Status::Done;
                self.apply_from(i + 1)
            }
            Seen::Ok => self.ask(Phase::Judge(i)),
            Seen::Failed => self.give_up(Verdict::Unknown),
            Seen::Refused => self.turn_back(Verdict::Refused),
            Seen::Stranger | Seen::Saw(_) => self.turn_back(Verdict::Moved),
        }
    }

    fn judged(&mut self, i: usize, seen: Seen) -> Action {
        match seen {
            Seen::Saw(Text::Base) => {
                self.status[i] = Status::Done;
                self.apply_from(i + 1)
            }
            Seen::Saw(_) => {
                self.status[i] = Status::Displaced;
                self.turn_back(Verdict::Moved)
            }
            _ => self.give_up(Verdict::Unknown),
        }
    }

    // Recovery.

    fn surveyed(&mut self, i: usize, slot: Text, target: Text) -> Action {
        self.status[i] = match (self.kinds[i], slot) {
            (Kind::Update | Kind::Remove, Text::Base) => Status::Done,
            (Kind::Update, Text::Ours) => Status::Todo,
            (Kind::Update, Text::Absent) if target == Text::Ours => Status::Done,
            (Kind::Update, Text::Absent) => Status::Slotless,
            (Kind::Remove, Text::Absent) => Status::Todo,
            (Kind::Create, Text::Absent) => Status::Done,
            (Kind::Create, Text::Ours) => Status::Todo,
            _ => Status::Displaced,
        };
        self.ready &= match self.status[i] {
            Status::Todo | Status::Slotless => target == self.expected(i),
            Status::Done => true,
            Status::Displaced | Status::Kept => false,
        };
        match (i + 1 < self.kinds.len(), self.ready) {
            (true, _) => self.ask(Phase::SurveySlot(i + 1)),
            (false, true) => self.rebuild_from(0),
            (false, false) => self.turn_back(Verdict::Moved),
        }
    }

    fn rebuild_from(&mut self, from: usize) -> Action {
        match (from..self.kinds.len()).find(|&i| self.status[i] == Status::Slotless) {
            Some(i) => self.ask(Phase::Rebuild(i)),
            None => self.apply_from(0),
        }
    }

    // Back, from the last file to the first.

    fn turn_back(&mut self, verdict: Verdict) -> Action {
        self.verdict = verdict;
        self.back_from(self.kinds.len())
    }

    fn back_from(&mut self, end: usize) -> Action {
        let open = |&i: &usize| matches!(self.status[i], Status::Done | Status::Displaced);
        let Some(i) = (0..end).rev().find(open) else { return self.ask(Phase::End) };
        let first = match (self.kinds[i], self.status[i]) {
            (Kind::Update, _) | (Kind::Create, Status::Done) => Back::Target,
            (Kind::Create | Kind::Remove, _) => Back::In,
        };
        self.ask(Phase::Back(i, first))
    }

    fn settle(&mut self, i: usize, status: Status) -> Action {
        self.status[i] = status;
        self.back_from(i)
    }

    /// The target is a person's now. A text that it had displaced must not stay in the slot, where nobody looks.
    fn leave(&mut self, i: usize) -> Action {
        match self.status[i] {
            Status::Displaced => self.ask(Phase::Back(i, Back::Rescue)),
            _ => self.settle(i, Status::Kept),
        }
    }

    fn backed(&mut self, i: usize, back: Back, seen: Seen) -> Action {
        if matches!(seen, Seen::Refused | Seen::Failed) {
            return self.give_up(Verdict::Unknown);
        }
        let update = self.kinds[i] == Kind::Update;
        match (back, seen) {
            (Back::Target, Seen::Saw(Text::Ours)) if update => self.ask(Phase::Back(i, Back::Exchange)),
            (Back::Target, Seen::Saw(Text::Ours)) => self.ask(Phase::Back(i, Back::Out)),
            (Back::Target, _) => self.leave(i),
            (Back::Exchange, Seen::Ok) => self.ask(Phase::Back(i, Back::CameOut)),
            (Back::CameOut | Back::OutCameOut, Seen::Saw(Text::Ours)) => self.settle(i, Status::Todo),
            // What came out is the newest text: it goes straight back, and then the slot is looked at again.
            (Back::CameOut, _) => self.ask(Phase::Back(i, Back::Straight)),
            (Back::Exchange | Back::Straight, _) => self.ask(Phase::Back(i, Back::Left)),
            (Back::Left, Seen::Saw(Text::Base | Text::Ours | Text::Absent)) => self.settle(i, Status::Kept),
            (Back::Left, _) => self.ask(Phase::Back(i, Back::Rescue)),
            (Back::Out, Seen::Ok) => self.ask(Phase::Back(i, Back::OutCameOut)),
            (Back::Out, _) => self.settle(i, Status::Kept),
            (Back::OutCameOut, _) => {
                self.status[i] = Status::Displaced;
                self.ask(Phase::Back(i, Back::In))
            }
            (Back::In, Seen::Ok) if self.kinds[i] == Kind::Remove => self.settle(i, Status::Todo),
            (Back::In, Seen::Ok) => self.settle(i, Status::Kept),
            (Back::In, _) => self.leave(i),
            (Back::Rescue, _) => {
                self.rescued = true;
                self.settle(i, Status::Kept)
            }
        }
    }
}

fn saw(seen: Seen) -> Text {
    match seen {
        Seen::Saw(text) => text,
        _ => Text::Other,
    }
}
