//! `query` in other scripts: sentences made from lists of words, each searched by words it contains.

use fastrand::Rng;
use memdir::commands::{self, Session};
use memdir::view::query::filter::QueryOptions;

use crate::support::Memory;

/// A sentence: subject, object, place and action, with the words that join them.
struct Language {
    parts: [&'static [&'static str]; 4],
    between: [&'static str; 4],
    /// How a question joins its words.
    ask: &'static str,
}

const JAPANESE: Language = Language {
    parts: [
        &["田中さん", "佐藤先生", "母", "弟", "山本部長", "隣の人", "祖父", "同僚の鈴木"],
        &["緑茶", "自転車", "ピアノ", "カメラ", "日本酒", "将棋", "ラーメン", "パソコン", "植木鉢", "切手"],
        &["京都駅", "図書館", "北海道", "台所", "会議室", "ベランダ", "神戸港", "温泉旅館"],
        &["買いました", "忘れました", "直しました", "写真に撮った", "楽しんでいる", "売るつもりだ"],
    ],
    between: ["は", "を", "で", "。"],
    ask: "",
};

const KOREAN: Language = Language {
    parts: [
        &["민수", "할머니", "김선생님", "동생", "부장님", "이웃집", "지영", "사촌"],
        &["녹차", "자전거", "피아노", "카메라", "막걸리", "바둑판", "냉면", "노트북", "화분", "우표"],
        &["서울역", "도서관", "제주도", "부엌", "회의실", "옥상", "부산항", "찜질방"],
        &["샀습니다", "잊어버렸다", "고쳤어요", "사진을 찍었다", "즐기고 있다", "팔 생각이다"],
    ],
    between: ["은 ", "를 ", "에서 ", "."],
    ask: " ",
};

const CHINESE: Language = Language {
    parts: [
        &["王老师", "奶奶", "弟弟", "李经理", "邻居", "小陈", "表哥", "外公"],
        &["绿茶", "自行车", "钢琴", "照相机", "白酒", "象棋", "牛肉面", "笔记本电脑", "花盆", "邮票"],
        &["北京站", "图书馆", "海南岛", "厨房", "会议室", "阳台", "上海港", "温泉酒店"],
        &["买了", "忘记了", "修好了", "拍了照片", "很喜欢", "准备卖掉"],
    ],
    between: ["把", "在", "", "。"],
    ask: "",
};

const ACCENTED: Language = Language {
    parts: [
        &["Zoë", "Søren", "François", "Łukasz", "Jürgen", "Íñigo", "Ağa", "Dvořák"],
        &[
            "crème brûlée",
            "vélo",
            "piñata",
            "Größentabelle",
            "jalapeño",
            "smörgåsbord",
            "café",
            "açaí",
            "naïveté",
            "résumé",
        ],
        &["São Paulo", "Zürich", "Málaga", "Kraków", "Čačak", "Ålesund", "Düsseldorf", "Orléans"],
        &["perdió", "größer fand", "vergaß", "achetée", "ztratil", "smažil"],
    ],
    between: [" ", " ", " ", "."],
    ask: " ",
};

/// A memory of sentences, no two alike; for each, its parts.
fn sentences(language: &Language, count: usize) -> Vec<([&'static str; 4], String)> {
    let mut rng = Rng::with_seed(7);
    let mut out: Vec<([&str; 4], String)> = Vec::new();
    while out.len() < count {
        let words = language.parts.map(|words| rng.choice(words.iter().copied()).unwrap());
        let text = words.iter().zip(language.between).map(|(word, between)| format!("{word}{between}")).collect();
        if out.iter().all(|(known, _)| *known != words) {
            out.push((words, text));
        }
    }
    out
}

fn memory(all: &[([&str; 4], String)]) -> Memory {
    let mut memory = Memory::new();
    for (i, part) in all.chunks(25).enumerate() {
        let text: String = part.iter().map(|(_, text)| format!("- {text}\n")).collect();
        memory = memory.file(&format!("facts/f{i}.md"), &text);
    }
    memory
}

fn ask(session: &Session, question: &str, limit: usize) -> Vec<String> {
    let ask = QueryOptions { query: question.into(), limit: Some(limit), ..QueryOptions::default() };
    let found = commands::query(session, &ask).unwrap();
    found.items.into_iter().map(|row| row.text).collect()
}

/// The share of sentences that are among the first five for three of their four parts in another order, dressed as
/// `dress` has it.
fn recall(language: &Language, dress: impl Fn(&str) -> String) -> f64 {
    let all = sentences(language, 300);
    let memory = memory(&all);
    let session = memory.session();
    let mut found = 0;
    for (words, text) in &all {
        let question = [words[2], words[1], words[0], words[3]].join(language.ask);
        let best = ask(&session, &dress(&question), 5);
        found += usize::from(best.iter().any(|b| b == text));
    }
    found as f64 / all.len() as f64
}

/// The share of sentences holding one word that the word alone finds.
fn share(language: &Language) -> f64 {
    let all = sentences(language, 300);
    let memory = memory(&all);
    let session = memory.session();
    let (mut found, mut wanted) = (0, 0);
    for word in language.parts[1] {
        let holding: Vec<&String> = all.iter().filter(|(words, _)| words[1] == *word).map(|(_, text)| text).collect();
        let best = ask(&session, word, holding.len());
        wanted += holding.len();
        found += holding.iter().filter(|text| best.contains(text)).count();
    }
    found as f64 / wanted as f64
}

#[test]
fn words_of_scripts_without_spaces_are_found() {
    for (name, language) in [("Japanese", &JAPANESE), ("Korean", &KOREAN), ("Chinese", &CHINESE)] {
        let (recall, share) = (recall(language, str::to_owned), share(language));
        assert!(recall >= 0.9 && share >= 0.9, "{name}: {recall:.3} of sentences, {share:.3} of words");
    }
}

#[test]
fn accents_make_no_difference() {
    use unicode_normalization::UnicodeNormalization;
    let bare = |text: &str| memdir::text::strip_diacritics::strip_diacritics(&text.to_lowercase()).into_owned();
    let apart = |text: &str| text.nfd().collect::<String>();
    for dress in [&str::to_owned as &dyn Fn(&str) -> String, &bare, &apart, &str::to_uppercase] {
        let recall = recall(&ACCENTED, dress);
        assert!(recall >= 0.9, "{recall:.3}");
    }
    assert!(share(&ACCENTED) >= 0.9);
}

#[test]
fn texts_that_were_typed_otherwise_are_found() {
    use unicode_normalization::UnicodeNormalization;
    let apart = |text: &str| text.nfd().collect::<String>();
    for language in [&JAPANESE, &KOREAN] {
        assert!(recall(language, apart) >= 0.9);
    }
}
