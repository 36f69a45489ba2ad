use ftable_io::InputFile;

use super::*;
use crate::lines::InvalidText;
use crate::lines::testing::{Recorded, csv, named, read_all, text_options};
use crate::testing::{Random, count_request, run};

fn count(path: &str, content: &[u8], range: Option<Range<u64>>, format: LineFormat) -> u64 {
    let file = named(path, content.to_vec());
    run(count_lines(
        &count_request(file, range, text_options(&[])),
        format,
    ))
    .unwrap()
}

/// The lines of a range by [`Starts`] alone, fed in pieces.
fn starts(content: &[u8], range: &Range<u64>, piece: usize) -> u64 {
    let mut starts = Starts::new(range, false, false);
    for part in content[range.start as usize..].chunks(piece) {
        if starts.feed(part) {
            break;
        }
    }
    starts.lines()
}

#[test]
fn lines_are_counted_as_they_are_read() {
    for (content, expected) in [
        ("", 0),
        ("a", 1),
        ("a\n", 1),
        ("\n", 1),
        ("a\n\n\n", 3),
        ("a\nb\rc\r\nd", 4),
        ("\r\n\r\n", 2),
        ("\r\r\n\n", 3),
        ("\u{feff}", 0),
        ("\u{feff}\n", 1),
        ("\u{feff}a", 1),
    ] {
        assert_eq!(
            count("/t/a.csv", content.as_bytes(), None, csv()),
            expected,
            "{content:?}"
        );
        let header = LineFormat {
            header: true,
            ..csv()
        };
        let rows = u64::saturating_sub(expected, 1);
        assert_eq!(
            count("/t/a.csv", content.as_bytes(), None, header),
            rows,
            "{content:?}"
        );
    }
    assert_eq!(count("/t/a.csv", b"\xef\xbb", None, csv()), 1);
}

#[test]
fn ranges_count_their_own_lines() {
    for (content, range, expected) in [
        (&b"ab\ncd\n"[..], 0..2, 1),
        (b"ab\ncd\n", 2..6, 1),
        (b"ab\ncd\n", 0..3, 2),
        (b"ab\ncd\n", 3..6, 0),
        (b"line1\nline2\nline3\nline4", 0..10, 2),
        (b"line1\nline2\nline3\nline4", 10..16, 1),
        (b"line1\nline2\nline3\nline4", 16..23, 1),
        (b"a\r\nb", 0..2, 1),
        (b"a\r\nb", 2..4, 1),
        (b"\xef\xbb\xbfa\nb\n", 0..1, 1),
        (b"\xef\xbb\xbfa\nb\n", 1..2, 0),
        (b"\xef\xbb\xbfa\nb\n", 2..7, 1),
        (b"a\nb\n", 2..2, 0),
        (b"a\nb\n", 9..12, 0),
    ] {
        assert_eq!(
            count("/t/a.csv", content, Some(range.clone()), csv()),
            expected,
            "{range:?}"
        );
    }
}

#[test]
fn random_ranges_count_what_they_read() {
    let letters = ["a", "\n", "\n", "\r", "\r\n", "é", "\u{feff}"];
    let mut random = Random::new(5);
    for round in 0..3_000 {
        let mut content = String::new();
        for _ in 0..random.below(30) {
            content.push_str(letters[random.below(letters.len() as u64) as usize]);
        }
        let size = content.len() as u64;
        let from = random.below(size + 1);
        let range = from..from + random.below(size + 1 - from);
        if range.is_empty() {
            continue;
        }
        let piece = [1, 2, 3, 50][round % 4];
        // By the rule itself: each end but one at the end of the file starts a line behind it.
        let bytes = content.as_bytes();
        let ends = (0..bytes.len()).filter(|at| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts_at: Vec<u64> = ends
            .map(|at| at as u64 + 1)
            .filter(|start| *start < size)
            .collect();
        let mut expected = starts_at
            .iter()
            .filter(|start| **start > range.start && **start <= range.end)
            .count() as u64;
        let has_first = !content
            .strip_prefix('\u{feff}')
            .unwrap_or(&content)
            .is_empty();
        expected += u64::from(range.start == 0 && has_first);
        assert_eq!(
            starts(bytes, &range, piece),
            expected,
            "{content:?} {range:?}"
        );
    }
}

#[test]
fn compressed_files_and_other_delimiters_are_counted() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"id\r\n1\r\n2\r\n3").unwrap();
    let packed = encoder.finish().unwrap();
    let header = LineFormat {
        header: true,
        ..csv()
    };
    assert_eq!(count("/t/a.csv.gz", &packed, None, header), 3);
    let delimited = LineFormat {
        delimiter: "aa".to_owned(),
        ..csv()
    };
    // Two delimiters and a line, since a delimiter ends before the next begins.
    assert_eq!(count("/t/a.csv", b"1aa2aaa3", None, delimited.clone()), 3);
    assert_eq!(
        read_all(named("/t/a.csv", &b"1aa2aaa3"[..]), None, delimited).unwrap(),
        ["1", "2", "a3"]
    );
    // Text that is no UTF-8 has lines.
    let replaced = LineFormat {
        invalid_text: InvalidText::Replace,
        delimiter: ";".to_owned(),
        ..csv()
    };
    assert_eq!(count("/t/a.csv", b"\xff;\xff", None, replaced), 2);
    assert_eq!(count("/t/a.csv", b"\xff\n\xff", None, csv()), 2);
}

#[test]
fn a_range_is_read_no_further_than_it_goes() {
    let file = Arc::new(Recorded::of("/t/a.csv", 1 << 40, |at| {
        if at % 10 == 9 { b'\n' } else { b'a' }
    }));
    let shared = Arc::clone(&file) as Arc<dyn InputFile>;
    let range = 1_000_000..1_100_000;
    let lines = run(count_lines(
        &count_request(shared, Some(range), text_options(&[])),
        csv(),
    ));
    assert_eq!(lines.unwrap(), 10_000);
    assert!(
        file.asked().iter().all(|range| range.end < 2_000_000),
        "{:?}",
        file.asked()
    );
}
