use super::*;
use crate::error::Result as FormatResult;
use crate::lines::testing::csv;
use crate::testing::Random;

const MANY: u64 = 1 << 40;

/// The lines of a range of `content`, which is fed in pieces of `piece` bytes.
fn lines_of(
    content: &[u8],
    range: Option<Range<u64>>,
    format: &LineFormat,
    piece: usize,
    longest: u64,
) -> FormatResult<Vec<String>> {
    let size = content.len() as u64;
    let whole = range.is_none();
    let range = range.unwrap_or(0..size);
    let mut splitter = Splitter::new("/t/a.csv".into(), format, &range, whole, longest);
    let mut lines = Vec::new();
    let mut take = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    let mut more = true;
    for part in content[range.start as usize..].chunks(piece) {
        more = splitter.feed(part, &mut take)?;
        if !more {
            break;
        }
    }
    if more {
        splitter.finish(&mut take)?;
    }
    Ok(lines)
}

fn whole(content: &[u8], format: &LineFormat) -> Vec<String> {
    let expected = lines_of(content, None, format, 1000, MANY).unwrap();
    for piece in [1, 2, 3, 7] {
        let lines = lines_of(content, None, format, piece, MANY).unwrap();
        assert_eq!(lines, expected, "{content:?}");
    }
    expected
}

fn delimited(delimiter: &str) -> LineFormat {
    LineFormat {
        delimiter: delimiter.to_owned(),
        ..csv()
    }
}

/// The lines of a content and where they start, byte by byte.
fn one_by_one(content: &[u8]) -> Vec<(u64, String)> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    let text = |from: usize, to: usize| {
        let line = &content[from..to];
        let line = if from == 0 {
            line.strip_prefix(&MARK).unwrap_or(line)
        } else {
            line
        };
        String::from_utf8(line.to_vec()).unwrap()
    };
    while at < content.len() {
        let length = match (content[at], content.get(at + 1)) {
            (b'\r', Some(b'\n')) => 2,
            (b'\r' | b'\n', _) => 1,
            _ => {
                at += 1;
                continue;
            }
        };
        lines.push((start as u64, text(start, at)));
        at += length;
        start = at;
    }
    let last = text(start.min(content.len()), content.len());
    if !last.is_empty() {
        lines.push((start as u64, last));
    }
    lines
}

#[test]
fn lines_end_at_any_of_the_common_ends() {
    for delimiter in ["\n", "\r", "\r\n"] {
        let lines = |content: &[u8]| whole(content, &delimited(delimiter));
        assert_eq!(lines(b""), [""; 0]);
        assert_eq!(lines(b"a\n\n\n"), ["a", "", ""]);
        assert_eq!(lines(b"a"), ["a"]);
        assert_eq!(lines(b"a\nb\rc\r\nd"), ["a", "b", "c", "d"]);
        assert_eq!(lines(b"\n\r"), ["", ""]);
        assert_eq!(lines(b"\r\n\r\n"), ["", ""]);
        assert_eq!(lines(b"\r\r\n\n"), ["", "", ""]);
        // Quotes protect nothing.
        assert_eq!(lines(b"\"a\nb\",c\n"), ["\"a", "b\",c"]);
    }
}

#[test]
fn a_byte_order_mark_is_dropped_at_the_start_only() {
    let lines = |content: &str| whole(content.as_bytes(), &csv());
    assert_eq!(lines("\u{feff}a\nb"), ["a", "b"]);
    assert_eq!(lines("\u{feff}\nb"), ["", "b"]);
    assert_eq!(lines("\u{feff}"), [""; 0]);
    assert_eq!(lines("\u{feff}\u{feff}a"), ["\u{feff}a"]);
    assert_eq!(lines("a\n\u{feff}b"), ["a", "\u{feff}b"]);
    // With a delimiter of its own nothing is dropped.
    assert_eq!(
        whole("\u{feff}a;b".as_bytes(), &delimited(";")),
        ["\u{feff}a", "b"]
    );
    // A part of it is no UTF-8 text, but is there.
    let format = LineFormat {
        invalid_text: InvalidText::Replace,
        ..csv()
    };
    assert_eq!(whole(b"\xef\xbb", &format), ["\u{fffd}"]);
    assert_eq!(whole(b"\xef\xbba\n", &format), ["\u{fffd}a"]);
    assert_eq!(whole("\u{fefe}\n".as_bytes(), &format), ["\u{fefe}"]);
}

