//! The table as a whole: every name finds its row, and no row hides another.

extern crate std;

use std::collections::BTreeMap;
use std::vec::Vec;

use super::{Family, Match, families, family};

/// A model name, as served, and its family.
const MODELS: &[(&str, &str)] = &[
    ("qwen3", "qwen3"),
    ("Qwen/Qwen3-32B", "qwen3"),
    ("qwen3:14b-q4_K_M", "qwen3"),
    ("Qwen/Qwen3-235B-A22B-Thinking-2507", "qwen3"),
    ("qwen3-next-80b", "qwen3"),
    ("Qwen-Max", "qwen3"),
    ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-coder"),
    ("Qwen/Qwen3.5-9B", "qwen3-coder"),
    ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5"),
    ("Qwen/QwQ-32B", "qwen2.5"),
    ("Qwen/Qwen2.5-Coder-0.5B-Instruct", "qwen2.5-coder"),
    ("qwen2.5-coder:7b", "qwen2.5-coder"),
    ("deepseek-ai/DeepSeek-V4", "deepseek-v4"),
    ("deepseek-v4", "deepseek-v4"),
    ("deepseek-ai/DeepSeek-V4-Flash", "deepseek-v4"),
    ("deepseek-chat", "deepseek-v4"),
    ("deepseek-ai/DeepSeek-V4.1-Flash", "deepseek-v4.1"),
    ("deepseek-ai/DeepSeek-V3.2", "deepseek-v3.2"),
    ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.1"),
    ("deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1"),
    ("deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"),
    ("deepseek-ai/DeepSeek-R1-0528", "deepseek-v3"),
    ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek-v3"),
    ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
    ("NousResearch/Hermes-2-Pro-Mistral-7B", "hermes"),
    ("NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO", "hermes"),
    ("NousResearch/Nous-Hermes-2-Mistral-7B-DPO", "hermes"),
    ("ServiceNow-AI/Apriel-Nemotron-15b-Thinker", "apriel"),
    ("hermes3:8b", "hermes"),
    ("meta-llama/Llama-3.3-70B-Instruct", "llama-3"),
    ("llama3.1:8b", "llama-3"),
    ("meta-llama/Llama-3.2-1B-Instruct", "llama-4"),
    ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4"),
    ("Team-ACE/ToolACE-2-Llama-3.1-8B", "llama-4"),
    ("mistralai/Mistral-7B-Instruct-v0.3", "mistral-v3"),
    ("mistralai/Mistral-Nemo-Instruct-2407", "mistral-v3"),
    ("mistralai/Mixtral-8x22B-Instruct-v0.1", "mistral-v3"),
    ("mistralai/Mistral-Large-Instruct-2411", "mistral"),
    ("mistral-large-2411", "mistral-v3"),
    ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral"),
    ("mistralai/Devstral-Small-2507", "mistral"),
    ("zai-org/GLM-4.6", "glm-4.5"),
    ("zai-org/glm-4.7-flash", "glm-4.7"),
    ("zai-glm-5-2", "glm-4.7"),
    ("moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"),
    ("moonshotai/Kimi-K2.6", "kimi-k2"),
    ("moonshotai/Kimi-K3", "kimi-k3"),
    ("MiniMaxAI/MiniMax-M1-80k", "minimax-m1"),
    ("MiniMaxAI/MiniMax-M2.1", "minimax-m2"),
    ("MiniMaxAI/MiniMax-M3", "minimax-m3"),
    ("gpt-oss:120b", "gpt-oss"),
    ("openai/gpt-oss-20b", "gpt-oss"),
    ("google/gemma-4-31B-it", "gemma-4"),
    ("google/functiongemma-270m-it", "functiongemma"),
    ("google/gemma-3-27b-it", "gemma-3"),
    ("CohereLabs/c4ai-command-r7b-12-2024", "command"),
    ("command-a-03-2025", "command"),
    ("CohereForAI/c4ai-command-r-plus", "command-r"),
    ("internlm/internlm2_5-7b-chat", "internlm2"),
    ("internlm/Intern-S1", "intern-s1"),
    ("ibm-granite/granite-4.0-h-small", "granite-4"),
    ("ibm-granite/granite-3.3-8b-instruct", "granite-3"),
    ("ibm-granite/granite-20b-functioncalling", "granite-20b"),
    ("microsoft/Phi-4-mini-instruct", "phi-4"),
    ("fireworks-ai/llama-3-firefunction-v2", "firefunction"),
    ("meetkai/functionary-medium-v3.1", "functionary-v3.1"),
    ("meetkai/functionary-medium-v3.2", "functionary-v3.2"),
    ("Salesforce/Llama-xLAM-2-8b-fc-r", "xlam"),
    ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-3"),
    ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron"),
    ("nvidia/Llama-3_1-Nemotron-Ultra-253B-v1", "nemotron"),
    ("HuggingFaceTB/SmolLM3-3B", "smollm3"),
    ("LGAI-EXAONE/EXAONE-4.0-32B", "exaone-4"),
    ("baidu/ERNIE-4.5-21B-A3B-Thinking", "ernie-4.5"),
    ("meituan-longcat/LongCat-Flash-Chat", "longcat"),
    ("ai21labs/AI21-Jamba-Mini-1.6", "jamba"),
    ("tencent/Hunyuan-A13B-Instruct", "hunyuan-a13b"),
    ("tencent/Hy3-preview", "hy3"),
    ("ServiceNow-AI/Apriel-1.6-15b-Thinker", "apriel"),
    ("swiss-ai/Apertus-8B-Instruct-2509", "apertus"),
    ("ByteDance-Seed/Seed-OSS-36B-Instruct", "seed-oss"),
    ("XiaomiMiMo/MiMo-V2-Flash", "mimo"),
    ("XiaomiMiMo/MiMo-VL-7B-RL", "mimo-vl"),
    ("stepfun-ai/Step-3.5-Flash", "step-3.5"),
    ("stepfun-ai/step3", "step3"),
    ("Nanbeige/Nanbeige4-3B", "nanbeige"),
    ("inclusionAI/Ling-3.0-flash", "ling-3"),
    ("poolside/Laguna-XS.2", "laguna"),
    ("allenai/Olmo-3-7B-Instruct", "olmo-3"),
    ("LiquidAI/LFM2.5-8B-A1B", "lfm2"),
    ("ai-sage/GigaChat3.1-10B-A1.8B", "gigachat-3"),
    ("openbmb/MiniCPM5-1B", "minicpm5"),
    ("upstage/Solar-Open-100B", "solar-open"),
    ("thinkingmachines/Inkling-Chat", "inkling"),
    ("meta-models/muse-glimmer", "muse"),
    ("rednote-hilab/dots.llm2.inst", "dots"),
    ("claude-sonnet-4-5", "claude"),
];

