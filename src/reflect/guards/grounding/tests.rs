use super::*;

fn check(text: &str, quote: &str, expected: &str) {
    let sources = GroundingSources {
        quote,
        texts: vec![quote],
        times: vec!["2026-02-24T10:00:00Z"],
        ..GroundingSources::default()
    };
    assert_eq!(ungrounded_words(text, &sources, &[]).join(", "), expected, "{text} / {quote}");
}

#[test]
fn names_numbers_and_dates_come_from_the_source() {
    check("Name: Li Si", "I'm Zhang San", "Li, Si");
    check("Name: Zhang San", "I'm Zhang San", "");
    check("Bank account: 12345", "I prefer tabs over spaces", "12345");
    check("User lives in Hamburg", "i live in hamburg", "");
    check("User lives in Hamburg since May 2025", "I live in Hamburg", "May, 2025");
    check("The project uses PostgreSQL 16", "we run postgres 16", "");
    check("The project uses MySQL 16", "we run postgres 16", "MySQL");
    check("Standup is at 15:00", "standup is at 3 pm", "");
    check("Backups are kept for 30 days", "keep backups for thirty days", "");
    check("Backups are kept for 30 weeks", "keep backups for thirty days", "weeks");
    check("The move was on 2026-02-23", "I moved yesterday", "");
    check("User has two cats", "I have 2 cats", "");
}

#[test]
fn a_negation_does_not_reach_the_reason_or_what_follows() {
    let rest = "we never restock on sundays, the drivers don't work then";
    check("The shop never restocks on Sundays because the drivers don't work", rest, "");
    check("The shop restocks on Sundays because the drivers don't work", rest, "restocks");
    let wiped = "we wipe the demo server every night so don't store anything there";
    check("The demo server is wiped every night", wiped, "");
    check("The demo server is not wiped every night", "we wipe the demo server every night", "not");
}

#[test]
fn a_part_of_a_word_is_no_name() {
    check("Ann is planning the release", "We are planning the release", "Ann");
    check("The server is in Frank", "our server is in Frankfurt", "Frank");
    check("Marketa opens at nine", "the market opens at nine", "Marketa");
    check("The backend uses JavaScript", "the backend uses Java", "JavaScript");
    check("The user's manager is Lee", "Leeann is my manager", "Lee");
    for (text, quote) in [
        ("The project uses Postgres", "the project uses PostgreSQL"),
        ("The service is written in Golang", "the service is written in go, I mean golang"),
        ("The user has a MacBook", "I have a mac book"),
        ("The user's Wi-Fi is slow", "my wifi is slow"),
        ("The README.md is short", "the readme is short, README.md I mean"),
        ("The project uses GitHub Actions", "the project uses github-actions"),
        ("团队用Redis", "我们团队用redis呢"),
        ("用户用VS Code写代码", "我用vscode写代码"),
    ] {
        check(text, quote, "");
    }
}

#[test]
fn a_bound_is_not_turned_round_and_half_an_hour_is_not_lost() {
    check("The error rate is over 2%", "We keep the error rate under 2%", ">, over");
    check("The error rate is below 2%", "We keep the error rate under 2%", "");
    check("会议在三点半", "会议在下午三点", "半");
    check("会议在下午三点", "会议在下午三点半", "点");
    check("会议在下午三点半", "会议在下午三点半", "");
}

#[test]
fn a_day_of_another_month_is_not_the_day_of_the_conversation() {
    check("The hearing is on April 24", "the hearing is on April 14", "24");
    check("开庭日期是2026年4月24日", "开庭日期是2026年4月14日", "24");
    check("User moved on 2026-02-24", "I moved, finally", "2026-02-24");
    check("As of 2026-02-24, the user lives in Cork", "I live in Cork", "");
    check("截至2026年2月，用户住在科克", "我住在科克", "");
}

#[test]
fn what_is_denied_beside_its_alternative_is_not_stated() {
    check("User's van needs petrol", "the van needs diesel, not petrol", "not");
    check("User's van needs diesel", "the van needs diesel, not petrol", "");
    check("User's van needs diesel, not petrol", "the van needs diesel, not petrol", "");
}

#[test]
fn chinese_names_and_places_come_from_the_source() {
    check("姓名：李四", "我叫张三", "李四");
    check("姓名：张三", "我叫张三", "");
    check("用户住在柏林", "我住在汉堡", "柏林");
    check("用户住在汉堡", "我住在汉堡", "");
    check("用户使用MySQL", "我们用 PostgreSQL", "MySQL");
}

#[test]
fn a_negation_is_neither_added_nor_dropped() {
    check("User is not allergic to peanuts", "I'm allergic to peanuts", "not");
    check("User is allergic to peanuts", "I'm not allergic to peanuts", "not");
    check("User lives in Rome", "I don't live in Paris anymore, I live in Rome", "");
    check("The project does without Redis", "we took Redis out", "");
    check("用户不喝咖啡", "我喝咖啡", "not");
    check("用户喝咖啡", "我不喝咖啡", "not");
}

#[test]
fn a_comparison_keeps_its_order() {
    check("User prefers tabs over spaces", "I prefer spaces over tabs", "order");
    check("User prefers tabs over spaces", "I prefer tabs over spaces", "");
}

#[test]
fn alternatives_possibilities_and_roles_stay_what_they_were() {
    check("Backups run daily", "backups run weekly", "daily");
    check("Backups run weekly", "backups run every week", "");
    check("The build needs at most 8 GB", "the build needs at least 8 GB", "at most");
    check("User's sister is a nurse", "my brother is a nurse", "sister");
    check("每天备份", "每周备份一次", "每天");
    check("每月付90美元", "我们每月付 90 欧元", "美元");
    check("The project moved to Kubernetes", "we might move to Kubernetes", "maybe");
    check("User considers Kubernetes", "we might move to Kubernetes", "");
    check("User prefers planes to trains", "I prefer trains to planes", "order");
    check("用户喜欢飞机胜过火车", "我喜欢火车胜过飞机", "order");
    check("Lena reviews Ivo's code", "Ivo reviews Lena's code", "order");
    check("Lena's code is reviewed by Ivo", "Ivo reviews Lena's code", "");
}

#[test]
fn an_assistant_that_repeats_a_tool_is_recognised() {
    let tool = ["deploy_target: eu-west-1\nreplicas: 3"];
    let repeats = |quote: &str, user: &str| repeats_tool_output(quote, tool.into_iter(), [user].into_iter());
    assert!(repeats("The deploy target is eu-west-1", "where does it deploy?"));
    assert!(!repeats("The deploy target is eu-west-1", "our deploy target is eu-west-1"));
    assert!(!repeats("The build runs on Bun", "hello"));
}