#[test]
fn other_delimiters_are_searched_from_the_left() {
    let lines = |content: &str, delimiter: &str| whole(content.as_bytes(), &delimited(delimiter));
    assert_eq!(lines("aaab", "aab"), ["a"]);
    assert_eq!(lines("a||b|c||", "||"), ["a", "b|c"]);
    assert_eq!(lines("a|||b", "||"), ["a", "|b"]);
    assert_eq!(lines("a;;b\n\r;", ";"), ["a", "", "b\n\r"]);
    assert_eq!(lines("", ";"), [""; 0]);
    assert_eq!(lines("añbñ", "ñ"), ["a", "b"]);
    let mut random = Random::new(7);
    for _ in 0..3_000 {
        let text = |random: &mut Random, most: u64| -> String {
            let length = 1 + random.below(most);
            (0..length)
                .map(|_| ['a', 'b', 'é'][random.below(3) as usize])
                .collect()
        };
        let (content, delimiter) = (text(&mut random, 30), text(&mut random, 4));
        let mut expected: Vec<_> = content.split(&delimiter).collect();
        if expected.last() == Some(&"") {
            expected.pop();
        }
        assert_eq!(
            lines(&content, &delimiter),
            expected,
            "{content} by {delimiter}"
        );
    }
}

fn range_lines(content: &[u8], range: Range<u64>, piece: usize) -> Vec<String> {
    lines_of(content, Some(range), &csv(), piece, MANY).unwrap()
}

#[test]
fn lines_belong_to_the_range_they_start_in_or_just_behind() {
    let check = |content: &[u8], ranges: &[(Range<u64>, &[&str])]| {
        for (range, expected) in ranges {
            for piece in [1, 2, 5, 100] {
                assert_eq!(
                    range_lines(content, range.clone(), piece),
                    *expected,
                    "{range:?}"
                );
            }
        }
    };
    check(b"ab\ncd\n", &[(0..2, &["ab"]), (2..6, &["cd"])]);
    check(b"ab\ncd\n", &[(0..3, &["ab", "cd"]), (3..6, &[])]);
    check(
        b"line1\nline2\nline3\nline4",
        &[
            (0..10, &["line1", "line2"]),
            (10..16, &["line3"]),
            (16..23, &["line4"]),
        ],
    );
    // Between CR and LF only the LF is passed over.
    check(
        b"a\r\nb\nc",
        &[(0..2, &["a"]), (2..3, &["b"]), (3..6, &["c"])],
    );
    check(
        b"a\rb\rc",
        &[(0..1, &["a"]), (1..2, &["b"]), (2..5, &["c"])],
    );
    // A byte order mark that the first range cuts.
    let marked = "\u{feff}a\nb\n".as_bytes();
    check(marked, &[(0..1, &["a"]), (1..2, &[]), (2..7, &["b"])]);
}

/// Ranges that follow each other give each line once, and each its own.
fn check_cuts(content: &[u8], cuts: &[u64], piece: usize) {
    let expected = one_by_one(content);
    let mut all = Vec::new();
    for pair in cuts.windows(2) {
        let range = pair[0]..pair[1];
        let own: Vec<_> = expected
            .iter()
            .filter(|(start, _)| {
                *start > range.start && *start <= range.end || *start == 0 && range.start == 0
            })
            .map(|(_, line)| line.clone())
            .collect();
        let lines = match range.is_empty() {
            true => Vec::new(),
            false => range_lines(content, range.clone(), piece),
        };
        if !range.is_empty() {
            assert_eq!(
                lines,
                own,
                "{:?} in {range:?}",
                String::from_utf8_lossy(content)
            );
        }
        all.extend(lines);
    }
    let expected: Vec<_> = expected.into_iter().map(|(_, line)| line).collect();
    assert_eq!(
        all,
        expected,
        "{:?} by {cuts:?}",
        String::from_utf8_lossy(content)
    );
    assert_eq!(whole(content, &csv()), expected);
}

#[test]
fn every_short_content_is_cut_without_loss_everywhere() {
    for length in 0..=6_u32 {
        for index in 0..4_u32.pow(length) {
            let letter = |at: u32| b"a\n\rb"[(index / 4_u32.pow(at) % 4) as usize];
            let content: Vec<u8> = (0..length).map(letter).collect();
            let size = u64::from(length);
            for first in 0..=size {
                check_cuts(&content, &[0, first, size], 1);
            }
        }
    }
}

#[test]
fn random_contents_are_cut_without_loss_anywhere() {
    let pieces = [
        "a", "bc", "\n", "\n", "\r", "\r\n", "é", "漢字", "\u{feff}", ",",
    ];
    let mut random = Random::new(11);
    for round in 0..15_000 {
        let mut content = String::new();
        if random.below(4) == 0 {
            content.push('\u{feff}');
        }
        for _ in 0..random.below(40) {
            content.push_str(pieces[random.below(pieces.len() as u64) as usize]);
        }
        let size = content.len() as u64;
        let mut cuts: Vec<_> = (0..random.below(50))
            .map(|_| random.below(size + 1))
            .collect();
        cuts.extend([0, size]);
        cuts.sort_unstable();
        let piece = [1, 2, 3, 8, 64][round % 5];
        check_cuts(content.as_bytes(), &cuts, piece);
    }
}

