//! The JSON contract: one object, `"v":1` first, the result on stdout or the error on stderr.
//!
//! Never decides an exit status.

use serde_json::{Map, Value, json};

use super::print_result::PrintResult;
use crate::code::Warning;
use crate::commands::Error;
use crate::commands::error_json::{error_fields, warning};

/// Renders a result as one line.
pub fn result(result: &dyn PrintResult, warnings: &[Warning]) -> String {
    let body = result.to_json();
    let mut out = String::with_capacity(body.len() + 16);
    out.push_str("{\"v\":1");
    let fields = body.trim_start_matches('{');
    if fields != "}" {
        out.push(',');
    }
    out.push_str(fields);
    if !warnings.is_empty() && !result.has_all_warnings() {
        out.pop();
        out.push_str(",\"warnings\":");
        out.push_str(&Value::from_iter(warnings.iter().map(warning)).to_string());
        out.push('}');
    }
    out.push('\n');
    out
}

/// Renders an error as one line: the first rejection's fields at the top level, and all rejections of a batch in
/// `failures`.
pub fn error(error: &Error, dir_option: &str) -> String {
    let mut object = Map::from_iter([("v".to_owned(), json!(1))]);
    object.append(&mut error_fields(error, &|command| command.to_shell(dir_option)));
    format!("{}\n", Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Rejection, SuggestedCommand};
    use crate::commands::results::{ChangeResult, FileList};

    #[test]
    fn a_result_is_one_object_with_its_version_first() {
        assert_eq!(result(&FileList { files: vec![], more: 0, left_out: vec![] }, &[]), "{\"v\":1,\"files\":[]}\n");
        let warned = result(&FileList { files: vec![], more: 0, left_out: vec![] }, &[Warning::new(Code::Note, "so")]);
        assert_eq!(warned, "{\"v\":1,\"files\":[],\"warnings\":[{\"code\":\"note\",\"message\":\"so\"}]}\n");
        assert_eq!(result(&ChangeResult::default(), &[]), "{\"v\":1,\"changed\":false,\"files\":[]}\n");
    }

    #[test]
    fn an_error_is_flat_and_a_batch_lists_all_of_them() {
        let one = Rejection::new(Code::BulletNotFound, "no @acvh").try_command(SuggestedCommand::new("list", "user"));
        let shown = error(&one.clone().into(), "");
        assert_eq!(
            shown,
            "{\"v\":1,\"code\":\"bullet_not_found\",\"message\":\"no @acvh\",\"try\":[\"memdir list user\"],\
             \"changed\":false,\"retryable\":false,\"details\":{}}\n"
        );
        let both: Value =
            serde_json::from_str(&error(&vec![one.clone().at_operation(0), one.at_operation(3)].into(), "")).unwrap();
        assert_eq!(both["failures"][1]["operation"], 3);
        assert_eq!(both["code"], "bullet_not_found");
    }
}
