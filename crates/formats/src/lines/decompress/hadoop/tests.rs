use super::super::Unpacker;
use super::*;
use crate::lines::codec::Codec;
use crate::lines::testing::hex;

const BOTH: &str = "alpha,1\nbeta,2\r\nδέλτα,3\rgamma,4";
const SHORT: &str = "a,b,c\na,b,c\na,b,c\na,b,c\na,b,c\na,b,c\n";

fn repeated() -> String {
    (0..200)
        .map(|row| format!("{},wert ä\n", row % 7))
        .collect()
}

/// Files of Hadoop 3.4: two texts, one that packs, a longer one, none, and the longer one through a buffer of 512 bytes,
/// written at once, which gives one block of many chunks, and in twenty parts, which gives many blocks.
const SNAPPY: [&str; 6] = [
    "0000002400000026248c616c7068612c310a626574612c320d0aceb4ceadcebbcf84ceb12c330d67616d6d612c34",
    "000000240000000b2414612c622c630a760600",
    "000007d000000080d00f28302c7765727420c3a40a31150a0032150a0033150a0034150a0035150a0036150afe4600fe4600 \
     fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe46 \
     00fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe4600fe46001946",
    "00000000",
    "000007d0000000358b0328302c7765727420c3a40a31150a0032150a0033150a0034150a0035150a0036150afe4600fe4600 \
     fe4600fe4600fe46000546000000368b03247420c3a40a352c776572050a0036150a0030150a0031150a0032150a0033150a \
     0034150afe4600fe4600fe4600fe4600fe4600000000358b0328322c7765727420c3a40a33150a0034150a0035150a003615 \
     0a0030150a0031150afe4600fe4600fe4600fe4600fe46000546000000368b03247420c3a40a302c776572050a0031150a00 \
     32150a0033150a0034150a0035150a0036150afe4600fe4600fe4600fe4600fe4600000000358b0328342c7765727420c3a4 \
     0a35150a0036150a0030150a0031150a0032150a0033150afe4600fe4600fe4600fe4600fe460005460000001b19607420c3 \
     a40a322c7765727420c3a40a332c7765727420c3a40a00000000",
    "0000012c00000030ac0228302c7765727420c3a40a31150a0032150a0033150a0034150a0035150a0036150afe4600fe4600 \
     fe46009646000000012c00000030ac0228322c7765727420c3a40a33150a0034150a0035150a0036150a0030150a0031150a \
     fe4600fe4600fe46009646000000012c00000030ac0228342c7765727420c3a40a35150a0036150a0030150a0031150a0032 \
     150a0033150afe4600fe4600fe46009646000000012c00000030ac0228362c7765727420c3a40a30150a0031150a0032150a \
     0033150a0034150a0035150afe4600fe4600fe46009646000000012c00000030ac0228312c7765727420c3a40a32150a0033 \
     150a0034150a0035150a0036150a0030150afe4600fe4600fe46009646000000012c00000030ac0228332c7765727420c3a4 \
     0a34150a0035150a0036150a0030150a0031150a0032150afe4600fe4600fe4600964600000000c80000002cc80128352c77 \
     65727420c3a40a36150a0030150a0031150a0032150a0033150a0034150afe4600ee46000946",
];

/// The same of its LZ4.
const LZ4: [&str; 6] = [
    "0000002400000026f015616c7068612c310a626574612c320d0aceb4ceadcebbcf84ceb12c330d67616d6d612c34",
    "00000024000000106f612c622c630a060006502c622c630a",
    "000007d000000033b5302c7765727420c3a40a310a0015320a0015330a0015340a0015350a0015360a000f4600ffffffffff \
     ffff79507420c3a40a",
    "00000000",
    "000007d00000002db5302c7765727420c3a40a310a0015320a0015330a0015340a0015350a0015360a000f4600ff91500a30 \
     2c776500000030a2727420c3a40a312c77650a0015320a0015330a0015340a0015350a0015360a0015300a000f4600ff8b50 \
     65727420c30000002fd5a40a312c7765727420c3a40a320a0015330a0015340a0015350a0015360a0015300a000f4600ff8f \
     50c3a40a312c00000030a47765727420c3a40a322c0a0015330a0015340a0015350a0015360a0015300a0015310a000f4600 \
     ff89502c7765727400000018a020c3a40a322c776572740a00a0332c7765727420c3a40a00000000",
    "000001900000002db5302c7765727420c3a40a310a0015320a0015330a0015340a0015350a0015360a000f4600ff33507420 \
     c3a40a000001900000002db5352c7765727420c3a40a360a0015300a0015310a0015320a0015330a0015340a000f4600ff33 \
     507420c3a40a000001900000002db5332c7765727420c3a40a340a0015350a0015360a0015300a0015310a0015320a000f46 \
     00ff33507420c3a40a000001900000002db5312c7765727420c3a40a320a0015330a0015340a0015350a0015360a0015300a \
     000f4600ff33507420c3a40a000001900000002db5362c7765727420c3a40a300a0015310a0015320a0015330a0015340a00 \
     15350a000f4600ff33507420c3a40a",
];

/// The text of a file that comes in blocks of so many bytes.
fn unpack(codec: Codec, file: &[u8], block: usize) -> Result<Vec<u8>, String> {
    let mut unpacker = Unpacker::new(codec)?;
    let mut text = Vec::new();
    for part in file.chunks(block) {
        let mut block = bytes::Bytes::copy_from_slice(part);
        while unpacker.next(&mut block)? {
            text.extend_from_slice(unpacker.piece());
        }
    }
    unpacker.end()?;
    Ok(text)
}

