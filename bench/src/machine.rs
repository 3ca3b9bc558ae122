//! What was measured where, and when.

use std::fmt;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// The machine of one run, and its date.
pub struct Machine {
    cpu: String,
    cores: usize,
    rustc: String,
    /// `YYYY-MM-DD`, UTC.
    pub date: String,
}

impl Machine {
    /// This machine, today.
    pub fn here() -> Machine {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = info.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_string())
        };
        let mut cpu = field("model name").unwrap_or_else(|| std::env::consts::ARCH.into());
        if let (Some(family), Some(model)) = (field("cpu family"), field("model\t")) {
            cpu += &format!(" (family {family}, model {model})");
        }
        let rustc = Command::new("rustc").arg("--version").output().ok();
        let rustc = rustc.map_or_else(String::new, |out| String::from_utf8_lossy(&out.stdout).trim().into());
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Machine {
            cpu,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            rustc,
            date: date(seconds / 86_400),
        }
    }

    /// A word for file names.
    pub fn slug(&self) -> String {
        let name = self.cpu.split('(').next().unwrap_or_default().to_lowercase();
        let words: Vec<&str> =
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        words.join("-")
    }

    pub fn json(&self) -> Value {
        json!({ "cpu": self.cpu, "cores": self.cores, "rustc": self.rustc, "date": self.date })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {} cores · {} · {}", self.cpu, self.cores, self.rustc, self.date)
    }
}

/// The civil date of a day counted from 1970-01-01 (Hinnant, "chrono-compatible low-level date
/// algorithms").
fn date(day: u64) -> String {
    let z = day + 719_468;
    let era = z / 146_097;
    let of_era = z % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (d, m) =
        (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let y = year + era * 400 + u64::from(m <= 2);
    format!("{y:04}-{m:02}-{d:02}")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates() {
        for (day, text) in
            [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_786, "2026-11-29")]
        {
            assert_eq!(date(day), text);
        }
    }
}
