//! Random numbers with a memory, and random texts: bullets, headings, small edits, rewrites, near duplicates.
//!
//! The same seed gives the same texts in every run; nothing here knows what they are used for.

use std::sync::LazyLock;

/// Numbers that look random (splitmix64). Not `fastrand`, because the bounds of these tests were measured on its pairs.
pub struct Chance(u64);

const WORDS: &str = "amber birch cedar delta ember fjord grove harbor iris jade kelp lotus maple north olive pearl quartz \
    river stone tulip umber violet willow yarrow zinc prefers likes uses keeps wants reads writes runs avoids checks \
    before after during without between every morning evening weekly quarterly small quiet long short early late \
    tests builds deploys reviews notes meetings coffee tea trains flights windows seats dark light terminal editor \
    python rust typescript docker linux branch commit rebase schema index cache logger worker pipeline transport";
const HAN: &str = "喜欢 绿茶 每天 早上 讨论 中文 代码 英文 项目 发布 星期 会议 之前 之后 测试 部署 需要 不要 记录 数据 分支 合并 窗口 座位 \
    安静 终端 主题 深色 长期 计划 旅行 火车 北京 上海 家人 工作 学习 阅读 写作 运动";
const LABELS: &str = "Name|Language|Editor|Timezone|Home Town|Coffee|Shell|Keyboard|Manager|Team|Release Day|Birthday|Diet|Phone|\
    Laptop|Favourite Food|Commute|姓名|语言|习惯|Node.js|Budget|Deadline|Contact";
const HEADINGS: &str = "Work|Travel|Food|Health|Projects|Family|Tools|Reading|Money|Music|Sports|Garden|工作|旅行|Style guide|\
    Build and release|Open questions|People|Machines|Hobbies|Languages|Calendar|Security|Writing";

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n.max(1)
    }

    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn of(&mut self, list: &str) -> String {
        let count = list.split('|').count();
        list.split('|').nth(self.below(count)).unwrap_or_default().trim().to_owned()
    }

    pub fn word(&mut self) -> String {
        static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
        self.one(&ALL).to_owned()
    }

    fn han(&mut self) -> String {
        static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| HAN.split_whitespace().collect());
        self.one(&ALL).to_owned()
    }

    fn words(&mut self, least: usize, most: usize) -> String {
        (0..self.between(least, most)).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn hans(&mut self, least: usize, most: usize) -> String {
        (0..self.between(least, most)).map(|_| self.han()).collect()
    }

    pub fn date(&mut self) -> String {
        format!("2026-{:02}-{:02}", self.between(1, 12), self.between(1, 28))
    }

    pub fn heading(&mut self) -> String {
        self.of(HEADINGS)
    }

    pub fn label(&mut self) -> String {
        self.of(LABELS)
    }

    /// A sentence of one line, as prose has it.
    pub fn sentence(&mut self) -> String {
        if self.percent(15) { self.hans(5, 12) + "。" } else { self.words(5, 11) + "." }
    }

    /// The first line of a bullet.
    pub fn bullet(&mut self) -> String {
        match self.below(12) {
            0..=2 => format!("{}: {}", self.label(), self.words(2, 6)),
            3 => format!("{}: {} {}", self.label(), self.words(1, 3), self.date()),
            4..=6 => self.words(4, 9),
            7 => self.hans(4, 9),
            8 => format!("[{}] {} #{} (said in {})", self.word(), self.words(3, 6), self.word(), self.word()),
            9 => format!(
                "{} [{}](https://example.org/{}) {}",
                self.words(1, 3),
                self.word(),
                self.word(),
                self.words(1, 3)
            ),
            10 => format!("{}_{} [[facts/{}]]", self.word(), self.word(), self.words(1, 2).replace(' ', "-")),
            _ => format!("**{}** {} `{}` {}", self.word(), self.words(2, 4), self.word(), self.words(1, 3)),
        }
    }

    /// A text of the same meaning with a word changed, added or left out.
    pub fn small_edit(&mut self, text: &str) -> String {
        loop {
            let (label, rest) = split_label(text);
            let mut words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
            let new = if words.len() < 3 && !rest.is_ascii() {
                self.edit_han(rest)
            } else {
                let plain: Vec<usize> = (0..words.len()).filter(|&i| is_plain(&words[i])).collect();
                match self.below(4) {
                    0 => words.push(format!("{} {}", self.word(), self.below(90))),
                    1 if plain.len() > 3 => drop(words.remove(plain[self.below(plain.len())])),
                    2 if !plain.is_empty() => {
                        let new = self.word();
                        words.insert(plain[self.below(plain.len())], new);
                    }
                    _ if !plain.is_empty() => words[plain[self.below(plain.len())]] = self.word(),
                    _ => words.push(self.word()),
                }
                words.join(" ")
            };
            let new = format!("{label}{new}");
            if new != text && !new.trim().is_empty() {
                return new;
            }
        }
    }

    fn edit_han(&mut self, text: &str) -> String {
        let mut letters: Vec<String> = text.chars().map(String::from).collect();
        let at = self.below(letters.len());
        match self.below(2) {
            0 => letters[at] = self.han(),
            _ => letters.push(self.han()),
        }
        letters.concat()
    }

    /// A text in other words: its label or its first words stay, and about a third of the others.
    pub fn rewrite(&mut self, text: &str) -> String {
        let (label, rest) = split_label(text);
        loop {
            let words: Vec<&str> = rest.split(' ').collect();
            let new = if words.len() < 3 && !rest.is_ascii() {
                let keep = rest.chars().count().div_ceil(2);
                rest.chars().take(keep).collect::<String>() + &self.hans(2, 4)
            } else {
                let mut new: Vec<String> = Vec::new();
                for (i, word) in words.iter().enumerate() {
                    let kept = i < 2 && label.is_empty() || !is_plain(word) || self.percent(35);
                    new.push(if kept { (*word).to_owned() } else { self.word() });
                }
                new.push(self.word());
                new.join(" ")
            };
            let new = format!("{label}{new}");
            if new != text {
                return new;
            }
        }
    }
}

/// A word that may be changed without breaking a mark.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '-')
}

/// `Label: ` and the rest.
fn split_label(text: &str) -> (&str, &str) {
    match text.find(": ") {
        Some(at) if text[..at].split(' ').count() <= 3 => text.split_at(at + 2),
        _ => ("", text),
    }
}
