use std::io::Read;

use arrow_array::cast::AsArray;
use ftable_core::{FileFormatKind, FormatTableOptions};

use super::*;
use crate::testing::{batch, columns, options};

/// Renders texts in brackets behind a header.
struct Bracketed(usize);

impl RowRenderer for Bracketed {
    fn header(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.0 += 1;
        assert_eq!(self.0, 1, "the header is written once");
        out.extend_from_slice(b"header\n");
        Ok(())
    }

    fn rows(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        for text in batch.column(0).as_string::<i32>() {
            out.extend_from_slice(format!("[{}]\n", text.unwrap()).as_bytes());
        }
        Ok(())
    }
}

fn rows(texts: &[&str]) -> RecordBatch {
    let texts = arrow_array::StringArray::from(texts.to_vec());
    batch(&columns("a STRING"), vec![std::sync::Arc::new(texts)])
}

fn of_codec(codec: &str) -> std::sync::Arc<FormatTableOptions> {
    options(FileFormatKind::Csv, &[("file.compression", codec)])
}

fn encoder(codec: &str) -> Box<dyn FileEncoder> {
    line_encoder("csv", Bracketed(0), &of_codec(codec)).unwrap()
}

const CODECS: [&str; 7] = ["none", "gzip", "deflate", "bzip2", "zstd", "snappy", "lz4"];

/// What other decoders make of a file, which may lack its end.
fn unpacked(codec: &str, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    // What is there is read before the missing end is an error.
    let _ = match codec {
        "none" => (&mut &*bytes).read_to_end(&mut text),
        "gzip" => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut text),
        "deflate" => flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut text),
        "bzip2" => bzip2::read::MultiBzDecoder::new(bytes).read_to_end(&mut text),
        "zstd" => zstd::stream::read::Decoder::new(bytes)
            .unwrap()
            .read_to_end(&mut text),
        _ => {
            text = unframed(codec, bytes);
            Ok(text.len())
        }
    };
    text
}

/// Hadoop's framing, read by its definition.
fn unframed(codec: &str, mut bytes: &[u8]) -> Vec<u8> {
    let number = |bytes: &mut &[u8]| {
        let (number, rest) = bytes.split_first_chunk::<4>().unwrap();
        *bytes = rest;
        u32::from_be_bytes(*number) as usize
    };
    let mut text = Vec::new();
    while !bytes.is_empty() {
        let end = text.len() + number(&mut bytes);
        while text.len() < end {
            let length = number(&mut bytes);
            let (chunk, rest) = bytes.split_at(length);
            bytes = rest;
            text.extend(match codec {
                "snappy" => snap::raw::Decoder::new().decompress_vec(chunk).unwrap(),
                _ => lz4_flex::block::decompress(chunk, end - text.len()).unwrap(),
            });
        }
        assert_eq!(text.len(), end);
    }
    text
}

#[test]
fn every_codec_is_read_by_other_decoders() {
    let long = "long ".repeat(100_000);
    let other: String = (0..60_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) % 127) as u8 as char)
        .collect();
    for codec in CODECS {
        let mut encoder = encoder(codec);
        let mut bytes = Vec::new();
        for texts in [
            &["a", "b"][..],
            &[],
            &[long.as_str()],
            &[other.as_str(), "é"],
        ] {
            encoder.write(&rows(texts)).unwrap();
            bytes.extend_from_slice(&encoder.take_bytes());
        }
        bytes.extend_from_slice(&encoder.finish().unwrap());
        let expected = format!("header\n[a]\n[b]\n[{long}]\n[{other}]\n[é]\n");
        assert!(unpacked(codec, &bytes) == expected.as_bytes(), "{codec}");
        if codec != "none" {
            assert!(
                bytes.len() < expected.len() / 2,
                "{codec}: {} bytes",
                bytes.len()
            );
        }
    }
}

#[test]
fn what_is_flushed_can_be_read_without_what_follows() {
    for codec in CODECS {
        let mut encoder = encoder(codec);
        encoder.write(&rows(&["a"])).unwrap();
        assert_eq!(encoder.memory_size() > 0, codec != "none", "{codec}");
        encoder.flush().unwrap();
        assert_eq!(encoder.memory_size(), 0, "{codec}");
        let mut bytes = encoder.take_bytes().to_vec();
        // The last bits of a block of bzip2 wait for others to make a byte.
        if codec != "bzip2" {
            assert_eq!(unpacked(codec, &bytes), b"header\n[a]\n", "{codec}");
        }
        // Nothing is held, so nothing is written.
        encoder.flush().unwrap();
        assert!(encoder.take_bytes().is_empty(), "{codec}");
        encoder.write(&rows(&["b"])).unwrap();
        bytes.extend_from_slice(&encoder.finish().unwrap());
        assert_eq!(unpacked(codec, &bytes), b"header\n[a]\n[b]\n", "{codec}");
    }
}

