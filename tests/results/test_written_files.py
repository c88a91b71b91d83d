"""Files are written whole or not at all, whatever fails."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
from contextlib import contextmanager
from threading import Barrier, Thread

import pytest

from clustermark import InputError
from clustermark.results.files import write_text, write_texts


@contextmanager
def full_disk():
    """Files of more than 1,000 bytes cannot be written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_what_was_there(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("old")
    with full_disk():
        for path, overwrite in ((old, True), (new, False), (new, True)):
            with pytest.raises(OSError, match=path.name) as caught:
                write_text("x" * 5000, path, overwrite=overwrite)
            assert caught.value.errno in (errno.EFBIG, errno.ENOSPC)
    assert old.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["old.txt"]


@pytest.mark.parametrize("overwrite", [True, False])
def test_an_interruption_leaves_what_was_there(tmp_path, monkeypatch, overwrite):
    path = tmp_path / "one.txt"
    if overwrite:
        path.write_text("old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    monkeypatch.setattr("os.link", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text("new", path, overwrite=overwrite)
    assert [one.read_text() for one in tmp_path.iterdir()] == (["old"] if overwrite else [])


@pytest.mark.parametrize("links", [True, False])
def test_of_several_writers_one_succeeds(tmp_path, monkeypatch, links):
    if not links:

        def refuse(*_):
            raise PermissionError(errno.EPERM, "no links here")

        monkeypatch.setattr("os.link", refuse)
    path, barrier, written = tmp_path / "one.txt", Barrier(8), []

    def write(number: int) -> None:
        barrier.wait()
        try:
            write_text(str(number) * 1000, path, overwrite=False)
        except InputError:
            return
        written.append(number)

    threads = [Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(written) == 1
    assert path.read_text() == str(written[0]) * 1000
    assert [one.name for one in tmp_path.iterdir()] == ["one.txt"]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "one.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text("new", link, overwrite=True)
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    with pytest.raises(InputError, match="exists already"):
        write_text("newer", link, overwrite=False)


def test_new_files_have_the_usual_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        write_text("new", tmp_path / "one.txt", overwrite=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "one.txt").stat().st_mode) == 0o640


def test_pipes_and_devices_are_written_to(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text("through", pipe, overwrite=False)
    reader.join()
    assert read == ["through"]
    write_text("nowhere", os.devnull, overwrite=False)
    with pytest.raises(OSError, match="/dev/full"):
        write_text("x", "/dev/full", overwrite=True)


def test_files_that_belong_together_are_written_both_or_not_at_all(tmp_path):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    write_texts([(one, "1"), (other, "2")], overwrite=False)
    assert (one.read_text(), other.read_text()) == ("1", "2")
    one.unlink()
    with pytest.raises(InputError, match=r"other\.txt exists already"):
        write_texts([(one, "3"), (other, "4")], overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]
    other.unlink()
    with full_disk(), pytest.raises(OSError, match=r"other\.txt"):
        write_texts([(one, "5"), (other, "6" * 5000)], overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_the_first_of_two_files_goes_when_the_second_cannot_appear(tmp_path, monkeypatch):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    link = os.link

    def race(source, target):
        link(source, target)
        if target == one:
            other.write_text("of another writer")

    monkeypatch.setattr("os.link", race)
    with pytest.raises(InputError, match=r"other\.txt exists already"):
        write_texts([(one, "1"), (other, "2")], overwrite=False)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of another writer"]


def test_a_reserved_name_goes_when_moving_fails(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "not here")

    monkeypatch.setattr("os.link", refuse)
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises(OSError, match=r"one\.txt"):
        write_text("new", tmp_path / "one.txt", overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(InputError, match="null character, as no file may"):
        write_text("new", "a\0b", overwrite=True)
