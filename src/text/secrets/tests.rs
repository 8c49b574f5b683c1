use proptest::prelude::*;

use super::*;

fn check(before: &str, after: &str) {
    let before = before.replace('¦', "");
    assert_eq!(redact(&before).0, after, "{before}");
}

#[test]
fn only_the_secret_goes() {
    check("the token is ghp_¦A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8.", "the token is [redacted].");
    check("postgres://ines:t1de@db:5432/tides", "postgres://ines:[redacted]@db:5432/tides");
    check("DB_PASSWORD=s3cr3tTide99 make", "DB_PASSWORD=[redacted] make");
    check("密码是Taihu#1987，勿外传", "密码是[redacted]，勿外传");
    check("{\"password\": \"hunter2\", \"user\": \"bo\"}", "{\"password\": \"[redacted]\", \"user\": \"bo\"}");
    check("card 4111 1111 1111 1111, exp 12/29", "card [redacted], exp 12/29");
    check("b\n\nMIIEow\r\nq+3/x=\r\n-----END ¦RSA PRIVATE KEY-----\nc", "b\n\n[redacted]\nc");
    // A key that a diff removes.
    check("------BEGIN ¦PRIVATE KEY-----\n-abc\n------END ¦PRIVATE KEY-----", "-[redacted]");
    check("It ends in `-----END ¦PRIVATE KEY-----`.", "It ends in `-----END PRIVATE KEY-----`.");
    check("a -----BEGIN ¦OPENSSH PRIVATE KEY-----\nabc\n-----END ¦OPENSSH PRIVATE KEY----- b", "a [redacted] b");
    check("--set=password=password='correct horse Battery9' now", "--set=password=[redacted]' now");
    check(&format!("I like {}", "password=".repeat(5000)), "I like password=[redacted]");
    check("Authorization: Bearer Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA", "Authorization: Bearer [redacted]");
}

#[test]
fn what_only_looks_like_one_stays() {
    for text in [
        "commit 3f2a9c1d4e5b6a7f8091a2b3c4d5e6f708192a3b",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "the token budget is 4000 a day",
        "order 4111 1111 1111 1112",
        "password: <redacted> and pass=$PASS",
        "src/text/secrets/assigned.rs:120",
        "",
    ] {
        assert_eq!(redact(text), (text.to_owned(), 0), "{text}");
    }
}

/// Made up from the formats, never issued; `¦` keeps them from looking real to other tools.
#[test]
fn keys_of_every_listed_format_are_found() {
    let mut missed = Vec::new();
    let mut count = 0;
    for line in known_formats::PREFIXES {
        let words: Vec<&str> = line.split(' ').collect();
        let length: usize = words[1].parse().unwrap();
        let letters = if words[2] == "hex" { "0a1b2c3d4e5f6789" } else { "a1B2c3D4e5F6g7H8j9K0" };
        let rest: String = letters.chars().cycle().take(length).collect();
        count += 1;
        let text = format!("the value {}{rest} was used", words[0]);
        if redact(&text).0 != "the value [redacted] was used" {
            missed.push(text);
        }
    }
    assert!(count >= 110 && missed.is_empty(), "{count} {missed:#?}");
}

#[test]
fn forms_without_a_prefix_are_found() {
    check("Authorization: Bearer abcDEF123", "Authorization: Bearer [redacted]");
    check("curl -H 'Authorization: token 0a1b2c3d4e5f'", "curl -H 'Authorization: token [redacted]'");
    check("The password of the staging database is Taihu1987", "The password of the staging database is [redacted]");
    check("The passphrase for the backup disk is korb-7-Anker", "The passphrase for the backup disk is [redacted]");
    check("测试数据库的密码是Taihu1987", "测试数据库的密码是[redacted]");
    let azure = "a1B2c3D4e5F6g7H8j9K0".repeat(4);
    check(&format!("AccountName=acme;AccountKey={azure}=="), "AccountName=acme;AccountKey=[redacted]");
    check("0a1b2c3d4e5f60718293a4b5c6d7e8f9¦-us12", "[redacted]");
    check("key-¦0a1b2c3d4e5f60718293a4b5c6d7e8f9", "[redacted]");
    let tail = "a1B2c3D4e5F6g7H8j9K0".repeat(3);
    check(&format!("a1B2c3D4e5F6g7.atlasv1.{tail}"), "[redacted]");
    check(&format!("patA1b2C3d4E5f6G7.{}", "0a1b2c3d4e5f6789".repeat(4)), "[redacted]");
    check("MTA4c3D4e5F6g7H8j9K0a1B2c3.Gh3kLm.a1B2c3D4e5F6g7H8j9K0a1B2c3D4", "[redacted]");
}

