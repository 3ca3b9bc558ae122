//! The rules: one named kind of fault each, with its repair.
//!
//! A rule is one file: what it is called, an example, its grade, why it is safe, a text in which it would
//! be wrong (and is therefore not applied), and the code that recognises the fault. Adding a rule
//! touches its file, its row in the table below and its row in `certify`'s table.

use core::fmt;

use crate::Grade;
use crate::read::fault::{Fault, Moves};
use crate::read::lexeme::{Lexeme, Spot};
use crate::scan::Slot;
use crate::{Edit, Ending};
use alloc::vec::Vec;

/// What a rule is and does.
#[derive(Debug)]
pub struct Spec {
    /// Its name, in kebab case.
    pub name: &'static str,
    /// What it touches, in a sentence.
    pub what: &'static str,
    /// The grade of its edits.
    pub grade: Grade,
    /// A fault and its repair.
    pub example: Example,
    /// Why the repair cannot change what the model said.
    pub safe: &'static str,
    /// A text in which it would be wrong.
    pub wrong: Counter,
    /// How it is recognised.
    pub(crate) act: Act,
}

/// A fault and its repair.
#[derive(Debug)]
pub struct Example {
    /// The faulty body.
    pub before: &'static str,
    /// The body as it is repaired.
    pub after: &'static str,
    /// The ending that the example needs.
    pub ending: Ending,
    /// The tool's JSON Schema that it needs; empty where it needs none.
    pub schema: &'static str,
}

/// A text in which a rule would be wrong.
#[derive(Debug)]
pub struct Counter {
    /// A body that looks like the rule's fault, and on which the rule is not applied.
    pub text: &'static str,
    /// Why it would be wrong.
    pub why: &'static str,
    /// The ending under which it is tried.
    pub ending: Ending,
    /// The tool's JSON Schema under which it is tried; empty for none.
    pub schema: &'static str,
}

/// The ways that a rule knows on from a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ways {
    /// The slots in which its fault is met: one bit each.
    at: u16,
    add: fn(&Fault<'_>, &mut Moves),
}

impl Ways {
    /// Those that `add` adds at a fault in one of these slots.
    const fn at(slots: &[Slot], add: fn(&Fault<'_>, &mut Moves)) -> Ways {
        let (mut at, mut i) = (0, 0);
        while i < slots.len() {
            at |= 1 << slots[i] as u16;
            i += 1;
        }
        Ways { at, add }
    }
}

/// Adds all ways on from a fault.
pub(crate) fn ways(fault: &Fault<'_>, moves: &mut Moves) {
    for (_, ways) in MOVES {
        if ways.at >> fault.slot as u16 & 1 == 1 {
            (ways.add)(fault, moves);
        }
    }
}

/// How a rule's fault is recognised.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Something between tokens that says nothing: answers where it ends.
    Gap(Gap),
    /// A token that is not written as JSON writes it.
    Token(Token),
    /// Punctuation that is missing, or one too many.
    Move(Ways),
    /// A whole level of escaping around the body: answers the edits that take it off.
    Layer(Layer),
    /// What stands around the object: `read::frame` and `envelope`.
    Frame,
    /// Found by weighing readings of the whole body: `read::quotes`, `decide`, and the schema's own repairs
    /// in `toolmend-schema`.
    Search,
}

mod number;

pub(crate) use html_entities::undecided as undecided_entities;
pub(crate) use over_escaped::inner_layer;
pub(crate) use single_quotes::edits as single_quoted;
pub(crate) use smart_quotes::closers as smart_closers;

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident => $file:ident,)*) => {
        $(mod $file;)*

        /// A named kind of fault and its repair.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)*];

            /// What the rule is and does.
            #[must_use]
            pub const fn spec(self) -> &'static Spec {
                match self {
                    $(Rule::$variant => &$file::SPEC,)*
                }
            }
        }
    };
}

/// Which rules some edits name: one bit a rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleSet(u64);