#[test]
fn the_header_is_the_first_line_of_the_file() {
    let format = LineFormat {
        header: true,
        ..csv()
    };
    assert_eq!(whole(b"id,v\n1,a\n2,b\n", &format), ["1,a", "2,b"]);
    assert_eq!(whole(b"id,v\n", &format), [""; 0]);
    assert_eq!(whole(b"id,v", &format), [""; 0]);
    assert_eq!(whole(b"", &format), [""; 0]);
    assert_eq!(whole("\u{feff}id\r\n1".as_bytes(), &format), ["1"]);
    let header = "id,v\n".to_owned();
    let rows: Vec<String> = (0..20).map(|row| format!("{row},{}", row * 7)).collect();
    let content = header + &rows.join("\n") + "\n";
    let size = content.len() as u64;
    for parts in 2..=7 {
        let mut all = Vec::new();
        for part in 0..parts {
            let range = part * size / parts..(part + 1) * size / parts;
            all.extend(lines_of(content.as_bytes(), Some(range), &format, 10, MANY).unwrap());
        }
        assert_eq!(all, rows);
    }
}

fn message(content: &[u8], range: Option<Range<u64>>, format: &LineFormat, longest: u64) -> String {
    let mut messages: Vec<_> = [1, 3, 1000]
        .map(|piece| lines_of(content, range.clone(), format, piece, longest).unwrap_err())
        .map(|error| error.to_string())
        .to_vec();
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

#[test]
fn bytes_that_are_no_utf_8_are_refused_by_line_or_replaced() {
    assert_eq!(
        message(b"ok\na\xffb\nok\n", None, &csv(), MANY),
        "/t/a.csv: line 2: byte 2 of it is no UTF-8; convert the file to UTF-8"
    );
    assert_eq!(
        message(b"\xffa;ok", None, &delimited(";"), MANY),
        "/t/a.csv: line 1: byte 1 of it is no UTF-8; convert the file to UTF-8"
    );
    assert_eq!(
        message(b"ok\nok\na\xc3\nok\n", Some(1..11), &csv(), MANY),
        "/t/a.csv: the line at byte 6: byte 2 of it is no UTF-8; convert the file to UTF-8"
    );
    for delimiter in ["\n", ";"] {
        let format = LineFormat {
            invalid_text: InvalidText::Replace,
            ..delimited(delimiter)
        };
        let content =
            [&b"a\xffb"[..], b"\xc3(", b"\xe6\xbc", "é".as_bytes()].join(delimiter.as_bytes());
        assert_eq!(
            whole(&content, &format),
            ["a\u{fffd}b", "\u{fffd}(", "\u{fffd}", "é"]
        );
    }
}

#[test]
fn lines_that_are_too_long_are_refused_by_line() {
    let reason = "it is longer than 4 bytes; raise the option 'format-table.read.max-line-length' if lines are so \
                  long, which takes as much memory";
    assert_eq!(
        message(b"ab\nabcde\n", None, &csv(), 4),
        format!("/t/a.csv: line 2: {reason}")
    );
    assert_eq!(
        message(b"ab\nabcde", None, &csv(), 4),
        format!("/t/a.csv: line 2: {reason}")
    );
    assert_eq!(
        message(b"ab\nabcde\n", Some(1..9), &csv(), 4),
        format!("/t/a.csv: the line at byte 3: {reason}")
    );
    assert_eq!(
        message(b"ab||abcde||", None, &delimited("||"), 4),
        format!("/t/a.csv: line 2: {reason}")
    );
    for (content, delimiter) in [("abcd\nabcd\r\nabcd", "\n"), ("abcd||abcd||abcd", "||")] {
        for piece in [1, 2, 3, 100] {
            let lines =
                lines_of(content.as_bytes(), None, &delimited(delimiter), piece, 4).unwrap();
            assert_eq!(lines, ["abcd"; 3]);
        }
    }
    // What belongs to the range before is not looked at.
    assert_eq!(
        lines_of(b"abcdefgh\nab\n", Some(1..12), &csv(), 3, 4).unwrap(),
        ["ab"]
    );
}

#[test]
fn a_long_line_takes_no_more_room_than_it_may() {
    let format = csv();
    let longest = 1_000_000;
    let mut splitter = Splitter::new("/t/a".into(), &format, &(0..MANY), true, longest);
    let mut take = |_: &str| Ok(());
    let piece = vec![b'a'; 100_000];
    for _ in 0..10 {
        assert!(splitter.feed(&piece, &mut take).unwrap());
        assert!(splitter.kept.capacity() <= longest as usize);
    }
    assert!(splitter.feed(b"a", &mut take).is_err());
    assert!(splitter.kept.capacity() <= longest as usize);
}
