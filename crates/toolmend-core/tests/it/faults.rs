//! Slips of a writer. Each bends a body whose truth is known in one way, and leaves it so that nothing
//! else than the truth can have been meant: mended is the truth, or the body is declined.

use crate::tape::Tape;
use crate::tree::{Kind, Token};

/// One kind of slip.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slip {
    pub(crate) name: &'static str,
    /// The rule that repairs it.
    pub(crate) rule: &'static str,
    pub(crate) act: Act,
}

/// How a slip acts; false or `None` where the body has no place for it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// On how tokens are written.
    Spelling(fn(&mut [Token], &mut Tape) -> bool),
    /// On the punctuation. Two of these in one body may add up to a third one, so there is never more than
    /// one.
    Structure(fn(&mut [Token], &mut Tape) -> bool),
    /// On the text as a whole.
    Around(fn(&str, &mut Tape) -> Option<String>),
}

const fn spelling(name: &'static str, rule: &'static str, act: fn(&mut [Token], &mut Tape) -> bool) -> Slip {
    Slip { name, rule, act: Act::Spelling(act) }
}

const fn structure(name: &'static str, rule: &'static str, act: fn(&mut [Token], &mut Tape) -> bool) -> Slip {
    Slip { name, rule, act: Act::Structure(act) }
}

const fn around(name: &'static str, rule: &'static str, act: fn(&str, &mut Tape) -> Option<String>) -> Slip {
    Slip { name, rule, act: Act::Around(act) }
}

/// How tokens are written.
pub(crate) const SPELLING: &[Slip] = &[
    spelling("single quotes", "single-quotes", single_quotes),
    spelling("smart quotes", "smart-quotes", smart_quotes),
    spelling("bare keys", "bare-key", bare_keys),
    spelling("key without its first quote", "key-no-open-quote", key_no_open_quote),
    spelling("Python literals", "literal-case", |t, tape| {
        let style: fn(&str) -> String = tape.pick(&[python as fn(&str) -> String, str::to_uppercase]);
        each(t, Kind::Lit, style)
    }),
    spelling("plus sign", "plus-sign", |t, tape| {
        number(t, tape, |n| (!n.starts_with('-')).then(|| format!("+{n}")))
    }),
    spelling("leading zeros", "leading-zero", |t, tape| {
        let agrees = |n: &str| n.len() == 1 || n.contains(['8', '9', '.', 'e', 'E']);
        number(t, tape, |n| (agrees(n) && !n.starts_with('-')).then(|| format!("00{n}")))
    }),
    spelling("underscores", "digit-separator", |t, tape| {
        let plain = |n: &str| n.len() > 3 && n.bytes().all(|c| c.is_ascii_digit());
        number(t, tape, |n| plain(n).then(|| format!("{}_{}", &n[..n.len() - 3], &n[n.len() - 3..])))
    }),
    spelling("bare point", "bare-point", |t, tape| {
        number(t, tape, |n| {
            let head = n.strip_prefix("0.").map(|rest| format!(".{rest}"));
            head.or_else(|| n.bytes().all(|c| c.is_ascii_digit()).then(|| format!("{n}.")))
        })
    }),
    spelling("comment", "comment", comment),
    spelling("raw control characters", "raw-control", raw_control),
    spelling("no-break space", "invisible-space", |t, tape| {
        let at = place(t, tape, |t| {
            matches!(t.kind, Kind::Comma { .. } | Kind::Colon | Kind::Open { object: true })
        });
        at.map(|at| t[at].text.push(tape.pick(&['\u{a0}', '\u{3000}', '\u{200b}', '\u{feff}']))).is_some()
    }),
];

