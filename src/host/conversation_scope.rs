//! Which scope a conversation belongs to, by the rules `scopes:` of the user config: by the directory in which it takes
//! place, or by a field of its transcript.
//!
//! Never in a policy, which may arrive by git: only the user decides where their conversations go.

use std::path::Path;

use serde_json::Value;

use crate::policy::glob;
use crate::text::surrogates::parse_lossy;

/// How much of a transcript is searched for a field, in bytes.
pub const MAX_HEAD_BYTES: usize = 64 << 10;

/// A rule of the user config. The first that matches a conversation applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversationRule {
    /// A glob over the directory of the conversation; `~/` is the home directory.
    pub directory: Option<String>,
    /// A field of the transcript, `app_id` or `payload.cwd`.
    pub field: Option<String>,
    /// A glob over the value of that field; `None`: any value.
    pub value: Option<String>,
    /// The name of the scope; `None`: the value of the field.
    pub scope: Option<String>,
}

/// What is known of a conversation.
pub struct ConversationOrigin<'a> {
    pub directory: Option<&'a Path>,
    /// Looks up a field of its transcript.
    pub field: &'a dyn Fn(&str) -> Option<String>,
}

/// The name of the scope of a conversation, as the first matching rule has it; `None` if no rule matches. Whether there
/// is such a scope is not checked.
pub fn scope_of(rules: &[ConversationRule], origin: &ConversationOrigin<'_>, home: Option<&Path>) -> Option<String> {
    rules.iter().find_map(|rule| {
        let matches = |pattern: &str, text: &str| glob::matches(&expand_home(pattern, home), text);
        if let Some(pattern) = &rule.directory {
            let directory = origin.directory?.to_str()?;
            // `~/code/**` is also that directory itself.
            if !matches(pattern, directory) && !matches(pattern, &format!("{directory}/")) {
                return None;
            }
        }
        let value = match &rule.field {
            Some(field) => Some((origin.field)(field)?),
            None => None,
        };
        if let (Some(pattern), Some(value)) = (&rule.value, &value)
            && !matches(pattern, value)
        {
            return None;
        }
        rule.scope.clone().or(value)
    })
}

fn expand_home(pattern: &str, home: Option<&Path>) -> String {
    match (pattern.strip_prefix("~/"), home.and_then(Path::to_str)) {
        (Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
        _ => pattern.to_owned(),
    }
}

/// The value of a field, a text or a number: of a text that is one JSON object, else of its first line that has the
/// field. `payload.cwd` is a field of a field.
pub fn field_value(text: &[u8], field: &str) -> Option<String> {
    let in_object = |bytes: &[u8]| {
        let object = parse_lossy(bytes)?;
        match field.split('.').try_fold(&object, |value, name| value.get(name))? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    };
    in_object(text).or_else(|| text[..text.len().min(MAX_HEAD_BYTES)].split(|b| *b == b'\n').find_map(in_object))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(directory: &str, field: &str, value: &str, scope: &str) -> ConversationRule {
        let set = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        ConversationRule { directory: set(directory), field: set(field), value: set(value), scope: set(scope) }
    }

    #[track_caller]
    fn check(rules: &[ConversationRule], directory: &str, text: &str, scope: Option<&str>) {
        let directory = Some(Path::new(directory)).filter(|dir| !dir.as_os_str().is_empty());
        let origin = ConversationOrigin { directory, field: &|field| field_value(text.as_bytes(), field) };
        assert_eq!(scope_of(rules, &origin, Some(Path::new("/home/ana"))).as_deref(), scope, "{directory:?} {text}");
    }

    #[test]
    fn a_directory_decides() {
        let rules = [rule("~/code/web/**", "", "", "web"), rule("/srv/*", "", "", "srv")];
        check(&rules, "/home/ana/code/web", "", Some("web"));
        check(&rules, "/home/ana/code/web/src/x", "", Some("web"));
        check(&rules, "/home/ana/code/website", "", None);
        check(&rules, "/srv/app", "", Some("srv"));
        check(&rules, "/srv/app/deep", "", None);
        check(&rules, "", "", None);
    }

    #[test]
    fn a_field_decides_or_is_the_name() {
        let rules = [rule("", "payload.cwd", "*/web", "web"), rule("", "appId", "", "")];
        let codex = "{\"type\":\"session_meta\",\"payload\":{\"cwd\":\"web\"}}\n";
        check(&rules, "/x", codex, None);
        let lines = "{\"type\":\"other\"}\nnot json\n{\"payload\":{\"cwd\":\"a/web\"}}\n";
        check(&rules, "/x", lines, Some("web"));
        check(&rules, "/x", "{\"appId\": \"calendar\", \"userMessages\": []}", Some("calendar"));
        check(&rules, "/x", "{\"appId\": 7}", Some("7"));
        check(&rules, "/x", "{\"appId\": [\"a\"]}", None);
    }

    #[test]
    fn both_conditions_must_hold() {
        let rules = [rule("/srv/**", "kind", "chat", "chats")];
        check(&rules, "/srv/a", "{\"kind\":\"chat\"}", Some("chats"));
        check(&rules, "/srv/a", "{\"kind\":\"build\"}", None);
        check(&rules, "/home", "{\"kind\":\"chat\"}", None);
    }
}
