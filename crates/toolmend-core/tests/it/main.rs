//! The tests of the core: its table of cases, its rules, its laws, hostile bodies, prefixes, bounds and
//! the checker.
//!
//! What the tests share comes first: [`tape`] (choices that proptest can shrink and a seed can repeat),
//! [`tree`] (bodies with known truth), [`faults`] (slips of the writer), [`said`] (what a JSON text says),
//! [`oracle`] (a naive scanner to compare with) and [`checked`] (what must hold of every verdict).

mod checked;
mod faults;
mod oracle;
mod said;
mod tape;
mod tree;

mod algebra;
mod bounds;
mod cases;
mod certify;
mod evidence;
mod hostile;
mod laws;
mod prefixes;
mod quote;
mod rules;
mod scanner;