/// Punctuation.
pub(crate) const STRUCTURE: &[Slip] = &[
    structure("trailing comma", "trailing-comma", |t, tape| {
        let at = place_with(t, tape, |t, at| closes(&t[at]) && !opens(&t[before(t, at)]));
        at.map(|at| t[at].text.insert(0, ',')).is_some()
    }),
    structure("doubled comma", "doubled-comma", |t, tape| {
        let at = place(t, tape, |t| t.kind == Kind::Comma { object: true });
        at.map(|at| t[at].text.push(',')).is_some()
    }),
    structure("leading comma", "leading-comma", |t, tape| {
        let at = place_with(t, tape, |t, at| {
            t[at].kind == Kind::Open { object: true } && !closes(&t[after(t, at)])
        });
        at.map(|at| t[at].text.push(',')).is_some()
    }),
    structure("missing comma", "missing-comma", missing_comma),
    structure("missing colon", "missing-colon", |t, tape| {
        let at = place_with(t, tape, |t, at| {
            let key = &t[at.saturating_sub(1)].text;
            // Three quotes in a row are something else.
            let three = key.ends_with("\"\"") || t[after(t, at)].text.starts_with("\"\"");
            t[at].kind == Kind::Colon && key.ends_with('"') && !three
        });
        at.map(|at| t[at].text.clear()).is_some()
    }),
    structure("wrong separator", "wrong-separator", |t, tape| {
        let at = place(t, tape, |t| matches!(t.kind, Kind::Comma { object: true } | Kind::Colon));
        at.map(|at| t[at].text = if t[at].kind == Kind::Colon { tape.pick(&["=", "=>"]) } else { ";" }.into())
            .is_some()
    }),
    structure("extra closer at the end", "extra-closer", |t, tape| {
        t.last_mut().map(|t| t.text += tape.pick(&["}", "]", "}}", "\n}"])).is_some()
    }),
    structure("extra closer in the middle", "extra-closer", |t, tape| {
        let at = place_with(t, tape, |t, at| {
            closes(&t[at]) && t[at].depth == 1 && matches!(t[after(t, at)].kind, Kind::Comma { .. })
        });
        at.map(|at| t[at].text = t[at].text.repeat(2)).is_some()
    }),
    structure("wrong closer", "wrong-closer", |t, tape| {
        let at = place(t, tape, closes);
        at.map(|at| t[at].text = if t[at].text == "}" { "]" } else { "}" }.into()).is_some()
    }),
    structure("missing opener", "missing-opener", |t, _| {
        let any = t.len() > 2;
        t[0].text.clear();
        any
    }),
    structure("doubled opener", "doubled-opener", |t, _| {
        let any = t.len() > 2;
        t[0].text.push('{');
        any
    }),
    structure("missing closers", "missing-closer", |t, tape| {
        let tail = t.iter().rev().take_while(|t| closes(t) || t.kind == Kind::White).count();
        let first = t.len() - tail;
        let closers: Vec<usize> = (first..t.len()).filter(|&at| closes(&t[at])).collect();
        let whole = first == 0 || opens(&t[first - 1]);
        match tape.maybe(&closers) {
            Some(from) if !whole => {
                // The white space before the first one goes as well.
                let from =
                    (first..from).rev().take_while(|&at| t[at].kind == Kind::White).last().unwrap_or(from);
                t[from..].iter_mut().for_each(|t| t.text.clear());
                true
            }
            _ => false,
        }
    }),
];

