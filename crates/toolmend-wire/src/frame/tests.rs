//! The framing alone: what is an event, and where it stands, however the bytes are cut.

use proptest::prelude::*;

use super::{Event, Framer, MAX_OPENING, Stop};
use crate::error::WireErrorKind;
use crate::limits::Exceeded;

/// The events of a recording, each as `name|data @offset:line`.
fn frame(pieces: &[&[u8]], event_bytes: usize) -> (Vec<String>, Option<Stop>) {
    let (mut found, mut seen) = (Vec::new(), Vec::new());
    let mut note = |event: Event<'_>| {
        if let Some(at) = event.at {
            assert_eq!(&event.raw[at..at + event.data.len()], event.data, "the data stands in the bytes");
        }
        seen.extend_from_slice(event.raw);
        if event.filler {
            return Ok(());
        }
        let Event { name, data, place, .. } = event;
        let (name, data) = (String::from_utf8_lossy(name), String::from_utf8_lossy(data));
        found.push(format!("{name}|{data} @{}:{}", place.offset, place.line));
        Ok::<(), Exceeded>(())
    };
    let mut framer = Framer::new(event_bytes);
    for (at, piece) in pieces.iter().enumerate() {
        if let Err(stop) = framer.push(piece, &mut note) {
            seen.extend(framer.rest());
            assert_eq!(seen, pieces[..=at].concat(), "nothing is lost where it stops");
            return (found, Some(stop));
        }
    }
    let stop = framer.finish(&mut note).err();
    if stop.is_none() {
        assert_eq!(seen, pieces.concat(), "the events are the recording");
    }
    (found, stop)
}

const CASES: &[(&str, &[u8], &[&str])] = &[
    ("lf", b"data: a\n\ndata: b\n\n", &["|a @6:1", "|b @15:3"]),
    ("crlf", b"data: a\r\n\r\ndata: b\r\n\r\n", &["|a @6:1", "|b @17:3"]),
    ("cr", b"data: a\r\rdata: b\r\r", &["|a @6:1", "|b @15:3"]),
    ("mixed", b"data: a\r\n\ndata: b\r\r\ndata: c\n\r", &["|a @6:1", "|b @16:3", "|c @26:5"]),
    ("no space", b"data:a\n\ndata:  b\n\n", &["|a @5:1", "| b @14:3"]),
    ("bom", b"\xEF\xBB\xBFdata: a\n\n\xEF\xBB\xBFdata: b\n\n", &["|a @9:1"]),
    ("lines join", b"data: a\ndata\ndata:\ndata: b\n\n", &["|a\n\n\nb @6:1"]),
    ("comments", b": hi\n\n:\ndata: a\n: x\ndata: b\n\n", &["|a\nb @14:4"]),
    ("names", b"event: ping\n\nevent: x\nevent: y\ndata: a\n\ndata: b\n\n", &["y|a @37:5", "|b @46:7"]),
    ("other fields", b"id: 7\nretry: 5\nfoo: bar\n data: no\ndata: a\n\n", &["|a @40:5"]),
    ("empty data", b"data:\n\ndata: \n\nid: 1\n\n", &["| @5:1", "| @13:3"]),
    ("no last blank line", b"data: a\n\ndata: b\n", &["|a @6:1", "|b @15:3"]),
    ("no last line end", b"data: a\n\ndata: b", &["|a @6:1", "|b @15:3"]),
    ("cut field", b"data: a\n\nda", &["|a @6:1"]),
    ("characters", "data: 北京😀\n\n".as_bytes(), &["|北京😀 @6:1"]),
    ("colons", b"data: a: b\n\n", &["|a: b @6:1"]),
    ("leading lines", b"\n\r\ndata: a\n\n", &["|a @9:3"]),
    ("ndjson", b"{\"a\":1}\n{\"b\":2}\n", &["|{\"a\":1} @0:1", "|{\"b\":2} @8:2"]),
    ("ndjson crlf", b"{\"a\":1}\r\n\r\n{\"b\":2} \r\n", &["|{\"a\":1} @0:1", "|{\"b\":2} @11:3"]),
    ("ndjson cut", b"{\"a\":1}\n{\"b\":", &["|{\"a\":1} @0:1", "|{\"b\": @8:2"]),
    (
        "ndjson broken line",
        b"{\"a\":1}\n{\"b\":[\nsorry\n  {\"c\":3}",
        &["|{\"a\":1} @0:1", "|{\"b\":[ @8:2", "|sorry @15:3", "|{\"c\":3} @23:4"],
    ),
    ("body", b"{\"a\":\"}{\"}", &["|{\"a\":\"}{\"} @0:1"]),
    ("body over lines", b"\n {\n  \"a\": [\n1]}\n \n", &["|{\n  \"a\": [\n1]} @2:2"]),
    ("body with bom", b"\xEF\xBB\xBF{\"a\":1}", &["|{\"a\":1} @3:1"]),
    ("bodies", b"{\n\"a\":1}\n{\"b\":\n2} {}", &["|{\n\"a\":1} @0:1", "|{\"b\":\n2} @9:3", "|{} @18:4"]),
    ("bodies on a line", b"{\"a\":1}{\"b\":2}\n[3]", &["|{\"a\":1} @0:1", "|{\"b\":2} @7:1", "|[3] @15:2"]),
    ("body and words", b"{\n}\nsorry {\n{}", &["|{\n} @0:1", "|sorry {\n{} @4:3"]),
    ("words after a body", b"{\n}\nsorry\n{}", &["|{\n} @0:1", "|sorry @4:3", "|{} @10:4"]),
    ("cut body", b"{\"a\":[\n1", &["|{\"a\":[\n1 @0:1"]),
    ("array", b"[{\"a\":1},\r\n{\"a\":2}]", &["|{\"a\":1} @1:1", "|{\"a\":2} @11:2"]),
    ("array of anything", b" [1,\"{\", [{}],\n{\"a\":[2]} ]\n", &["|[{}] @9:1", "|{\"a\":[2]} @15:2"]),
    ("cut array", b"[{\"a\":1},{\"a\"", &["|{\"a\":1} @1:1", "|{\"a\" @9:1"]),
    ("behind an array", b"[{}]\n{\"a\":1}", &["|{} @1:1", "|{\"a\":1} @5:2"]),
];