#[test]
fn files_without_rows_are_empty_but_whole() {
    // The empty files of Python's gzip, zlib and bz2, of zstd and of Hadoop's snappy and LZ4.
    let expected: [(&str, &[u8]); 6] = [
        ("none", b""),
        ("deflate", b"\x78\x9c\x03\x00\x00\x00\x00\x01"),
        ("bzip2", b"BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"),
        (
            "zstd",
            b"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51",
        ),
        ("snappy", b"\0\0\0\0"),
        ("lz4", b"\0\0\0\0"),
    ];
    for (codec, bytes) in expected {
        assert_eq!(encoder(codec).finish().unwrap(), bytes, "{codec}");
        let mut without = encoder(codec);
        without.write(&rows(&[])).unwrap();
        without.flush().unwrap();
        assert!(without.take_bytes().is_empty());
        assert_eq!(without.finish().unwrap(), bytes, "{codec}");
    }
    let gzip = encoder("gzip").finish().unwrap();
    // All but the operating system, which is the tenth byte.
    assert_eq!(gzip[..3], *b"\x1f\x8b\x08");
    assert_eq!(gzip[10..], *b"\x03\0\0\0\0\0\0\0\0\0");
}

#[test]
fn sizes_are_those_of_the_file() {
    let mut plain = encoder("none");
    assert_eq!(plain.encoded_size(), 0);
    plain.write(&rows(&["a"])).unwrap();
    assert_eq!(plain.encoded_size(), 11);
    assert_eq!(plain.take_bytes().len(), 11);
    assert_eq!(plain.encoded_size(), 11);
    plain.write(&rows(&["b"])).unwrap();
    assert_eq!(plain.encoded_size(), 15);
    assert_eq!(plain.finish().unwrap(), &b"[b]\n"[..]);
    for codec in &CODECS[1..] {
        let mut encoder = encoder(codec);
        let text: String = (0..200_000_u32)
            .map(|i| (b'a' + (i.wrapping_mul(40_503) >> 7) as u8 % 26) as char)
            .collect();
        for _ in 0..10 {
            encoder.write(&rows(&[&text])).unwrap();
        }
        let estimate = encoder.encoded_size();
        assert!(encoder.memory_size() <= 1_000_000);
        let size = encoder.finish().unwrap().len() as u64;
        assert!(
            estimate <= size + 500_000 && size <= estimate + 1_000_000,
            "{codec}: {estimate} for {size}"
        );
    }
}

#[test]
fn blocks_of_hadoop_fit_the_buffers_of_its_readers() {
    let text = "x".repeat(700_000);
    for (codec, block) in [("snappy", 218_422), ("lz4", 261_100)] {
        let mut encoder = encoder(codec);
        encoder.write(&rows(&[&text])).unwrap();
        let bytes = encoder.finish().unwrap();
        let mut at = 0;
        let mut lengths = Vec::new();
        while at < bytes.len() {
            let number =
                |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
            lengths.push(number(at));
            at += 8 + number(at + 4);
        }
        let whole = "header\n".len() + text.len() + "[]\n".len();
        assert_eq!(lengths.iter().sum::<usize>(), whole);
        let (last, others) = lengths.split_last().unwrap();
        assert!(
            others.iter().all(|length| *length == block) && *last <= block,
            "{lengths:?}"
        );
    }
}

#[test]
fn zstd_has_the_level_of_the_options() {
    let text: String = (0..100_000_u32)
        .map(|i| (b'a' + ((i.wrapping_mul(i) >> 5) % 23) as u8) as char)
        .collect();
    let size = |level: &str| {
        let given = [
            ("file.compression", "zstd"),
            ("file.compression.zstd-level", level),
        ];
        let options = options(FileFormatKind::Csv, &given);
        let mut encoder = line_encoder("csv", Bracketed(0), &options).unwrap();
        encoder.write(&rows(&[&text])).unwrap();
        encoder.finish().unwrap().len()
    };
    assert!(size("19") < size("1"), "{} {}", size("19"), size("1"));
}

#[test]
fn a_codec_that_text_has_not_is_refused() {
    let mut options = (*of_codec("none")).clone();
    options.compression = "brotli".to_owned();
    let error = line_encoder("csv", Bracketed(0), &options).err().unwrap();
    assert_eq!(
        error.to_string(),
        "csv: 'file.compression' = 'brotli' is not supported: use none, gzip, bzip2, deflate, snappy, lz4 or zstd"
    );
}