/// Around the body.
pub(crate) const AROUND: &[Slip] = &[
    around("fence", "code-fence", |b, tape| {
        let (open, close) = tape.pick(&[
            ("```json\n", "\n```"),
            ("```\n", "\n```\n"),
            ("~~~\n", "\n~~~"),
            ("```json\r\n", "\r\n```"),
        ]);
        Some(format!("{open}{b}{close}"))
    }),
    around("open fence", "code-fence", |b, tape| Some(format!("{}{b}", tape.pick(&["```json\n", "```\n"])))),
    around("inline code", "inline-code", |b, tape| {
        let ticks = tape.pick(&["`", "``"]);
        Some(format!("{ticks}{b}{ticks}"))
    }),
    around("marks", "leaked-mark", |b, tape| {
        let (open, close) = tape.pick(&[
            ("<tool_call>\n", "\n</tool_call>"),
            ("<|python_tag|>", "<|eom_id|>"),
            ("[TOOL_CALLS]", "</s>"),
            ("<function=get_weather>", "</function>"),
            ("", "</tool_call><|im_end|>"),
            ("<｜tool▁call▁arguments▁begin｜>", "<｜tool▁call▁end｜>"),
        ]);
        Some(format!("{open}{b}{close}"))
    }),
    around("words before", "prose", |b, tape| Some(format!("{}{b}", tape.pick(BEFORE)))),
    around("words behind", "prose", |b, tape| Some(format!("{b}{}", tape.pick(BEHIND)))),
    around("words and a fence", "prose", |b, tape| {
        Some(format!("{}```json\n{b}\n```{}", tape.pick(BEFORE), tape.pick(BEHIND)))
    }),
    around("reasoning", "reasoning-block", |b, tape| {
        Some(format!(
            "<think>{}</think>\n\n{b}",
            tape.pick(&["", "I will.\n", "Say {\"a\": 1}?", "set {path} first"])
        ))
    }),
    around("list", "list-wrap", |b, tape| Some(tape.pick(&["[@]", "[\n @\n]"]).replacen('@', b, 1))),
    around("twice", "doubled-body", |b, tape| {
        (!matches!(b, "{}" | "}")).then(|| format!("{b}{}{b}", tape.pick(&["", "\n", "\n\n"])))
    }),
    around("statement", "code-statement", |b, tape| {
        Some(
            tape.pick(&["args = @", "get_weather(@);", "return @;", "(@)", "const args = @;"])
                .replacen('@', b, 1),
        )
    }),
    around("encoded", "double-encoded", |b, _| Some(encoded(b))),
    around("encoded twice", "double-encoded", |b, _| Some(encoded(&encoded(b)))),
    around("over-escaped", "over-escaped", |b, _| {
        let whole = encoded(b);
        b.contains('"').then(|| whole[1..whole.len() - 1].into())
    }),
    around("HTML", "html-entities", |b, _| {
        let level = b.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        b.contains('"').then_some(level)
    }),
    around("invisible", "invisible-space", |b, tape| {
        Some(format!("{}{b}", tape.pick(&["\u{feff}", "\u{200b}", "\u{a0}"])))
    }),
];

const BEFORE: &[&str] = &[
    "Sure, here is the call:\n",
    "Calling the tool with these arguments: ",
    "The user said \"go\", so:\n",
    "好的：\n",
    "I replaced {name} with your value:\n",
    "It's for the user's file [1]:\n",
];

const BEHIND: &[&str] =
    &["\n\nLet me know if you need more!", " Done.", "\nObservation:", "\n\nI hope this helps :)"];

/// As a JSON string.
pub(crate) fn encoded(text: &str) -> String {
    serde_json::to_string(text).expect("text is encoded without fail")
}

/// Every index whose token is as asked, one of them.
fn place(t: &[Token], tape: &mut Tape, asked: impl Fn(&Token) -> bool) -> Option<usize> {
    place_with(t, tape, |t, at| asked(&t[at]))
}

fn place_with(t: &[Token], tape: &mut Tape, asked: impl Fn(&[Token], usize) -> bool) -> Option<usize> {
    let places: Vec<usize> = (0..t.len()).filter(|&at| t[at].is_clean() && asked(t, at)).collect();
    tape.maybe(&places)
}

fn opens(t: &Token) -> bool {
    matches!(t.kind, Kind::Open { .. })
}

fn closes(t: &Token) -> bool {
    matches!(t.kind, Kind::Close { .. })
}

/// The next token that is no white space, or the last token.
fn after(t: &[Token], at: usize) -> usize {
    (at + 1..t.len()).find(|&i| t[i].kind != Kind::White).unwrap_or(t.len() - 1)
}

/// The token before that is no white space, or the first.
fn before(t: &[Token], at: usize) -> usize {
    (0..at).rev().find(|&i| t[i].kind != Kind::White).unwrap_or(0)
}

/// Writes every token of a kind anew; answers whether there was one.
fn each(t: &mut [Token], kind: Kind, write: impl Fn(&str) -> String) -> bool {
    let mut any = false;
    for token in t.iter_mut().filter(|t| t.kind == kind && t.is_clean()) {
        token.text = write(&token.text);
        any = true;
    }
    any
}

fn python(literal: &str) -> String {
    match literal {
        "null" => "None".into(),
        other => other[..1].to_uppercase() + &other[1..],
    }
}

fn number(t: &mut [Token], tape: &mut Tape, write: impl Fn(&str) -> Option<String>) -> bool {
    let at = place(t, tape, |t| t.kind == Kind::Num && write(&t.text).is_some());
    at.and_then(|at| write(&t[at].text).map(|text| t[at].text = text)).is_some()
}

