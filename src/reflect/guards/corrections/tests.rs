//! Corrections within a turn and of earlier turns, before → after.

use super::*;

/// What a turn says once what it takes back is replaced.
fn corrected(turn: &str) -> String {
    corrections_within(turn).iter().fold(turn.to_owned(), |text, correction| correction.apply(&text))
}

#[test]
fn what_a_turn_takes_back_gives_way_to_what_it_says_instead() {
    for (before, after) in [
        ("lunch is at 12. no wait, 1, the room was taken", "lunch is at 1, the room was taken"),
        ("we have 14 nodes, sorry, 12 nodes", "we have 12 nodes"),
        ("the demo is on Tuesday - actually it's on Wednesday - in Hall 2", "the demo is on Wednesday - in Hall 2"),
        ("we deploy to Frankfurt. scratch that, Dublin", "we deploy to Dublin"),
        ("my terminal theme is dark, no wait, light", "my terminal theme is light"),
        ("发布放在周三，不对，周四", "发布放在周四"),
        ("机房在三楼，说错了，应该是五楼", "机房在五楼"),
        ("我家在上海，哦不，杭州", "我家在杭州"),
        ("the course was moved from 9 to 11", "the course was moved to 11"),
        ("例会从周二改到周五", "例会改到周五"),
    ] {
        assert_eq!(corrected(before), after, "{before}");
    }
}

#[test]
fn what_is_no_correction_stays() {
    for turn in [
        "we have 2 cats, actually 3 dogs too",
        "sorry, I have 3 questions",
        "we use npm. sorry, the frontend is on pnpm",
        "I drive from Berlin to Hamburg every Friday",
        "no wait times before 9, please",
        "这样不对，应该先编译再测试",
    ] {
        assert_eq!(corrected(turn), turn);
    }
}

#[test]
fn a_later_turn_corrects_an_earlier_one() {
    for (earlier, later, after) in [
        ("we run Debian 11, can I upgrade?", "sorry, 12, I checked", "we run Debian 12, can I upgrade?"),
        ("the trip is in June", "it's in July, not June", "the trip is in July"),
        ("we have 30 seats", "I said 30 but it's 40", "we have 40 seats"),
        ("the standup is at 9", "actually the standup is at 10 now", "the standup is at 10"),
        ("服务器有16台", "说错了，是12台", "服务器有12台"),
        ("我住在苏州", "更正一下，是无锡不是苏州", "我住在无锡"),
        ("the tent cost 310", "hang on, just found the bill: 340. and the stove?", "the tent cost 340"),
        ("the tent cost 310", "just checked the poles, 2 are bent", "the tent cost 310"),
        ("押金是2000", "刚问了房东，说是2600，那合同怎么改", "押金是2600"),
        ("the standup is at 9", "sorry, 3 more questions", "the standup is at 9"),
        ("the standup is at 9", "thanks! we also need 4 rooms", "the standup is at 9"),
    ] {
        let found = correction_of(earlier, later);
        assert_eq!(found.map_or(earlier.to_owned(), |found| found.apply(earlier)), after, "{earlier} / {later}");
    }
}
