//! `reflect` and `compact` in other languages than English: a negation, a number or a day is news, and needs a source.

use serde_json::json;

use super::script::{Script, ops};
use crate::support::Memory;

/// What became of a text that a model proposes with its quote, in a memory with one bullet: counts of what was kept,
/// known, waiting and refused.
fn reflect(known: &str, said: &str, text: &str) -> [usize; 4] {
    let memory = Memory::new();
    if !known.is_empty() {
        memory.put("facts/user.md", format!("# User\n\n- {known}\n").into_bytes());
    }
    let conversation = json!({"messages": [{"role": "user", "content": said}]}).to_string();
    let proposal = json!({"op": "add", "at": "facts/user.md", "text": text, "quote": said, "turn": 1});
    let script = Script::of((0..4).map(|_| ops(std::slice::from_ref(&proposal))));
    let counts = script.reads(&memory, &conversation).counts;
    [counts.kept, counts.known, counts.proposed, counts.refused]
}

#[test]
fn a_negation_and_another_number_are_news() {
    for (known, said, text) in [
        ("Takes half a pill daily", "I take one pill daily", "Takes one pill daily"),
        ("Stores data in the EU", "I store data outside the EU", "Stores data outside the EU"),
        ("Had a dog", "I have a dog", "Has a dog"),
        (
            "Arbeitet am Freitag von zu Hause",
            "Ich arbeite nicht am Freitag von zu Hause",
            "Arbeitet nicht am Freitag von zu Hause",
        ),
        ("Mag Kaffee am Morgen", "Ich mag keinen Kaffee am Morgen", "Mag keinen Kaffee am Morgen"),
        ("Usa il treno ogni giorno", "Non uso il treno ogni giorno", "Non usa il treno ogni giorno"),
        ("Gillar kaffe på morgonen", "Jag gillar inte kaffe på morgonen", "Gillar inte kaffe på morgonen"),
        ("想学法语", "我学过法语", "学过法语"),
    ] {
        let [kept, known_count, waiting, _] = reflect(known, said, text);
        assert!(kept + waiting == 1 && known_count == 0, "{known} / {text}: {kept} {known_count} {waiting}");
    }
}

#[test]
fn a_negation_a_number_and_a_day_need_a_source() {
    for (said, text) in [
        ("Мой кот Барсик весит 5 кг", "Кот Барсик не весит 5 кг."),
        ("Reunión el lunes", "Reunión el martes."),
        ("Ich habe drei Katzen", "Hat vier Katzen."),
        ("Поеду в отпуск в мае", "Поедет в отпуск в июне"),
        ("Je mange de la viande", "Ne mange jamais de viande"),
        ("Uso il treno ogni giorno", "Non usa il treno ogni giorno"),
    ] {
        let [kept, _, waiting, _] = reflect("", said, text);
        assert_eq!((kept, waiting), (0, 1), "{said} / {text}");
    }
    for (said, text) in [
        ("Мой кот Барсик весит 5 кг", "Кот Барсик весит 5 кг."),
        ("Reunión el lunes", "Reunión el lunes."),
        ("Ich habe vier Katzen", "Hat vier Katzen."),
        ("Ich mag keinen Kaffee", "Mag keinen Kaffee"),
    ] {
        assert_eq!(reflect("", said, text)[0], 1, "{said} / {text}");
    }
}

#[test]
fn what_a_person_does_not_do_is_no_instruction() {
    for said in ["我不会说法语", "我不吃肉", "我不在家工作", "我不可以吃花生"] {
        let text = said.trim_start_matches('我');
        assert_eq!(reflect("", said, text)[3], 0, "{said}");
    }
}
