//! Tables for people (Markdown) and for machines (JSON).

use std::fmt::Write;

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::measure::Timing;

/// One table: rows of named cells under columns.
pub struct Table {
    id: &'static str,
    title: &'static str,
    note: &'static str,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Cell>)>,
}

/// One cell.
#[derive(Clone)]
pub enum Cell {
    /// Not measured.
    Empty,
    /// A time, and how many times another time it is.
    Ratio { timing: Timing, times: f64, typical: f64, remark: String },
    /// Nanoseconds a byte of a long text over those of a short one.
    Growth { short: Timing, long: Timing, verdict: String },
    /// A word instead of a number.
    Text(String),
}

impl Cell {
    /// A time beside the time that it is compared with.
    pub fn ratio(timing: Timing, to: &Timing) -> Cell {
        Cell::ratio_with(timing, to, String::new())
    }

    /// As [`Cell::ratio`], and what is to be said of the work that was timed.
    pub fn ratio_with(timing: Timing, to: &Timing, remark: String) -> Cell {
        Cell::Ratio { timing, times: timing.best / to.best, typical: timing.median / to.median, remark }
    }

    fn markdown(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Ratio { timing, times, remark, .. } => {
                format!("{} · {}×{}", short(timing.per_byte()), short(*times), bracketed(remark))
            }
            Cell::Growth { short: from, long, verdict } => {
                let growth = short(long.per_byte() / from.per_byte());
                let remark = bracketed(if verdict == "mended" { "" } else { verdict });
                format!("{} → {} · {growth}×{remark}", short(from.per_byte()), short(long.per_byte()))
            }
            Cell::Text(text) => text.clone(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Cell::Empty => Value::Null,
            Cell::Ratio { timing, times, typical, remark } => json!({
                "time": timing_json(timing),
                "times": times,
                "times_of_medians": typical,
                "remark": remark,
            }),
            Cell::Growth { short, long, verdict } => json!({
                "short": timing_json(short),
                "long": timing_json(long),
                "growth": long.per_byte() / short.per_byte(),
                "verdict": verdict,
            }),
            Cell::Text(text) => json!(text),
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(id: &'static str, title: &'static str, note: &'static str, columns: Vec<String>) -> Table {
        Table { id, title, note, columns, rows: Vec::new() }
    }

    /// Puts a cell into a row, which is added where it is not there yet.
    pub fn set(&mut self, row: &str, column: usize, cell: Cell) {
        let at = self.rows.iter().position(|(name, _)| name == row).unwrap_or_else(|| {
            self.rows.push((row.into(), vec![Cell::Empty; self.columns.len()]));
            self.rows.len() - 1
        });
        self.rows[at].1[column] = cell;
    }

    fn markdown(&self, out: &mut String) {
        let mut line = |cells: &str| {
            out.push_str(cells);
            out.push('\n');
        };
        line(&format!("## {}\n\n{}\n", self.title, self.note));
        line(&format!("| | {} |", self.columns.join(" | ")));
        line(&format!("|---|{}", "---:|".repeat(self.columns.len())));
        for (name, cells) in &self.rows {
            let cells: Vec<String> = cells.iter().map(Cell::markdown).collect();
            line(&format!("| {} | {} |", name.replace('|', "\\|"), cells.join(" | ")));
        }
        line("");
    }

    fn json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|(name, cells)| json!({ "name": name, "cells": cells.iter().map(Cell::json).collect::<Vec<_>>() }))
            .collect();
        json!({ "id": self.id, "title": self.title, "columns": self.columns, "rows": rows })
    }
}

/// The whole run for people.
pub fn markdown(tables: &[Table], machine: &Machine) -> String {
    let mut out = String::from("# Measurements\n\n");
    writeln!(out, "{machine}\n").expect("writing to a string does not fail");
    for table in tables {
        table.markdown(&mut out);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The whole run for machines.
pub fn json(tables: &[Table], machine: &Machine) -> Value {
    json!({ "machine": machine.json(), "tables": tables.iter().map(Table::json).collect::<Vec<_>>() })
}

fn timing_json(timing: &Timing) -> Value {
    json!({
        "bytes": timing.bytes,
        "best_ns": timing.best,
        "median_ns": timing.median,
        "samples": timing.samples,
    })
}

fn bracketed(remark: &str) -> String {
    if remark.is_empty() { String::new() } else { format!(" ({remark})") }
}

/// A number with as many digits as say something.
fn short(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}
