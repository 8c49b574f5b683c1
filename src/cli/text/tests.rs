use super::*;
use crate::code::Code;
use crate::commands::results::{BulletRow, FileList, FileRow, Outline, SectionRow, TextResult};

fn effect(sign: EffectSign, handle: &str, text: &str) -> EffectRow {
    let handle = Some(handle.to_owned()).filter(|h| !h.is_empty());
    EffectRow { sign, handle, text: text.into(), ..EffectRow::default() }
}

fn file(path: &str, kind: ChangedFileKind, effects: Vec<EffectRow>) -> ChangedFile {
    ChangedFile { path: path.into(), kind, to: None, rev: None, etag: None, effects }
}

fn check(shown: impl PrintResult, page: &str) {
    let (out, _) = result(&shown, &[], OutputLayout::Plain, &OutputFormat::default());
    assert_eq!(out, page);
}

#[test]
fn a_change_shows_file_revision_and_each_bullet() {
    let mut rows = vec![
        effect(EffectSign::Added, "acvh", "Prefers tabs"),
        effect(EffectSign::Unchanged, "xpyt", "Vegan\nsince 2024"),
    ];
    rows[0].id = Some("mem7".into());
    let change =
        |file| ChangeResult { changed: true, rev: Some("r7".into()), files: vec![file], ..ChangeResult::default() };
    check(
        change(file("facts/user.md", ChangedFileKind::Updated, rows)),
        "facts/user.md  r7\n+ @acvh ^mem7 Prefers tabs\n= @xpyt Vegan\\nsince 2024\n",
    );
    check(change(file("facts/usr.md", ChangedFileKind::Created, vec![])), "new file facts/usr.md  r7\n");
    let mut moved = file("facts/a.md", ChangedFileKind::Moved, vec![]);
    moved.to = Some("facts/b.md".into());
    check(change(moved), "facts/a.md → facts/b.md  r7\n");
}

#[test]
fn a_dry_run_is_marked_and_shows_a_diff() {
    let diff = Some("--- a\n+++ b\n@@ -1 +1 @@\n-\x1bold\n+new\n".to_owned());
    let change = ChangeResult { changed: true, dry_run: true, diff, ..ChangeResult::default() };
    check(change, "dry run, nothing written\n--- a\n+++ b\n@@ -1 +1 @@\n-\\x1bold\n+new\n");
}

#[test]
fn a_list_is_path_size_and_summary() {
    let row = |path: &str, size, summary: &str, refused: Option<&str>| FileRow {
        path: path.into(),
        size,
        summary: summary.into(),
        refused: refused.map(Into::into),
    };
    let files = vec![
        row("facts/user.md", 276, "name, language, work", None),
        row("episodes/2026-02.md", 1229, "", None),
        row("facts/etc.md", 0, "", Some("a symbolic link")),
    ];
    check(
        FileList { files, more: 0, left_out: vec![] },
        "facts/user.md (276B): name, language, work\nepisodes/2026-02.md (1.2KB)\n\
         facts/etc.md (refused: a symbolic link)\n",
    );
}

#[test]
fn an_outline_shows_handles_and_sections() {
    let bullet = BulletRow {
        address: "facts/user.md@acvh".into(),
        handle: "acvh".into(),
        id: None,
        index: Some(1),
        depth: 0,
        section: None,
        text: "Prefers tabs".into(),
        expired: false,
        meta: Default::default(),
        blame: None,
        number: 0,
        last_day: None,
    };
    let section = SectionRow {
        address: "e.md#logger-fix".into(),
        slug: "logger-fix".into(),
        id: None,
        title: "Logger fix".into(),
        level: 2,
        date: Some("2026-02-24".into()),
        summary: Some("stdout leak".into()),
        bullets: 3,
    };
    let outline =
        Outline { path: "facts/user.md".into(), bullets: vec![bullet], sections: vec![section], ..Outline::default() };
    check(outline.clone(), "facts/user.md\n@acvh Prefers tabs\n## logger-fix (2026-02-24, 3): stdout leak\n");
    let (numbered, _) = result(&outline, &[], OutputLayout::Numbered, &OutputFormat::default());
    assert!(numbered.starts_with("1 @acvh Prefers tabs\n"), "{numbered}");
}

#[test]
fn read_is_exact_in_a_pipe_and_escaped_on_a_terminal() {
    let text = TextResult {
        path: "facts/a.md".into(),
        section: None,
        handle: None,
        etag: "e".into(),
        size: 4,
        text: "a\x1b[2J\r\n\u{202e}b".into(),
    };
    check(text.clone(), "a\x1b[2J\r\n\u{202e}b");
    let style = OutputFormat { terminal: true, ..OutputFormat::default() };
    assert_eq!(result(&text, &[], OutputLayout::Plain, &style).0, "a\\x1b[2J\n\\u{202e}b\n");
}

#[test]
fn an_error_shows_the_texts_the_candidates_and_commands_to_try() {
    let candidates = serde_json::json!([{"address": "facts/user.md@v3wd", "text": "a\x1bb"}]);
    let rejection = Rejection::new(Code::BulletChanged, "@t7an in facts/user.md was rephrased outside memdir")
        .detail("was", serde_json::json!({"handle": "t7an", "text": "Likes tea"}))
        .detail("now", "Likes green tea")
        .detail("candidates", candidates)
        .try_command(SuggestedCommand::new("rm", "user@v3wd"))
        .try_command(SuggestedCommand::new("rm", "$(rm -rf ~)"));
    let format = OutputFormat { may_change: true, ..OutputFormat::default() };
    assert_eq!(
        error(&rejection.into(), &format),
        "memdir: bullet_changed: @t7an in facts/user.md was rephrased outside memdir; nothing was changed\n  \
         was: @t7an Likes tea\n  now: Likes green tea\n  facts/user.md@v3wd a\\x1bb\ntry: memdir rm user@v3wd\n"
    );
}

#[test]
fn nothing_to_do_goes_to_stderr_and_quiet_prints_nothing() {
    let none = ChangeResult::default();
    let (out, err) = result(&none, &[Warning::new(Code::Note, "so")], OutputLayout::Plain, &OutputFormat::default());
    assert_eq!((out.as_str(), err.as_str()), ("", "memdir: nothing to do\nmemdir: so\n"));
    let quiet = OutputFormat { quiet: true, ..OutputFormat::default() };
    assert_eq!(result(&none, &[], OutputLayout::Plain, &quiet), (String::new(), String::new()));
}
