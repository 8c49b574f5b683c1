//! What this machine wrote for itself below `.memdir/`, apart from what came by `git clone`: what starts work, names files
//! outside, or is printed as memdir's own words carries a signature that only this machine can make.
//!
//! Never trusts a place or a name: git can bring any file to any of them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Session;
use crate::code::{Code, Rejection};
use crate::host::machine_key;
use crate::text::signature::SigningKey;

impl Session {
    /// The key of this machine; `None` if there is none yet, or it cannot be read: then nothing counts as signed.
    pub fn signing_key(&self) -> Option<SigningKey> {
        machine_key::load(self.key_file.as_deref()?).ok().flatten()
    }

    /// The key of this machine, which is made if there is none yet.
    ///
    /// # Errors
    /// `io`.
    pub fn new_signing_key(&self) -> Result<SigningKey, Rejection> {
        let no_home = || Rejection::new(Code::Io, "HOME is not set, so that nothing can be queued");
        machine_key::load_or_create(self.key_file.as_deref().ok_or_else(no_home)?)
    }

    /// A note that this machine wrote with [`Session::write_signed_note`].
    pub(super) fn read_signed_note(&self, name: &str) -> Option<String> {
        let signed = self.store.read_note(name)?;
        let bytes = self.signing_key()?.open(name, signed.as_bytes())?;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }

    /// The same in JSON.
    pub(super) fn read_signed_json_note<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(&self.read_signed_note(name)?).ok()
    }

    /// Replaces a note without the lock. One that cannot be written is left out.
    pub(super) fn write_signed_note(&self, name: &str, text: &str) {
        let Ok(key) = self.new_signing_key() else { return };
        if let Ok(signed) = String::from_utf8(key.sign(name, text.as_bytes())) {
            drop(self.store.write_note_unlocked(name, &signed));
        }
    }

    /// The same with a value in JSON.
    pub(super) fn write_signed_json_note(&self, name: &str, value: &impl Serialize) {
        if let Ok(text) = serde_json::to_string(value) {
            self.write_signed_note(name, &text);
        }
    }
}