const _: () = assert!(Rule::ALL.len() <= u64::BITS as usize);

impl RuleSet {
    pub(crate) fn of<'e>(edits: impl IntoIterator<Item = &'e Edit>) -> RuleSet {
        RuleSet(edits.into_iter().fold(0, |set, edit| set | 1 << edit.rule as u32))
    }

    pub(crate) fn has(self, rule: Rule) -> bool {
        self.0 >> rule as u32 & 1 == 1
    }

    pub(crate) fn has_any(self, rules: &[Rule]) -> bool {
        rules.iter().any(|&rule| self.has(rule))
    }

    /// Those of both.
    pub(crate) fn with(self, other: RuleSet) -> RuleSet {
        RuleSet(self.0 | other.0)
    }

    /// The highest grade among them.
    pub(crate) fn grade(self) -> Grade {
        let (mut left, mut grade) = (self.0, Grade::Packaging);
        while left != 0 {
            grade = grade.max(GRADES[left.trailing_zeros() as usize]);
            left &= left - 1;
        }
        grade
    }
}

rules! {
    /// A code fence around the body.
    CodeFence => code_fence,
    /// Backticks around the body.
    InlineCode => inline_code,
    /// Words around the body.
    Prose => prose,
    /// Marks of a model's tool-call format around the body.
    LeakedMark => leaked_mark,
    /// A reasoning block before the body.
    ReasoningBlock => reasoning_block,
    /// White space that JSON does not know, or that cannot be seen.
    InvisibleSpace => invisible_space,
    /// A statement around the body.
    CodeStatement => code_statement,
    /// One object in a list.
    ListWrap => list_wrap,
    /// The whole body twice.
    DoubledBody => doubled_body,
    /// The body written as a JSON string.
    DoubleEncoded => double_encoded,
    /// The inside of a JSON string without its quotes.
    OverEscaped => over_escaped,
    /// An HTML-escaped body.
    HtmlEntities => html_entities,
    /// A comma before a closer.
    TrailingComma => trailing_comma,
    /// Two commas between members.
    DoubledComma => doubled_comma,
    /// A comma after an opening brace.
    LeadingComma => leading_comma,
    /// No comma between members.
    MissingComma => missing_comma,
    /// No colon between key and value.
    MissingColon => missing_colon,
    /// Another sign in the place of a colon or comma.
    WrongSeparator => wrong_separator,
    /// A closer is not there.
    MissingCloser => missing_closer,
    /// A closer that closes nothing.
    ExtraCloser => extra_closer,
    /// A brace for a bracket, or the other way round.
    WrongCloser => wrong_closer,
    /// The opening brace is not there.
    MissingOpener => missing_opener,
    /// The opening brace twice.
    DoubledOpener => doubled_opener,
    /// A comment.
    Comment => comment,
    /// The two characters `\n` between tokens.
    LiteralNewline => literal_newline,
    /// A string in triple quotes.
    TripleQuotes => triple_quotes,
    /// Strings in single quotes.
    SingleQuotes => single_quotes,
    /// Strings in typographic quotes.
    SmartQuotes => smart_quotes,
    /// A string in backticks.
    BacktickString => backtick_string,
    /// Strings joined by a plus sign.
    Concatenation => concatenation,
    /// A control character written raw in a string.
    RawControl => raw_control,
    /// `\'` in a string.
    EscapedApostrophe => escaped_apostrophe,
    /// A string whose backslashes were not doubled.
    BareBackslash => bare_backslash,
    /// A key without quotes.
    BareKey => bare_key,
    /// A key without its opening quote.
    KeyNoOpenQuote => key_no_open_quote,
    /// A string without its opening quote.
    ValueNoOpenQuote => value_no_open_quote,
    /// `True`, `FALSE`, `None` and the like.
    LiteralCase => literal_case,
    /// A plus sign before a number.
    PlusSign => plus_sign,
    /// Zeros before a number.
    LeadingZero => leading_zero,
    /// A hexadecimal number.
    HexNumber => hex_number,
    /// Underscores between digits.
    DigitSeparator => digit_separator,
    /// A decimal point without digits on one side.
    BarePoint => bare_point,
    /// Unescaped quotes inside a string.
    InnerQuotes => inner_quotes,
    /// Unescaped apostrophes inside a single-quoted string.
    BareApostrophe => bare_apostrophe,
    /// A key without its closing quote.
    KeyNoCloseQuote => key_no_close_quote,
    /// A string without its closing quote, before a declared key on the next line.
    ValueNoCloseQuote => value_no_close_quote,
    /// An allowed word without its quotes.
    UnquotedWord => unquoted_word,
    /// A declared key with backslashes before its underscores.
    EscapedKey => escaped_key,
    /// A literal cut off at the end.
    CutLiteral => cut_literal,
    /// The call's name and arguments where the arguments alone belong.
    Envelope => envelope,
    /// An empty object before the body.
    EmptyThenBody => empty_then_body,
    /// Nothing at all, for a tool that takes nothing.
    NoArguments => no_arguments,
    /// A number written as a string.
    NumberString => number_string,
    /// A boolean written as a string.
    BooleanString => boolean_string,
    /// A number where a string belongs.
    StringNumber => string_number,
    /// An array or object written as a string.
    ContainerString => container_string,
    /// One item where an array of such items belongs.
    SingleItem => single_item,
    /// An allowed word in another case.
    EnumCase => enum_case,
    /// A declared key in another spelling.
    KeySpelling => key_spelling,
    /// `null` for an optional property that has no null.
    NullOptional => null_optional,
}

