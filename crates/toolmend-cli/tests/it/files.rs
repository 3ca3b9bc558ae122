//! Files and pipes that are not as they should be: one sentence, the right exit code, nothing lost.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{command, scratch, toolmend};

/// Runs that must end with code 2, print nothing, and say one sentence that holds these words.
fn refused(args: &[&str], words: &[&str]) {
    let ran = toolmend(args, "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}: {}", ran.err);
    assert!(ran.err.starts_with("error: "), "{args:?}: {}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{args:?}: {}", ran.err);
    for word in words {
        assert!(ran.err.contains(word), "{args:?}: {word:?} is not in: {}", ran.err);
    }
}

#[test]
fn inputs_that_cannot_be_read() {
    for command in ["repair", "args", "batch"] {
        refused(&[command, "no/such/file"], &["no/such/file", "there is no file", "check the path"]);
        refused(&[command, "examples"], &["examples", "directory", "name a file"]);
    }
}

#[test]
fn inputs_that_are_no_text() {
    let binary = scratch("files-binary");
    fs::write(&binary, b"\x7fELF\x02\x01\x01\x00\x00\x00\xff\xfe\x80").unwrap();
    let binary = binary.to_str().unwrap();
    refused(&["repair", binary], &[binary, "binary"]);
    refused(&["args", binary], &[binary, "not UTF-8", "at byte 10"]);
    refused(&["batch", binary], &[binary, "NUL byte at byte 7"]);

    let wide = scratch("files-utf16");
    fs::write(&wide, b"\xff\xfe{\x00}\x00\n\x00").unwrap();
    let wide = wide.to_str().unwrap();
    refused(&["args", wide], &[wide, "UTF-16", "convert"]);
    refused(&["batch", wide], &[wide, "UTF-16", "convert"]);
}

#[test]
fn inputs_with_nothing_in_them() {
    let empty = scratch("files-empty");
    fs::write(&empty, "").unwrap();
    let path = empty.to_str().unwrap();
    refused(&["repair", path], &[path, "is empty", "record the whole response"]);
    // An empty body is a call that is declined, and no records are no fault.
    let args = toolmend(&["args", path], "");
    assert_eq!((args.code, args.out.as_str()), (Some(1), ""));
    assert_eq!(
        args.err,
        "repair failed: it says nothing, and the tool is not known to take nothing at byte 0\n"
    );
    let batch = toolmend(&["batch", path], "");
    assert_eq!((batch.code, batch.out.as_str()), (Some(0), ""));
    assert_eq!(batch.err, format!("note: {path} holds no records\n"));
}

#[test]
fn an_output_that_cannot_be_written() {
    let records = scratch("files-records.jsonl");
    fs::write(&records, "{\"id\":1,\"arguments\":\"{}\"}\n").unwrap();
    let records_path = records.to_str().unwrap();
    refused(&["batch", records_path, "-o", "no/such/place"], &["no/such/place", "no such directory", "-o"]);
    refused(&["batch", records_path, "-o", "examples"], &["examples", "directory"]);
    refused(&["batch", records_path, "-o", records_path], &["is the input itself", "-o"]);
    let link = scratch("files-hard-link.jsonl");
    fs::hard_link(&records, &link).unwrap();
    refused(&["batch", records_path, "-o", link.to_str().unwrap()], &["is the input itself"]);
    assert_eq!(fs::read_to_string(&records).unwrap(), "{\"id\":1,\"arguments\":\"{}\"}\n");
}

/// `toolmend batch < records -o records`
#[cfg(unix)]
#[test]
fn a_redirected_input_is_not_overwritten_either() {
    let records = scratch("files-redirected.jsonl");
    fs::write(&records, "{\"id\":1,\"arguments\":\"{}\"}\n").unwrap();
    let mut batch = command(&["batch", "-o", records.to_str().unwrap()]);
    let child = batch.stdin(fs::File::open(&records).unwrap()).spawn().unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    assert_eq!(fs::read_to_string(&records).unwrap(), "{\"id\":1,\"arguments\":\"{}\"}\n");
}

#[test]
fn a_missing_input_leaves_an_old_output_alone() {
    let old = scratch("files-old.jsonl");
    fs::write(&old, "precious").unwrap();
    refused(&["batch", "no/such/file", "-o", old.to_str().unwrap()], &["no/such/file"]);
    assert_eq!(fs::read_to_string(&old).unwrap(), "precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_success() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [&["repair", "examples/qwen3-fence.sse"][..], &["rules"], &["models"]] {
        let ended = command(args).stdout(full()).spawn().unwrap().wait_with_output().unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{args:?}");
        assert!(err.contains("standard output cannot be written: the disk is full"), "{args:?}: {err}");
    }
}

/// Whoever reads the output has had enough: no word, and at once, even when more input may come.
#[test]
fn a_broken_pipe_ends_a_batch_quietly() {
    let mut child = command(&["batch"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"{\"id\":1,\"arguments\":\"{}\"}\n").unwrap();
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"id\":1,"));
    drop(stdout);
    stdin.write_all(b"{\"id\":2,\"arguments\":\"{}\"}\n").unwrap();
    // Standard input stays open.
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it waits for more input");
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    drop(stdin);
}

#[test]
fn a_broken_pipe_is_quiet_everywhere() {
    for args in [
        &["repair", "examples/qwen3-fence.sse"][..],
        &["args", "--model", "qwen3"],
        &["rules"],
        &["models"],
        &["explain", "trailing-comma"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = command(args).stdout(writer).stdin(Stdio::piped()).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(b"{\"a\":1,}");
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

/// Nobody reads standard error: the work is done all the same.
#[test]
fn lost_messages_do_not_stop_the_work() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command(&["repair", "--trace", "examples/qwen3-fence.sse"]).stderr(writer).spawn().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(ended.stdout.starts_with(b"{\n  \"_repaired\": true"));
}
