"""Text files that are not what they should be: what is wrong is said rightly, and nothing is read wrongly."""

from __future__ import annotations

import gzip
import random
import struct
from contextlib import nullcontext
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.engines.text_checks import check_lines_of, is_whole
from clustermark.errors import InputError
from needs import need

duckdb = need("duckdb")
pa = need("pyarrow")
ENGINES = ["duckdb", "polars", "datafusion"]
TEXT = "t,p\nZürich,1\nb,Zürich\n"
TABLE = cm.crosstab(["Zürich", "b"], ["1", "Zürich"])

WRONG = {
    "random bytes": (random.Random(1).randbytes(5000), "this is no text"),
    "random bytes after a header": (b"t,p\n" + random.Random(2).randbytes(5000), "this is no text"),
    "UTF-16": (TEXT.encode("utf-16"), r"the text is UTF-16; choose reading=\{'encoding': 'utf-16'\}"),
    "UTF-16 without a mark": (TEXT.encode("utf-16-le"), "the text is UTF-16; choose"),
    "the other UTF-16": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "convert it to UTF-8"),
    "the other UTF-16 without a mark": (TEXT.encode("utf-16-be"), "convert it to UTF-8"),
    "UTF-32": (TEXT.encode("utf-32"), "the text is UTF-32, which is not read; convert it to UTF-8"),
    "Parquet": (b"PAR1\x15\x04", "but a Parquet file"),
    "gzip": (gzip.compress(TEXT.encode()), "but compressed by gzip"),
    "a spreadsheet": (b"PK\x03\x04\x14", "but a zip archive"),
    "an endless header": (b"t" * 200_000 + b",p\n", "the first line cannot be read"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", WRONG)
def test_bytes_that_are_no_csv_file(tmp_path, what, engine):
    need(engine)
    content, said = WRONG[what]
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(InputError, match=rf"x\.csv: .*{said}"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", engine=engine)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-8-sig"])
def test_hints_are_right(tmp_path, encoding):
    path = tmp_path / "x.csv"
    path.write_bytes(TEXT.encode(encoding))
    if encoding == "utf-8-sig":
        for reading in (None, {"encoding": "utf-8-sig"}, {"encoding": "UTF_8_SIG"}):
            assert cm.crosstab(path, true="t", pred="p", reading=reading) == TABLE
        return
    hinted = encoding.removesuffix("-le")
    with pytest.raises(InputError, match=rf"reading=\{{'encoding': '{hinted}'\}}"):
        cm.crosstab(path, true="t", pred="p")
    assert cm.crosstab(path, true="t", pred="p", reading={"encoding": hinted}) == TABLE


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "base64", "hex", "zlib", "idna", "undefined"])
def test_an_encoding_that_does_not_exist(tmp_path, encoding):
    (tmp_path / "x.csv").write_text(TEXT)
    with pytest.raises(InputError, match="there is no such encoding of texts"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", reading={"encoding": encoding})


@pytest.mark.slow
def test_an_encoding_that_is_not_that_of_the_file(tmp_path):
    (tmp_path / "x.csv").write_text(TEXT)
    for encoding, said in (
        ("utf-16", r"x\.csv: the text cannot be read with"),
        ("utf-32", r"x\.csv: the text cannot be read with"),
        ("cp1251", "does not read the encoding cp1251; convert it to UTF-8, such as by: iconv -f cp1251"),
    ):
        with pytest.raises(InputError, match=said):
            cm.crosstab(tmp_path / "x.csv", true="t", pred="p", reading={"encoding": encoding})


def test_a_text_of_windows_has_a_way_out(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"t,p\n\x80,x\n\x93,y\n")
    with pytest.raises(InputError, match="iconv -f CP1252 -t UTF-8"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", reading={"encoding": "latin-1"})


def test_lines_that_end_in_different_ways(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"t,p\r\na,x\nb,y\r\n")
    with pytest.raises(InputError, match=r"x\.csv: not a regular CSV file; do its lines end in different ways"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p")


HEADERS = {
    "a statement": ('"a""; drop table t; --",b', ['a"; drop table t; --', "b"]),
    "delimiters within quotes": ('"a;;;;",b', ["a;;;;", "b"]),
    "a line break within quotes": ('"a\n;;;",b', ["a\n;;;", "b"]),
    "a quote within a name": ('5" disk,6" disk', ['5" disk', '6" disk']),
    "another delimiter": ('"a,b,c";d', ["a,b,c", "d"]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", HEADERS)
def test_a_valid_header_names_its_columns(tmp_path, what, engine):
    need(engine)
    line, names = HEADERS[what]
    delimiter = ";" if what == "another delimiter" else ","
    (tmp_path / "x.csv").write_text(f"{line}\n1{delimiter}2\n1{delimiter}3\n")
    table = cm.crosstab(tmp_path / "x.csv", true=names[0], pred=names[1], engine=engine)
    assert table == cm.crosstab(["1", "1"], ["2", "3"])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_field_of_three_million_characters(tmp_path, engine):
    need(engine)
    (tmp_path / "x.csv").write_text(f"t,p\na,{'x' * 3_000_000}\nb,y\n")
    assert cm.crosstab(tmp_path / "x.csv", true="t", pred="p", engine=engine).n_cells == 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("after", [b"\nb,y\n", b""], ids=["in the middle", "at the end"])
def test_a_line_that_never_ends(tmp_path, engine, after):
    need(engine)
    (tmp_path / "x.csv").write_bytes(b"t,p\na," + b"x" * 17_000_000 + after)
    with pytest.raises(InputError, match=r"x\.csv: a line is longer than 16 MB \(line 2\)"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_last_line_beyond_the_buffer_of_duckdb(tmp_path, ending):
    """DuckDB omits it, without an error, where it reads in parallel."""
    path = tmp_path / f"x.csv{ending}"
    with gzip.open(path, "wb", 1) if ending else path.open("wb") as file:
        file.write(b"t,p\n1,2\n3,4\n")
        for _ in range(260):
            file.write(b"x" * 10**6)
        file.write(b",1\n")
    with pytest.raises(InputError, match=r"a line is longer than 16 MB \(line 4\)"):
        cm.crosstab(path, true="t", pred="p")


@given(st.lists(st.sampled_from([b"x", b"xxxx", b"x" * 9, b"\n", b"\r", b"\r\n"]), max_size=40).map(b"".join))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_line_that_is_too_long_is_found(tmp_path, text):
    (tmp_path / "x.csv").write_bytes(text)
    longest = max(len(line) for line in text.replace(b"\r", b"\n").split(b"\n"))
    with (
        patch.multiple("clustermark.engines.text_checks", LONGEST_LINE=16, _STEP=8, _PIECE=4),
        pytest.raises(InputError, match="longer") if longest > 16 else nullcontext(),
    ):
        check_lines_of(str(tmp_path / "x.csv"))


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    """Rows of two letters, so that a file that is cut off often ends with a whole row."""
    text = b"t,p\n" + b"".join(b"%c,%c\n" % (65 + i * i % 26, 65 + i % 26) for i in range(300_000))
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(text)
    return {"gz": gzip.compress(text), "zst": sink.getvalue().to_pybytes()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_compressed_file_that_is_damaged(tmp_path, packed, kind, engine):
    need(engine)
    path = tmp_path / f"x.csv.{kind}"
    content = packed[kind]
    path.write_bytes(content)
    assert cm.crosstab(path, true="t", pred="p", engine=engine).n_used == 300_000
    for cut in (3, 10, len(content) // 3, len(content) // 2, len(content) - 5, len(content) - 1):
        path.write_bytes(content[:cut])
        with pytest.raises(InputError):
            cm.crosstab(path, true="t", pred="p", engine=engine)
    path.write_bytes(b"t,p\na,b\n")
    with pytest.raises(InputError, match=rf"x\.csv\.{kind}: the compressed file is damaged or cut off"):
        cm.crosstab(path, true="t", pred="p", engine=engine)


def test_whole_files_of_zstd(tmp_path, packed):
    path = tmp_path / "x.zst"
    skippable = b"\x5a\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    for content in (packed["zst"], packed["zst"] * 2, skippable + packed["zst"] + skippable):
        path.write_bytes(content)
        assert is_whole(path)
        path.write_bytes(content[:-1])
        assert not is_whole(path)
        path.write_bytes(content + b"?")
        assert not is_whole(path)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_damaged_arrow_file_is_refused(tmp_path, engine):
    feather = need("pyarrow", "feather").feather
    path = tmp_path / "x.arrow"
    feather.write_feather(pa.table({"t": ["ab"] * 100, "p": list(range(100))}), path, compression="uncompressed")
    content = bytearray(path.read_bytes())
    offsets = content.find(struct.pack("<4i", 0, 2, 4, 6))
    content[offsets + 4 * 50 + 3] ^= 0x40
    path.write_bytes(content)
    with pytest.raises(cm.ClustermarkError):
        cm.crosstab(path, true="t", pred="p", engine=engine)


IRREGULAR = {
    "text after a closing quote": 't,p\n"a"b,x\nc,y\n',
    "text after a closing quote in the header": '"t"u,p\na,x\n',
    "a quote that does not close": 't,p\na,x\n"c,y\n',
    "a quote that does not close in the last field": 't,p\na,x\nc,"\n',
    "an empty field too many": "t,p\na,x,\nc,y\n",
    "an empty quoted field too many": 't,p\na,x,""\nc,y\n',
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", IRREGULAR)
def test_csv_that_is_not_regular_is_refused(tmp_path, what, engine):
    need(engine)
    (tmp_path / "x.csv").write_text(IRREGULAR[what])
    with pytest.raises(InputError, match=r"x\.csv: (not a regular|cannot read it as a regular|the first line cannot)"):
        cm.crosstab(tmp_path / "x.csv", true="t", pred="p", engine=engine)


def read_or_refuse(path, engine):
    try:
        return cm.crosstab(path, true="t", pred="p", missing="cluster", engine=engine)
    except InputError:
        return None


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text('"a, \n', max_size=8))
def test_engines_read_the_same_csv_or_refuse_it(tmp_path, body):
    (tmp_path / "x.csv").write_text(f"t,p\nx,y\n{body}")
    one, other = (read_or_refuse(tmp_path / "x.csv", engine) for engine in ("duckdb", "polars"))
    assert one is None or other is None or one == other