#[test]
fn files_of_hadoop_are_read() {
    let repeated = repeated();
    let texts = [BOTH, SHORT, &repeated, "", &repeated, &repeated];
    for (codec, files) in [(Codec::Snappy, SNAPPY), (Codec::Lz4, LZ4)] {
        for (file, text) in files.into_iter().zip(texts) {
            for block in [1, 3, 50, 1000] {
                assert_eq!(unpack(codec, &hex(file), block).unwrap(), text.as_bytes());
            }
        }
        // One file behind the other, and one without text among them.
        let all = files.map(hex).concat();
        assert_eq!(unpack(codec, &all, 11).unwrap(), texts.concat().as_bytes());
    }
}

#[test]
fn the_framing_is_lengths_of_text_and_of_chunks() {
    // Thirty-six bytes of text, a chunk of eleven or sixteen, and the chunk.
    let length = |file: &[u8], at: usize| number(&file[at..at + 4]);
    for (file, chunk) in [(SNAPPY[1], 11), (LZ4[1], 16)] {
        let file = hex(file);
        assert_eq!((length(&file, 0), length(&file, 4)), (SHORT.len(), chunk));
        assert_eq!(file.len(), 8 + chunk);
    }
}

#[test]
fn a_file_that_is_cut_between_blocks_only_has_what_came_before() {
    for (codec, file) in [(Codec::Snappy, SNAPPY[5]), (Codec::Lz4, LZ4[5])] {
        let file = hex(file);
        let text = repeated();
        let mut ends = Vec::new();
        let mut at = 0;
        while at < file.len() {
            ends.push(at);
            at += 8 + number(&file[at + 4..at + 8]);
        }
        // Every block of these files is one chunk.
        assert!(ends.len() > 4 && at == file.len());
        for length in 0..file.len() {
            match unpack(codec, &file[..length], 9) {
                Ok(part) => {
                    assert!(ends.contains(&length), "{codec:?} {length}");
                    assert!(text.as_bytes().starts_with(&part));
                }
                Err(error) => {
                    assert!(!ends.contains(&length), "{codec:?} {length}");
                    assert!(error.ends_with("so it is cut off"), "{error}");
                }
            }
        }
    }
}

#[test]
fn other_framings_are_named() {
    let snappy = hex("ff060000 734e61507059 00 0d0000 00000000");
    assert_eq!(
        unpack(Codec::Snappy, &snappy, 100).unwrap_err(),
        "decompressing snappy: the file is in the snappy framing format; what is read is the framing of Hadoop's codec, \
         so compress it anew"
    );
    // pyarrow's.
    let lz4 = hex("04224d18 604082 10000080 616c7068612c310a626574612c320d0a 00000000");
    assert_eq!(
        unpack(Codec::Lz4, &lz4, 1).unwrap_err(),
        "decompressing lz4: the file is in an LZ4 frame; what is read is the framing of Hadoop's codec, so compress it \
         anew"
    );
}

#[test]
fn lengths_that_lie_are_refused() {
    for (file, codec, reason) in [
        // A chunk without bytes, and one of two gigabytes.
        ("00000024 00000000", Codec::Snappy, "a chunk has no bytes"),
        (
            "00000024 7fffffff",
            Codec::Lz4,
            "a chunk claims 2147483647 bytes; 16777216 are read at most",
        ),
        // A chunk that holds more text than its block, or says so.
        (
            "00000023 0000000b 2414612c622c630a760600",
            Codec::Snappy,
            "a chunk holds more than its block says",
        ),
        (
            "7fffffff 00000006 ffffff7f0000",
            Codec::Snappy,
            "a chunk claims 268435455 bytes of text; 16777216 are read at most",
        ),
        (
            "00000023 00000010 6f612c622c630a060006502c622c630a",
            Codec::Lz4,
            "provided output is too small for the decompressed data, actual 35, expected 36",
        ),
        // A chunk that holds less, and nothing behind it.
        (
            "00000025 0000000b 2414612c622c630a760600",
            Codec::Snappy,
            CUT_OFF,
        ),
        (
            "00000025 00000010 6f612c622c630a060006502c622c630a",
            Codec::Lz4,
            CUT_OFF,
        ),
    ] {
        let error = unpack(codec, &hex(file), 100).unwrap_err();
        assert_eq!(
            error,
            format!("decompressing {}: {reason}", codec.name()),
            "{file}"
        );
    }
    // Text under the name of a codec claims a block of gigabytes, too.
    assert!(unpack(Codec::Snappy, b"id,v\n1,2\n", 100).is_err());
    assert!(unpack(Codec::Lz4, b"id,v\n1,2\n", 100).is_err());
}

#[test]
fn what_chunks_claim_takes_no_more_room_than_they_may() {
    let mut blocks = Blocks::new(Raw::Lz4);
    let mut out = Vec::with_capacity(16);
    let file = hex("ffffffff 00000010 6f612c622c630a060006502c622c630a");
    let mut at = 0;
    while at < file.len() {
        at += blocks.unpack(&file[at..], &mut out).unwrap();
    }
    assert_eq!(out, &SHORT.as_bytes()[..out.len()]);
    // Sixteen bytes unpack to so many at most.
    assert_eq!(blocks.text.len(), 16 * LZ4_RATIO);
}