type Gap = fn(&str, usize) -> Option<usize>;
type Token = fn(&Spot<'_>) -> Option<Lexeme>;
type Layer = fn(&str) -> Option<Vec<Edit>>;

/// A table of the rules that act in one way, in the order of all rules, made when this is compiled.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident: $act:ident, $of:ty) => {
        $(#[$doc])*
        pub(crate) static $name: &[(Rule, $of)] = {
            const COUNT: usize = {
                let (mut n, mut i) = (0, 0);
                while i < Rule::ALL.len() {
                    if let Act::$act(_) = Rule::ALL[i].spec().act {
                        n += 1;
                    }
                    i += 1;
                }
                n
            };
            const TABLE: [(Rule, $of); COUNT] = {
                let mut table: [Option<(Rule, $of)>; COUNT] = [None; COUNT];
                let (mut n, mut i) = (0, 0);
                while i < Rule::ALL.len() {
                    if let Act::$act(act) = Rule::ALL[i].spec().act {
                        table[n] = Some((Rule::ALL[i], act));
                        n += 1;
                    }
                    i += 1;
                }
                let mut whole = [match table[0] { Some(row) => row, None => panic!() }; COUNT];
                let mut i = 0;
                while i < COUNT {
                    whole[i] = match table[i] { Some(row) => row, None => panic!() };
                    i += 1;
                }
                whole
            };
            &TABLE
        };
    };
}

table! {
    /// What says nothing between tokens.
    GAPS: Gap, Gap
}
table! {
    /// Tokens that are not written as JSON writes them.
    TOKENS: Token, Token
}
table! {
    /// Ways on from a fault.
    MOVES: Move, Ways
}
table! {
    /// Levels of escaping.
    LAYERS: Layer, Layer
}

/// The grade of every rule: asked for with every edit.
static GRADES: [Grade; Rule::ALL.len()] = {
    let mut grades = [Grade::Cut; Rule::ALL.len()];
    let mut i = 0;
    while i < grades.len() {
        grades[i] = Rule::ALL[i].spec().grade;
        i += 1;
    }
    grades
};

impl Rule {
    /// Its name, in kebab case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The grade of its edits.
    #[must_use]
    pub const fn grade(self) -> Grade {
        GRADES[self as usize]
    }

    /// The rule of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL.iter().copied().find(|r| r.name() == name)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
