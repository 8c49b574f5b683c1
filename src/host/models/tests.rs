use super::*;

fn select(names: &[&str; 2], yaml: &str, env: &[(&str, &str)]) -> Result<ModelSelection, Rejection> {
    let word = |w: &str| Some(w.to_owned()).filter(|w| !w.is_empty());
    let flags = ModelQuery { provider: word(names[0]), model: word(names[1]), ..ModelQuery::default() };
    let (config, warnings) = crate::host::config::parse(yaml);
    assert_eq!(warnings, [], "{yaml}");
    select_model(&flags, &config, &|name| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
}

/// Checks provider, model, base URL and the source of the key.
fn check(flags: &[&str; 2], yaml: &str, env: &[(&str, &str)], expected: [&str; 4]) {
    let selection = select(flags, yaml, env).unwrap();
    let shown = [selection.provider, selection.model.as_deref().unwrap_or("?"), &selection.base_url];
    assert_eq!(shown, expected[..3]);
    assert_eq!(selection.key.description().unwrap_or_default(), expected[3]);
}

fn refusal(flags: &[&str; 2], yaml: &str, env: &[(&str, &str)]) -> (Code, String) {
    let rejection = select(flags, yaml, env).unwrap_err();
    assert!(rejection.hint.is_some());
    (rejection.code, rejection.message)
}

const NO_FLAGS: [&str; 2] = ["", ""];

#[test]
fn flags_win_over_memdirs_variables_over_the_config_over_the_usual_variables() {
    let usual = [("ANTHROPIC_API_KEY", "k")];
    let yaml = "model: {provider: vllm, name: small}";
    let own = [("MEMDIR_PROVIDER", "lmstudio"), ("MEMDIR_MODEL", "mine"), usual[0]];
    check(&["", "claude-x"], "", &usual, ["anthropic", "claude-x", "https://api.anthropic.com", "ANTHROPIC_API_KEY"]);
    check(&NO_FLAGS, yaml, &usual, ["vllm", "small", "http://127.0.0.1:8000/v1", ""]);
    check(&NO_FLAGS, yaml, &own, ["lmstudio", "mine", "http://127.0.0.1:1234/v1", ""]);
    check(&["llamacpp", "big"], yaml, &own, ["llamacpp", "big", "http://127.0.0.1:8080/v1", ""]);
}

#[test]
fn what_is_configured_for_one_provider_goes_to_no_other() {
    let yaml = "model: {provider: openai, name: m, base_url: 'https://mine.example/v1', key_file: /k, timeout_s: 2}";
    check(&NO_FLAGS, yaml, &[], ["openai", "m", "https://mine.example/v1", "file /k"]);
    check(&["ollama", ""], yaml, &[], ["ollama", "?", "http://127.0.0.1:11434/v1", ""]);
    assert_eq!(select(&["ollama", ""], yaml, &[]).unwrap().timeout, Duration::from_secs(2));
}

#[test]
fn of_several_keys_the_models_name_decides_then_the_order() {
    let env = [("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"), ("GEMINI_API_KEY", "g")];
    for (model, provider) in [("claude-x", "anthropic"), ("gpt-x", "openai"), ("gemini-x", "gemini"), ("x", "openai")] {
        assert_eq!(select(&["", model], "", &env).unwrap().provider, provider);
    }
}

#[test]
fn a_config_without_a_provider_means_the_one_it_describes() {
    check(&NO_FLAGS, "model: {command: [agent, -p]}", &[], ["exec", "?", "", ""]);
    check(&NO_FLAGS, "model: {base_url: 'http://h:1/'}", &[], ["openai", "?", "http://h:1", ""]);
    let env = [("OPENAI_API_KEY", "k")];
    check(&NO_FLAGS, "model: {name: m}", &env, ["openai", "m", "https://api.openai.com/v1", "OPENAI_API_KEY"]);
}

#[test]
fn ollama_host_is_read_as_ollama_does() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:5", "http://127.0.0.1:5/v1"),
        (":7", "http://127.0.0.1:7/v1"),
        ("https://box", "https://box:443/v1"),
        ("http://box:9/", "http://box:9/v1"),
        ("http://box/ollama/v1", "http://box:80/ollama/v1"),
    ] {
        check(&NO_FLAGS, "", &[("OLLAMA_HOST", host)], ["ollama", "?", url, ""]);
    }
}

#[test]
fn a_missing_setting_is_named() {
    assert_eq!(refusal(&NO_FLAGS, "", &[]), (Code::NoModel, "no model is configured".into()));
    assert_eq!(refusal(&["openai", "m"], "", &[]), (Code::NoModel, "openai needs an API key".into()));
    let key = [("OPENAI_API_KEY", "k")];
    assert_eq!(refusal(&NO_FLAGS, "", &key), (Code::NoModel, "openai needs a model name".into()));
    assert_eq!(refusal(&["exec", ""], "", &[]), (Code::NoModel, "exec needs a program".into()));
    assert_eq!(refusal(&["opnai", ""], "", &[]).0, Code::Usage);
    // An empty variable counts as unset.
    assert_eq!(refusal(&NO_FLAGS, "", &[("OPENAI_API_KEY", " ")]).1, "no model is configured");
    let nested = refusal(&["ollama", ""], "", &[(NESTED_CALL_VARIABLE, "1")]);
    assert_eq!(nested, (Code::NoModel, "memdir was called by a model program that memdir itself started".into()));
}

#[test]
fn a_configured_program_can_be_selected() {
    let yaml = "model: {provider: ollama, name: tiny, command: [agent]}";
    let exec = select(&["exec", ""], yaml, &[]).unwrap();
    assert_eq!((exec.command, exec.model), (vec!["agent".to_owned()], None));
    assert_eq!(select(&NO_FLAGS, yaml, &[]).unwrap().command, [""; 0]);
}

#[test]
fn a_base_url_is_http_or_https() {
    for bad in ["localhost:8080", "ftp://h/v1", "http://", "/v1"] {
        let (code, message) = refusal(&NO_FLAGS, &format!("model: {{provider: vllm, base_url: '{bad}'}}"), &[]);
        assert_eq!(
            (code, message.as_str()),
            (Code::NoModel, "the base URL of vllm is invalid: it must start with http:// or https://")
        );
    }
    // The provider's own host needs a key, however its address is written.
    let home = "model: {provider: openai, name: m, base_url: 'https://api.openai.com/'}";
    assert_eq!(refusal(&NO_FLAGS, home, &[]).1, "openai needs an API key");
}

#[test]
fn a_key_is_not_shown() {
    let selection = select(&["", "gpt-x"], "", &[("OPENAI_API_KEY", "sk-secret")]).unwrap();
    assert!(!format!("{selection:?}").contains("secret"));
}
