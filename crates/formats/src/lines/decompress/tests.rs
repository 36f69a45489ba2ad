use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::lines::compress::compressor;
use crate::lines::testing::{csv, hex, named, read_all};
use crate::testing::Random;

/// Unpacks a file that comes in blocks of so many bytes.
fn unpack(codec: Codec, file: &[u8], block: usize) -> Result<Vec<u8>, String> {
    let mut unpacker = Unpacker::new(codec)?;
    let mut text = Vec::new();
    for part in file.chunks(block.max(1)) {
        let mut block = Bytes::copy_from_slice(part);
        while unpacker.next(&mut block)? {
            assert!(unpacker.piece().len() <= unpacker.out.capacity());
            text.extend_from_slice(unpacker.piece());
        }
        assert!(block.is_empty());
    }
    unpacker.end()?;
    Ok(text)
}

/// The same whatever the blocks.
fn unpack_all(codec: Codec, file: &[u8]) -> Result<Vec<u8>, String> {
    let whole = unpack(codec, file, file.len());
    for block in [1, 2, 7, 100] {
        assert_eq!(
            unpack(codec, file, block),
            whole,
            "{codec:?} in blocks of {block}"
        );
    }
    whole
}

const FIRST: &str = "alpha,1\nbeta,2\r\n";
const SECOND: &str = "δέλτα,3\rgamma,4";

/// A text that packs well.
fn repeated() -> String {
    (0..200)
        .map(|row| format!("{},wert ä\n", row % 7))
        .collect()
}

/// What Python's gzip, zlib, bz2 and lzma, and pyarrow's zstd make of the two texts. The first gzip file has no name,
/// the second one has; the two xz files have different checksums.
const STREAMS: [(Codec, &str, &str); 5] = [
    (
        Codec::Gzip,
        "1f8b08000000000002034bcc29c848d431e44a4a2d49d431e2e50200583c790810000000",
        "1f8b08080100000002ff622e637376003bb7e5dcda73bbcfb79cdba863cc9b9e989b9ba86302002e2316f514000000",
    ),
    (
        Codec::Deflate,
        "789c4bcc29c848d431e44a4a2d49d431e2e502002c6a047f",
        "789c3bb7e5dcda73bbcfb79cdba863cc9b9e989b9ba863020081250a28",
    ),
    (
        Codec::Bzip2,
        "425a68393141592653594b24fc50000004d98000120004300032444400200021a001a10340d057891230d8c344f8bb9229c28482\
         5927e280",
        "425a683931415926535967deaf7f000008d95c000200040c00208204000002240800 01a00031000006a64c231a2fdd84cc2b1206\
         5de1d17724538509067deaf7f0",
    ),
    (
        Codec::Xz,
        "fd377a585a000004e6d6b446020021011600000074 2fe5a301000f616c7068612c310a626574612c320d0a006dc47809625d3cb6\
         00012810e50b6c601fb6f37d010000000004595a",
        "fd377a585a0000016922de36020021011600000074 2fe5a3010013ceb4ceadcebbcf84ceb12c330d67616d6d612c34002e2316f5\
         00012814fccf016790429 90d010000000001595a",
    ),
    (
        Codec::Zstd,
        "28b52ffd2010810000616c7068612c310a626574612c320d0a",
        "28b52ffd2014a10000ceb4ceadcebbcf84ceb12c330d67616d6d612c34",
    ),
];