#[test]
fn what_stands_behind_a_header_or_in_a_signed_address_is_found() {
    let random = "a1B2c3D4e5F6g7H8j9K0";
    check(&format!("Cookie: theme=dark; session={random}{random}"), "Cookie: theme=dark; session=[redacted]");
    check("set-cookie: sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9; Path=/", "set-cookie: sid=[redacted]; Path=/");
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    check(&format!("X-Postmark-Server-Token: {uuid}"), "X-Postmark-Server-Token: [redacted]");
    let signed = format!("?sv=2022-11-02&sp=r&sig={random}{random}a1B%3D");
    check(&signed, "?sv=2022-11-02&sp=r&sig=[redacted]");
    check(&format!("ngrok authtoken 2a{random}a1B2c3_{random}"), "ngrok authtoken [redacted]");
    for text in [
        "Cookie: theme=dark; lang=de-DE; consent=2026-11-24",
        "Cookie: the banner=is shown once to each visitor",
        "The header X-Postmark-Server-Token is required",
        "sig=detached, and sv=2022-11-02 names the version",
        "run ngrok authtoken first",
        "napi_create_external_arraybuffer_from_node_version_2 is slow",
        "fw_update_service_2024_final_build is installed",
        "fw_UpdateServiceForLegacyBoards",
        "pa-europe-west-2-production-cluster-with-a-long-name-2026",
        "1//0 is a division by zero",
        "jina_embeddings_v3 and cal_live_mode are settings",
    ] {
        assert_eq!(redact(text), (text.to_owned(), 0), "{text}");
    }
}

#[test]
fn look_alikes_of_the_new_forms_stay() {
    for text in [
        "key-value stores are used",
        "the password of the router is kept in 1Password",
        "the password for the archive was changed on Monday",
        "Authorization: Bearer <token>",
        "Authorization: Bearer authentication is required",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2v0dVn9m1c3bX5rQ8yT6uZ4wE7sK1pL0oN9aB2cD3e ana@desk",
        "pk_live_51H8xAbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "re_read the file and rnd_seed stays",
        "SKU 12345 and sk_ are no keys",
        "the tests cover patterns-for-glob-expansion",
    ] {
        assert_eq!(redact(text), (text.to_owned(), 0), "{text}");
    }
}

#[test]
fn the_kind_is_reported_and_the_secret_never() {
    let found = find_secrets("password: hunter2");
    assert_eq!(found.len(), 1);
    assert!(!found[0].kind.contains("hunter2"));
}

/// A secret, and the text that usually precedes it.
fn secret() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        "[A-Za-z0-9]{36}".prop_map(|s| (format!("ghp_{s}"), String::new())),
        "[A-Za-z0-9]{20}[A-Z][0-9]{2}".prop_map(|s| (format!("sk-ant-api03-{s}"), String::new())),
        "[A-Z0-9]{16}".prop_map(|s| (format!("AKIA{s}"), String::new())),
        "[a-z]{3,8}[0-9]{1,4}[!#%+]?[A-Z]{1,4}".prop_map(|s| (s, "password: ".into())),
        "[a-z]{3,8}[0-9]{1,4}[A-Z]{1,4}".prop_map(|s| (s, "密码是".into())),
        "[a-zA-Z0-9]{4,20}[0-9]".prop_map(|s| (s, "DB_PASSWORD=".into())),
    ]
}

#[test]
fn a_pin_of_metadata_stays_and_a_pin_of_a_person_goes() {
    let check = |before: &str, after: &str| assert_eq!(redact(before).0, after);
    let pinned = "- Likes tea\n  <!-- mem pin=yes added=2025-01-02 -->\n";
    check(pinned, pinned);
    check(&format!("{pinned}- My pin=4821\n"), &format!("{pinned}- My pin=[redacted]\n"));
    check("<!-- mem pin=4821 -->", "<!-- mem pin=[redacted] -->");
}

proptest! {
    #[test]
    fn redacting_is_done_in_one_go_and_never_panics(text in "\\PC{0,200}") {
        let (once, _) = redact(&text);
        let (twice, more) = redact(&once);
        prop_assert_eq!(&once, &twice);
        prop_assert_eq!(more, 0);
    }

    #[test]
    fn texts_of_key_like_pieces_settle(pieces in prop::collection::vec(prop_oneof![
        Just("password".to_owned()), Just(": ".into()), Just("=".into()), Just(" is ".into()), Just("密码".into()),
        Just("是".into()), Just("token".into()), Just("://".into()), Just("@".into()), Just("\"".into()), Just("'".into()),
        Just("Bearer ".into()), Just("-----BEGIN PRIVATE KEY-----".into()), Just("[redacted]".into()), Just("eyJ".into()),
        "[A-Za-z0-9]{1,40}", "[0-9 -]{1,20}", "\\PC{1,3}",
    ], 0..14)) {
        let text = pieces.concat();
        let (once, _) = redact(&text);
        prop_assert_eq!(redact(&once), (once.clone(), 0), "{}", text);
    }

    #[test]
    fn no_secret_is_left(before in "[a-z ]{0,20}", (secret, lead) in secret(), after in "[a-z ]{0,20}") {
        let text = format!("{before} {lead}{secret} {after}");
        let (out, count) = redact(&text);
        prop_assert!(count > 0 && !out.contains(&secret), "{} -> {}", text, out);
    }
}
