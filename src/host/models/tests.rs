use super::*;

fn chosen(asked: &[&str; 2], yaml: &str, env: &[(&str, &str)]) -> Result<Chosen, Rejection> {
    let word = |w: &str| Some(w.to_owned()).filter(|w| !w.is_empty());
    let asked = Asked { provider: word(asked[0]), model: word(asked[1]), timeout: None };
    let (config, warnings) = crate::host::config::load(yaml);
    assert_eq!(warnings, [], "{yaml}");
    choose(&asked, &config, &|name| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
}

/// Provider, model, address, where the key comes from.
fn check(asked: &[&str; 2], yaml: &str, env: &[(&str, &str)], expected: [&str; 4]) {
    let chosen = chosen(asked, yaml, env).unwrap();
    let shown = [chosen.provider, chosen.model.as_deref().unwrap_or("?"), &chosen.base_url];
    assert_eq!(shown, expected[..3]);
    assert_eq!(chosen.key.shown().unwrap_or_default(), expected[3]);
}

fn refused(asked: &[&str; 2], yaml: &str, env: &[(&str, &str)]) -> (Code, String) {
    let rejection = chosen(asked, yaml, env).unwrap_err();
    assert!(rejection.hint.is_some());
    (rejection.code, rejection.message)
}

const NOBODY: [&str; 2] = ["", ""];

#[test]
fn flags_win_over_memdirs_variables_over_the_config_over_the_usual_variables() {
    let usual = [("ANTHROPIC_API_KEY", "k")];
    let yaml = "model: {provider: vllm, name: small}";
    let own = [("MEMDIR_PROVIDER", "lmstudio"), ("MEMDIR_MODEL", "mine"), usual[0]];
    check(&["", "claude-x"], "", &usual, ["anthropic", "claude-x", "https://api.anthropic.com", "ANTHROPIC_API_KEY"]);
    check(&NOBODY, yaml, &usual, ["vllm", "small", "http://127.0.0.1:8000/v1", ""]);
    check(&NOBODY, yaml, &own, ["lmstudio", "mine", "http://127.0.0.1:1234/v1", ""]);
    check(&["llamacpp", "big"], yaml, &own, ["llamacpp", "big", "http://127.0.0.1:8080/v1", ""]);
}

#[test]
fn what_is_configured_for_one_provider_goes_to_no_other() {
    let yaml = "model: {provider: openai, name: m, base_url: 'https://mine.example/v1', key_file: /k, timeout_s: 2}";
    check(&NOBODY, yaml, &[], ["openai", "m", "https://mine.example/v1", "file /k"]);
    check(&["ollama", ""], yaml, &[], ["ollama", "?", "http://127.0.0.1:11434/v1", ""]);
    assert_eq!(chosen(&["ollama", ""], yaml, &[]).unwrap().timeout, Duration::from_secs(2));
}

#[test]
fn of_several_keys_the_models_name_decides_then_the_order() {
    let env = [("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"), ("GEMINI_API_KEY", "g")];
    for (model, provider) in [("claude-x", "anthropic"), ("gpt-x", "openai"), ("gemini-x", "gemini"), ("x", "openai")] {
        assert_eq!(chosen(&["", model], "", &env).unwrap().provider, provider);
    }
}

#[test]
fn a_config_without_a_provider_means_the_one_it_describes() {
    check(&NOBODY, "model: {command: [agent, -p]}", &[], ["exec", "?", "", ""]);
    check(&NOBODY, "model: {base_url: 'http://h:1/'}", &[], ["openai", "?", "http://h:1", ""]);
    let env = [("OPENAI_API_KEY", "k")];
    check(&NOBODY, "model: {name: m}", &env, ["openai", "m", "https://api.openai.com/v1", "OPENAI_API_KEY"]);
}

#[test]
fn ollama_listens_where_ollama_says() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:5", "http://127.0.0.1:5/v1"),
        (":7", "http://127.0.0.1:7/v1"),
        ("https://box", "https://box:443/v1"),
        ("http://box:9/", "http://box:9/v1"),
        ("http://box/ollama/v1", "http://box:80/ollama/v1"),
    ] {
        check(&NOBODY, "", &[("OLLAMA_HOST", host)], ["ollama", "?", url, ""]);
    }
}

#[test]
fn what_is_missing_is_said() {
    assert_eq!(refused(&NOBODY, "", &[]), (Code::NoModel, "no model is configured".into()));
    assert_eq!(refused(&["openai", "m"], "", &[]), (Code::NoModel, "openai needs a key".into()));
    let key = [("OPENAI_API_KEY", "k")];
    assert_eq!(refused(&NOBODY, "", &key), (Code::NoModel, "openai needs a model's name".into()));
    assert_eq!(refused(&["exec", ""], "", &[]), (Code::NoModel, "exec needs a program".into()));
    assert_eq!(refused(&["opnai", ""], "", &[]).0, Code::Usage);
    // An empty variable is not set.
    assert_eq!(refused(&NOBODY, "", &[("OPENAI_API_KEY", " ")]).1, "no model is configured");
    let inside = refused(&["ollama", ""], "", &[(INSIDE, "1")]);
    assert_eq!(inside, (Code::NoModel, "memdir was called by a program that memdir itself asked".into()));
}

#[test]
fn a_program_that_is_configured_can_be_asked_for() {
    let yaml = "model: {provider: ollama, name: tiny, command: [agent]}";
    let exec = chosen(&["exec", ""], yaml, &[]).unwrap();
    assert_eq!((exec.command, exec.model), (vec!["agent".to_owned()], None));
    assert_eq!(chosen(&NOBODY, yaml, &[]).unwrap().command, [""; 0]);
}

#[test]
fn an_address_is_one_of_the_web() {
    for bad in ["localhost:8080", "ftp://h/v1", "http://", "/v1"] {
        let (code, message) = refused(&NOBODY, &format!("model: {{provider: vllm, base_url: '{bad}'}}"), &[]);
        assert_eq!(
            (code, message.as_str()),
            (Code::NoModel, "the address of vllm is none: it starts with http:// or https://")
        );
    }
    // The vendor's own host wants a key, however its address is written.
    let home = "model: {provider: openai, name: m, base_url: 'https://api.openai.com/'}";
    assert_eq!(refused(&NOBODY, home, &[]).1, "openai needs a key");
}

#[test]
fn a_key_is_not_shown() {
    let chosen = chosen(&["", "gpt-x"], "", &[("OPENAI_API_KEY", "sk-secret")]).unwrap();
    assert!(!format!("{chosen:?}").contains("secret"));
}