#[test]
fn streams_are_read_one_after_the_other() {
    for (codec, first, second) in STREAMS {
        let (first, second) = (hex(first), hex(second));
        assert_eq!(unpack_all(codec, &first).unwrap(), FIRST.as_bytes());
        assert_eq!(unpack_all(codec, &second).unwrap(), SECOND.as_bytes());
        let both = [first.clone(), second.clone(), first].concat();
        let text = [FIRST, SECOND, FIRST].concat();
        assert_eq!(unpack_all(codec, &both).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    for (codec, first, second) in STREAMS {
        let first = hex(first);
        let both = [first.clone(), hex(second)].concat();
        for length in 0..both.len() {
            let text = unpack(codec, &both[..length], 5);
            if length == first.len() {
                assert_eq!(text.unwrap(), FIRST.as_bytes());
                continue;
            }
            let error = text.unwrap_err();
            let name = codec.name();
            assert_eq!(
                error,
                format!("decompressing {name}: the file ends within it, so it is cut off"),
                "{length}"
            );
        }
    }
}

#[test]
fn what_follows_a_stream_must_be_another_one() {
    for (codec, first, _) in STREAMS {
        let first = hex(first);
        for garbage in [&b"x"[..], b"garbage", b"\0\0\0\0x", &first[1..]] {
            let file = [&first, garbage].concat();
            assert!(unpack_all(codec, &file).is_err(), "{codec:?} {garbage:?}");
        }
        let padded = [&first[..], &[0; 8]].concat();
        match codec {
            // gzip files are filled up with zeros, and xz files may be with four at a time.
            Codec::Gzip | Codec::Xz => {
                assert_eq!(unpack_all(codec, &padded).unwrap(), FIRST.as_bytes());
            }
            _ => assert!(unpack_all(codec, &padded).is_err(), "{codec:?}"),
        }
        assert!(
            unpack_all(codec, b"id,v\n1,2\n3,4\n5,6\n").is_err(),
            "{codec:?}"
        );
    }
    let error = |file: &[u8]| unpack(Codec::Gzip, file, 100).unwrap_err();
    let first = hex(STREAMS[0].1);
    assert_eq!(
        error(&[&first[..], b"x,y\n"].concat()),
        "decompressing gzip: what follows the end of a member is no other one: incorrect header check"
    );
    assert_eq!(
        error(&[&first[..], b"\0\0x"].concat()),
        "decompressing gzip: bytes follow the zeros behind its end"
    );
    assert_eq!(
        error(b"id,v\n1,2"),
        "decompressing gzip: incorrect header check"
    );
}

#[test]
fn changed_bytes_are_found_by_checksums() {
    for (codec, first, _) in STREAMS {
        // pyarrow's zstd has none.
        if codec == Codec::Zstd {
            continue;
        }
        let first = hex(first);
        let mut unnoticed = Vec::new();
        for at in 0..first.len() {
            let mut changed = first.clone();
            changed[at] ^= 0x10;
            match unpack(codec, &changed, 3) {
                Ok(text) if text == FIRST.as_bytes() => unnoticed.push(at),
                Ok(text) => panic!("{codec:?} {at}: {text:?}"),
                Err(_) => {}
            }
        }
        // Time and system of a gzip file, and the bits between the last block of deflate and the checksum.
        let meaningless: &[usize] = match codec {
            Codec::Gzip => &[4, 5, 6, 7, 8, 9, 27],
            Codec::Deflate => &[19],
            _ => &[],
        };
        assert_eq!(unnoticed, meaningless, "{codec:?}");
    }
}

#[test]
fn zstd_frames_to_skip_are_skipped() {
    let skipped = hex("502a4d18 03000000 616263");
    let frame = hex(STREAMS[4].1);
    let file = [&skipped[..], &frame, &skipped].concat();
    assert_eq!(unpack_all(Codec::Zstd, &file).unwrap(), FIRST.as_bytes());
}

/// A codec's name in the options, and how a file of it looks to a reader.
const BOTH_WAYS: [(&str, Codec); 6] = [
    ("gzip", Codec::Gzip),
    ("deflate", Codec::Deflate),
    ("bzip2", Codec::Bzip2),
    ("zstd", Codec::Zstd),
    ("snappy", Codec::Snappy),
    ("lz4", Codec::Lz4),
];

/// Packs a text in parts, of which each third is flushed.
fn pack(codec: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut compressor = compressor(codec, 3).unwrap().unwrap();
    for (index, part) in parts.iter().enumerate() {
        compressor.write(part, &mut packed).unwrap();
        if index % 3 == 2 {
            compressor.flush(&mut packed).unwrap();
        }
    }
    compressor.finish(&mut packed).unwrap();
    packed
}

fn xz(text: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn texts_come_back_whatever_the_blocks(
        parts in prop::collection::vec(prop::collection::vec(prop_oneof![Just(b'a'), any::<u8>()], 0..400), 0..6),
        block in 1_usize..40,
        streams in 1_usize..4,
    ) {
        let parts: Vec<_> = parts.iter().map(Vec::as_slice).collect();
        let text = parts.concat().repeat(streams);
        for (name, codec) in BOTH_WAYS {
            let packed = pack(name, &parts).repeat(streams);
            prop_assert_eq!(unpack(codec, &packed, block).unwrap(), text.clone(), "{}", name);
        }
        let packed = xz(&parts.concat()).repeat(streams);
        prop_assert_eq!(unpack(Codec::Xz, &packed, block).unwrap(), text);
    }
}

#[test]
fn long_texts_come_back_in_pieces() {
    let mut random = Random::new(3);
    let text: Vec<u8> = (0..900_000)
        .map(|at| {
            if at / 50_000 % 2 == 0 {
                random.next() as u8
            } else {
                b'a' + (at % 17) as u8
            }
        })
        .collect();
    let parts: Vec<_> = text.chunks(130_001).collect();
    for (name, codec) in BOTH_WAYS {
        let packed = pack(name, &parts);
        for block in [999, 100_000, packed.len()] {
            assert!(unpack(codec, &packed, block).unwrap() == text, "{name}");
        }
    }
    assert!(unpack(Codec::Xz, &xz(&text), 5_000).unwrap() == text);
}

#[test]
fn few_bytes_that_stand_for_many_are_unpacked_piece_by_piece() {
    let text = [vec![b'a'; 999], vec![b'\n']].concat().repeat(20_000);
    let mut files: Vec<_> = BOTH_WAYS
        .iter()
        .map(|(name, codec)| (*codec, pack(name, &[&text])))
        .collect();
    files.push((Codec::Xz, xz(&text)));
    for (codec, file) in files {
        assert!(file.len() < text.len() / 15, "{codec:?}: {}", file.len());
        let mut unpacker = Unpacker::new(codec).unwrap();
        let mut block = Bytes::from(file);
        let mut length = 0;
        while unpacker.next(&mut block).unwrap() {
            assert_eq!(unpacker.out.capacity(), WINDOW);
            length += unpacker.piece().len();
        }
        unpacker.end().unwrap();
        assert_eq!(length, text.len());
    }
}

#[test]
fn files_are_unpacked_by_their_extension() {
    let lines = [repeated(), "last".to_owned()].concat();
    let expected: Vec<_> = lines.lines().collect();
    for (name, codec) in BOTH_WAYS {
        let file = named(
            &format!("/t/a.csv.{}", codec.extension()),
            pack(name, &[lines.as_bytes()]),
        );
        assert_eq!(read_all(file, None, csv()).unwrap(), expected);
    }
    assert_eq!(
        read_all(named("/t/a.xz", xz(lines.as_bytes())), None, csv()).unwrap(),
        expected
    );
    // A broken file names itself.
    let mut cut = pack("gzip", &[lines.as_bytes()]);
    cut.truncate(cut.len() - 1);
    assert_eq!(
        read_all(named("/t/a.csv.gz", cut), None, csv())
            .unwrap_err()
            .to_string(),
        "/t/a.csv.gz: not a readable csv file: decompressing gzip: the file ends within it, so it is cut off"
    );
    for extension in ["gz", "deflate", "bz2", "zst", "xz"] {
        let empty = named(&format!("/t/a.{extension}"), Bytes::new());
        let error = read_all(empty, None, csv()).unwrap_err().to_string();
        assert!(error.ends_with("so it is cut off"), "{error}");
    }
    for extension in ["snappy", "lz4"] {
        let empty = named(&format!("/t/a.{extension}"), Bytes::new());
        assert_eq!(read_all(empty, None, csv()).unwrap(), [""; 0]);
    }
}

#[test]
fn files_changed_anywhere_never_crash() {
    let text = repeated();
    let mut random = Random::new(9);
    let mut files: Vec<_> = BOTH_WAYS
        .iter()
        .map(|(name, codec)| (*codec, pack(name, &[text.as_bytes()]).repeat(2)))
        .collect();
    files.push((Codec::Xz, xz(text.as_bytes()).repeat(2)));
    for (codec, file) in files {
        let mut refused = 0;
        for _ in 0..400 {
            let mut changed = file.clone();
            for _ in 0..=random.below(2) {
                let at = random.below(changed.len() as u64) as usize;
                match random.below(4) {
                    0 => changed[at] = random.next() as u8,
                    1 => changed[at] ^= 1 << random.below(8),
                    2 => drop(changed.remove(at)),
                    _ => changed.insert(at, 0xff),
                }
            }
            match unpack(codec, &changed, 64) {
                Ok(text) => assert!(text.len() < 100_000),
                Err(error) => {
                    assert!(error.starts_with("decompressing "));
                    refused += 1;
                }
            }
        }
        assert!(refused > 100, "{codec:?}: {refused}");
    }
}
