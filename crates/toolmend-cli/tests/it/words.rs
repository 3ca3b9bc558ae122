//! `explain`, `rules`, `models`, and what is said about the command line.

use crate::toolmend;

#[test]
fn every_rule_that_is_listed_is_explained() {
    let rules = toolmend(&["rules"], "");
    assert_eq!(rules.code, Some(0));
    let names: Vec<&str> = rules
        .out
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.contains(&"trailing-comma"));
    for name in names {
        let page = toolmend(&["explain", name], "");
        assert_eq!((page.code, page.err.as_str()), (Some(0), ""));
        assert!(page.out.starts_with(&format!("{name}: grade ")));
        for heading in ["Before", "After:", "Why it is safe:", "Where it would be wrong"] {
            assert!(page.out.lines().any(|line| line.starts_with(heading)), "{name}: {heading}");
        }
    }
}

#[test]
fn families_are_listed_with_their_marks() {
    let models = toolmend(&["models"], "");
    assert_eq!(models.code, Some(0));
    for word in ["qwen3", "deepseek", "<｜tool▁call▁arguments▁begin｜>"] {
        assert!(models.out.contains(word), "{word}");
    }
}

#[test]
fn a_wrong_word_gets_a_better_one() {
    for (args, said) in [
        (&["explain", "trailing-coma"][..], "did you mean trailing-comma"),
        (&["explain", "xyzzy"], "there is no rule \"xyzzy\"; `toolmend rules` lists them"),
        (&["repare", "x"], "repair"),
        (&["args", "--ending", "done"], "complete, unknown, cut"),
        (&["batch", "--policy", "yolo"], "strict, standard, inspect"),
        (&["batch", "--jobs", "0"], "--jobs"),
        (&["batch", "--jobs", "5000"], "5000 is not in 1..=1024"),
        (&["repair"], "<FILE>"),
        (&[], "Usage: toolmend"),
    ] {
        let ran = toolmend(args, "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(said), "{args:?}: {}", ran.err);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [&["--help"][..], &["--version"], &["batch", "--help"], &["help", "repair"]] {
        let ran = toolmend(args, "");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
        assert!(ran.out.contains("toolmend"));
    }
}