#[test]
fn models() {
    for (model, name) in MODELS {
        assert_eq!(family(model).family().map(|f| f.name), Some(*name), "{model}");
    }
}

#[test]
fn every_family_has_a_model() {
    for row in families() {
        assert!(MODELS.iter().any(|(_, name)| *name == row.name), "{}", row.name);
    }
}

#[test]
fn how_a_name_matches() {
    let row = |name: &str| families().iter().find(|f| f.name == name).unwrap();
    let cases = [
        ("", Match::Empty),
        (" \t", Match::Empty),
        ("default", Match::Unknown),
        ("gpt-4o", Match::Unknown),
        ("DeepSeek-Chat", Match::Exact(row("deepseek-v4"))),
        (" qwen-max ", Match::Exact(row("qwen3"))),
        ("qwen-max-latest-qwen3", Match::Substring(row("qwen3"))),
        ("QWEN3", Match::Exact(row("qwen3"))),
        ("qwen3-32b", Match::Substring(row("qwen3"))),
        ("私の-Qwen3-模型", Match::Substring(row("qwen3"))),
    ];
    for (model, expected) in cases {
        assert_eq!(family(model), expected, "{model:?}");
    }
    assert_eq!(Match::Unknown.marks(), &[] as &[&str]);
}

#[test]
fn every_row_is_well_formed() {
    for Family { name, title, marks, exact, patterns, .. } in families() {
        assert!(!title.is_empty() && !marks.is_empty() && !patterns.is_empty(), "{name}");
        assert!(marks.iter().all(|mark| !mark.trim().is_empty()), "{name}: a mark is blank");
        let mut unique: Vec<_> = marks.iter().collect();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), marks.len(), "{name}: a mark stands twice");
        for word in exact.iter().chain(*patterns).chain([name]) {
            assert!(!word.trim().is_empty() && *word == word.to_ascii_lowercase(), "{name}: {word}");
        }
    }
}

#[test]
fn no_name_belongs_to_two_families() {
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for row in families() {
        assert_eq!(owners.insert(row.name, row.name), None, "{}", row.name);
    }
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for row in families() {
        for word in row.exact.iter().chain(row.patterns) {
            assert_eq!(owners.insert(word, row.name), None, "{word}");
        }
    }
}

/// Every pattern wins its own name. One that holds another of its own row is dead, unless the pattern of
/// another row stands between the two and would win the name.
#[test]
fn no_pattern_is_dead_or_shadowed() {
    let all: Vec<(&Family, &str)> =
        families().iter().flat_map(|row| row.patterns.iter().map(move |p| (row, *p))).collect();
    for (row, pattern) in &all {
        assert_eq!(family(pattern).family().map(|f| f.name), Some(row.name), "{pattern} is shadowed");
        for (_, shorter) in all.iter().filter(|(r, s)| r == row && s != pattern && pattern.contains(s)) {
            let rival = |(r, between): &(&Family, &str)| {
                r != row && between.len() >= shorter.len() && between.len() <= pattern.len()
            };
            assert!(all.iter().any(rival), "{pattern} is dead: {shorter} says the same");
        }
    }
}
