//! The JSON contract: one object, `"v":1` first, the answer on stdout or the error on stderr.
//!
//! Never decides an exit status.

use serde_json::{Map, Value, json};

use super::answer::PrintAnswer;
use crate::code::Warning;
use crate::commands::Error;
use crate::commands::error_json::{error_fields, warning};

/// Renders an answer as one line.
pub fn answer(answer: &dyn PrintAnswer, warnings: &[Warning]) -> String {
    let body = answer.to_json();
    let mut out = String::with_capacity(body.len() + 16);
    out.push_str("{\"v\":1");
    let fields = body.trim_start_matches('{');
    if fields != "}" {
        out.push(',');
    }
    out.push_str(fields);
    if !warnings.is_empty() && !answer.has_all_warnings() {
        out.pop();
        out.push_str(",\"warnings\":");
        out.push_str(&Value::from_iter(warnings.iter().map(warning)).to_string());
        out.push('}');
    }
    out.push('\n');
    out
}

/// Renders a failure as one line: the first error's fields at the top level, and all errors of a batch in `failures`.
pub fn failure(failure: &Error, dir_option: &str) -> String {
    let mut object = Map::from_iter([("v".to_owned(), json!(1))]);
    object.append(&mut error_fields(failure, &|command| command.to_shell(dir_option)));
    format!("{}\n", Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Rejection, SuggestedCommand};
    use crate::commands::results::{ChangeResult, FileList};

    #[test]
    fn an_answer_is_one_object_with_its_version_first() {
        assert_eq!(answer(&FileList { files: vec![], more: 0, left_out: vec![] }, &[]), "{\"v\":1,\"files\":[]}\n");
        let warned = answer(&FileList { files: vec![], more: 0, left_out: vec![] }, &[Warning::new(Code::Note, "so")]);
        assert_eq!(warned, "{\"v\":1,\"files\":[],\"warnings\":[{\"code\":\"note\",\"message\":\"so\"}]}\n");
        assert_eq!(answer(&ChangeResult::default(), &[]), "{\"v\":1,\"changed\":false,\"files\":[]}\n");
    }

    #[test]
    fn an_error_is_flat_and_a_batch_lists_all_of_them() {
        let one = Rejection::new(Code::BulletNotFound, "no @acvh").try_command(SuggestedCommand::new("list", "user"));
        let shown = failure(&one.clone().into(), "");
        assert_eq!(
            shown,
            "{\"v\":1,\"code\":\"bullet_not_found\",\"message\":\"no @acvh\",\"try\":[\"memdir list user\"],\
             \"changed\":false,\"retryable\":false,\"details\":{}}\n"
        );
        let both: Value =
            serde_json::from_str(&failure(&vec![one.clone().at_operation(0), one.at_operation(3)].into(), "")).unwrap();
        assert_eq!(both["failures"][1]["operation"], 3);
        assert_eq!(both["code"], "bullet_not_found");
    }
}