/// What stands between the quotes of a string that JSON wrote.
fn inside(t: &Token) -> &str {
    &t.json[1..t.json.len() - 1]
}

fn strings(t: &mut [Token]) -> impl Iterator<Item = &mut Token> {
    t.iter_mut().filter(|t| matches!(t.kind, Kind::Key | Kind::Str))
}

fn single_quotes(t: &mut [Token], _: &mut Tape) -> bool {
    // `\/` is two characters in Python and one in JavaScript.
    if strings(t).any(|t| !t.is_clean() || t.text.contains("\\/")) {
        return false;
    }
    let mut any = false;
    for token in strings(t) {
        let plain = inside(token).replace('\'', "\\'");
        token.text = format!("'{}'", unescaped_quotes(&plain));
        any = true;
    }
    any
}

/// `\"` without its backslash.
fn unescaped_quotes(inside: &str) -> String {
    let mut out = String::new();
    let mut chars = inside.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek() != Some(&'"') {
            out.push(c);
            out.extend(chars.next());
        } else if c != '\\' {
            out.push(c);
        }
    }
    out
}

fn smart_quotes(t: &mut [Token], tape: &mut Tape) -> bool {
    let (open, close) = tape.pick(&[('“', '”'), ('”', '”'), ('„', '“'), ('«', '»')]);
    if strings(t).any(|t| !t.is_clean() || t.text.contains(['“', '”', '„', '«', '»'])) {
        return false;
    }
    let mut any = false;
    for token in strings(t) {
        token.text = format!("{open}{}{close}", inside(token));
        any = true;
    }
    any
}

fn is_name(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
        && inside.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$'))
}

fn bare_keys(t: &mut [Token], _: &mut Tape) -> bool {
    let mut any = false;
    for token in t.iter_mut().filter(|t| t.kind == Kind::Key && t.is_clean() && is_name(inside(t))) {
        token.text = inside(token).into();
        any = true;
    }
    any
}

fn key_no_open_quote(t: &mut [Token], tape: &mut Tape) -> bool {
    let at = place(t, tape, |t| t.kind == Kind::Key && is_name(inside(t)));
    at.map(|at| t[at].text.remove(0)).is_some()
}

fn comment(t: &mut [Token], tape: &mut Tape) -> bool {
    let note = tape.pick(&[
        "the target",
        "it's required",
        "uses \"path\"",
        "TODO: {this}, [that]",
        "路径",
        "see https://x.org",
    ]);
    let line = place(t, tape, |t| t.kind == Kind::White && t.text.contains('\n'));
    match line {
        Some(at) if tape.below(2) == 0 => {
            let sign = tape.pick(&["//", "#"]);
            t[at].text = format!(" {sign} {note}{}", t[at].text);
            true
        }
        _ => {
            let at =
                place(t, tape, |t| matches!(t.kind, Kind::Comma { .. } | Kind::Colon | Kind::Open { .. }));
            at.map(|at| t[at].text += &format!("/* {note} */")).is_some()
        }
    }
}

fn raw_control(t: &mut [Token], _: &mut Tape) -> bool {
    let mut any = false;
    for token in t.iter_mut().filter(|t| t.kind == Kind::Str && t.is_clean()) {
        let mut out = String::new();
        let mut chars = token.text.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    other => {
                        out.push('\\');
                        out.extend(other);
                    }
                },
                _ => out.push(c),
            }
        }
        any |= out != token.text;
        token.text = out;
    }
    any
}

fn missing_comma(t: &mut [Token], tape: &mut Tape) -> bool {
    let at = place_with(t, tape, |t, at| {
        let next = &t[after(t, at)];
        let apart = t.get(at + 1).is_some_and(|t| t.kind == Kind::White);
        match t[at].kind {
            // Three quotes in a row are something else.
            Kind::Comma { object: true } => {
                next.text.starts_with('"') && (apart || !t[at - 1].text.ends_with("\"\""))
            }
            Kind::Comma { object: false } => match next.kind {
                Kind::Open { .. } => true,
                Kind::Num | Kind::Lit => apart && !next.text.starts_with(['+', '.']),
                _ => false,
            },
            _ => false,
        }
    });
    at.map(|at| t[at].text.clear()).is_some()
}