#[test]
fn cases_in_any_pieces() {
    for (name, bytes, events) in CASES {
        let expected: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        for size in [bytes.len(), 1, 2, 3, 5, 7] {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            assert_eq!(frame(&pieces, 1 << 20), (expected.clone(), None), "{name} in pieces of {size}");
        }
        for at in 0..=bytes.len() {
            let (a, b) = bytes.split_at(at);
            assert_eq!(frame(&[a, &[], b], 1 << 20), (expected.clone(), None), "{name} cut at {at}");
        }
    }
}

#[test]
fn no_recording() {
    use WireErrorKind as Kind;
    let cases: &[(&[u8], Kind, u64, u64)] = &[
        (b"", Kind::Empty, 0, 1),
        (b" \r\n\t", Kind::Empty, 0, 1),
        (b"\xEF\xBB\xBF", Kind::Empty, 0, 1),
        (b"\n <!DOCTYPE html><title>502: Bad Gateway", Kind::Markup, 2, 2),
        (b"<", Kind::Markup, 0, 1),
        (b"\x1F\x8B\x08\x00\x00", Kind::Compressed, 0, 1),
        (b"\x28\xB5\x2F\xFD\x04", Kind::Compressed, 0, 1),
        (b"\x7FELF\x02\x01", Kind::Binary, 0, 1),
        (b"\xFF\xFE{\x00", Kind::Binary, 0, 1),
        (b"HTTP/1.1 200 OK\r\n", Kind::NotARecording, 0, 1),
        (b"Number of tokens exceeds limit.", Kind::NotARecording, 0, 1),
        (b"dat", Kind::NotARecording, 0, 1),
        (b"\"{\"", Kind::NotARecording, 0, 1),
    ];
    for (bytes, kind, offset, line) in cases {
        for size in [bytes.len().max(1), 1, 3] {
            let (events, stop) = frame(&bytes.chunks(size).collect::<Vec<_>>(), 1 << 20);
            let stop = stop.unwrap();
            assert!(events.is_empty());
            let got = (stop.kind, stop.place.offset, stop.place.line);
            assert_eq!(got, (kind.clone(), *offset, *line), "{}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn the_limit_of_an_opening() {
    for (blank, rest, event) in
        [(MAX_OPENING, "{}", true), (MAX_OPENING + 1, "{}", false), (MAX_OPENING + 1, "", false)]
    {
        let bytes = [&vec![b' '; blank][..], rest.as_bytes()].concat();
        for size in [bytes.len(), 1, 1000] {
            let (events, stop) = frame(&bytes.chunks(size).collect::<Vec<_>>(), 1 << 20);
            let kind = (!event).then_some(WireErrorKind::NotARecording);
            assert_eq!((events.len(), stop.map(|stop| stop.kind)), (usize::from(event), kind), "{blank}");
        }
    }
    let stop = Framer::new(1 << 20).push(&[b'x'; MAX_OPENING + 1], &mut |_| Ok(()));
    assert_eq!(stop.unwrap_err().kind, WireErrorKind::NotARecording, "it is known before the end");
}

#[test]
fn the_limit_of_an_event() {
    let limit = 18;
    let too_long = WireErrorKind::TooMuch(Exceeded::EventBytes(limit));
    let cases: [(&[u8], bool); 8] = [
        (b"data: 4567890123\n\ndata: 4567890123\n\n", true),
        (b"data: 45678901234\n\n", false),
        (b"data: 3\ndata: 8\n\n", true),
        (b"data: 3\ndata: 890\n\n", false),
        (b": 34567890123456789\n\n", false),
        (b"{\"a\":\"7890123456\"}\n{\"a\":\"7890123456\"}\n", true),
        (b"{\"a\":\"78901234567\"}\n", false),
        (b"{\"a\":1}\n{\"a\":\"78901234567\"}\n", false),
    ];
    for (bytes, fits) in cases {
        for size in [bytes.len(), 1, 5] {
            let (_, stop) = frame(&bytes.chunks(size).collect::<Vec<_>>(), limit);
            let expected = if fits { None } else { Some(too_long.clone()) };
            assert_eq!(stop.map(|stop| stop.kind), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }
}

/// Lines that mean something to the framing, and bytes that mean nothing.
fn recording() -> impl Strategy<Value = Vec<u8>> {
    const PARTS: &[&[u8]] = &[
        b"data: ",
        b"data",
        b":",
        b"event: e",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"{\"a\":",
        b"\"}\\\"",
        b"}",
        b"[",
        b"]",
        b" ",
        b"\xEF\xBB\xBF",
        b"\xE5\x8C\x97",
        b"\xFF",
        b"x",
    ];
    prop::collection::vec(prop::sample::select(PARTS), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pieces_do_not_matter(bytes in recording(), cuts in prop::collection::vec(0usize..200, 0..8)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(frame(&pieces, 1 << 20), frame(&[&bytes], 1 << 20));
        prop_assert_eq!(frame(&pieces, 24), frame(&[&bytes], 24));
    }

    #[test]
    fn data_comes_through(
        events in prop::collection::vec("[^\r\n]{1,12}(\n[^\r\n]{0,6}){0,2}", 1..6),
        end in prop_oneof![Just("\n"), Just("\r"), Just("\r\n")],
    ) {
        let mut recording = String::new();
        for event in &events {
            for line in event.split('\n') {
                recording += &format!("data: {line}{end}");
            }
            recording += end;
        }
        let mut found = Vec::new();
        let mut framer = Framer::new(1 << 20);
        let mut note = |event: Event<'_>| {
            if event.filler {
                return Ok(());
            }
            found.push(String::from_utf8(event.data.to_vec()).unwrap_or_default());
            Ok(())
        };
        for byte in recording.as_bytes() {
            framer.push(&[*byte], &mut note).unwrap();
        }
        framer.finish(&mut note).unwrap();
        prop_assert_eq!(found, events);
    }
}
