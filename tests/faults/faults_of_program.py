"""The program under signals, full disks, closed streams, other writers and little memory.

Whatever happens, an output is the old one or the whole new one, nothing temporary stays behind (SIGKILL apart), and the
exit code is one of those that are documented.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

OLD = "old\n"
INPUT = "clusters.csv"
PROGRAM = [sys.executable, "-m", "clustermark"]
COMMANDS = {
    "one.json": ["score", INPUT, "--true", "t", "--pred", "p", "-o", "one.json"],
    "one.csv": ["score", INPUT, "--true", "t", "--pred", "p", "-o", "one.csv"],
    "page.html": ["report", INPUT, "--true", "t", "--pred", "p", "-o", "page.html"],
    "sheet.html": ["questions", INPUT, "--on", "id", "--old", "t", "--new", "p", "-n", "20", "-o", "sheet.html"],
    "described.md": ["describe", INPUT, "--labels", "t", "-o", "described.md"],
}
ENDS = {"json": "}\n", "csv": "\n", "html": "</html>\n", "md": "\n"}
ENDED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}


class Place:
    """An empty folder with an input and, mostly, an old output."""

    def __init__(self, rng: random.Random, output: str) -> None:
        self.folder = Path("place").absolute()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir(parents=True)
        rows = [f"{i},{rng.randrange(5)},{rng.randrange(5)}\n" for i in range(rng.choice([10, 1000, 20_000]))]
        (self.folder / INPUT).write_text("id,t,p\n" + "".join(rows))
        self.output = self.folder / output
        self.old = rng.random() < 0.7
        if self.old:
            self.output.write_text(OLD)
        self.force = ["--force"] * self.old

    def start(self, arguments: list[str], **how: Any) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "TMPDIR": str(self.temporary)}
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        return subprocess.Popen([*PROGRAM, *arguments], cwd=self.folder, env=environment, **(usual | how))

    def is_whole(self) -> bool:
        """Check that the output is the old one, or missing as before, or whole; return whether it is new."""
        if not self.output.exists():
            assert not self.old, "the old output is gone"
            return False
        text = self.output.read_text()
        if self.old and text == OLD:
            return False
        assert text.endswith(ENDS[self.output.suffix[1:]]), f"the output is cut off: {text[-80:]!r}"
        return True

    def check_clean(self) -> None:
        assert not list(self.temporary.iterdir()), list(self.temporary.iterdir())
        parts = [one.name for one in self.folder.iterdir() if one.name.endswith(".part")]
        assert not parts, parts


def end_by_signals(rng: random.Random) -> None:
    """A signal at any moment, or one that comes again and again."""
    output = rng.choice(list(COMMANDS))
    place = Place(rng, output)
    number = rng.choice(list(ENDED))
    hup = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)}  # this may run under nohup
    with place.start(COMMANDS[output] + place.force, **hup) as process:
        if rng.random() < 0.5:  # at the moment when something temporary appears
            until = time.monotonic() + 60
            while process.poll() is None and time.monotonic() < until and not place_is_busy(place):
                pass
            time.sleep(rng.choice([0, 0, 0.001, 0.01]))
        else:
            time.sleep(rng.random() * 2)
        for _ in range(rng.choice([1, 1, 5])):
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
    # a signal ends Python itself where it comes before the program has begun, or when it has ended
    codes = {0, ENDED[number], -number, 1} if number == signal.SIGINT else {0, ENDED[number], -number}
    assert process.returncode in codes, (process.returncode, said)
    assert b"mistake in clustermark" not in said, said
    new = place.is_whole()
    assert process.returncode != 0 or new
    if number != signal.SIGKILL:
        place.check_clean()


def place_is_busy(place: Place) -> bool:
    return any(place.temporary.iterdir()) or any(one.name.endswith(".part") for one in place.folder.iterdir())


def fill_the_disk(rng: random.Random) -> None:
    """A limit on the size of files stands for a full disk."""
    output = rng.choice(list(COMMANDS))
    place = Place(rng, output)
    size = rng.choice([0, 1, 100, 4096, 10_000, 100_000, 10**6])

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    with place.start(COMMANDS[output] + place.force, preexec_fn=limit) as process:
        _, said = process.communicate(timeout=60)
    new = place.is_whole()
    assert process.returncode == (0 if new else 2), (process.returncode, said)
    assert new or said.count(b"\n") == 1, said
    place.check_clean()


def write_at_once(rng: random.Random) -> None:
    """Several programs write the same new file; one succeeds."""
    output = rng.choice(["one.json", "one.csv", "sheet.html"])
    place = Place(rng, output)
    place.output.unlink(missing_ok=True)
    place.old = False
    writers = [place.start(COMMANDS[output]) for _ in range(3)]
    codes = []
    for writer in writers:
        _, said = writer.communicate(timeout=120)
        codes.append(writer.returncode)
        assert writer.returncode == 0 or b"exists already" in said, said
    assert sorted(codes) == [0, 2, 2]
    assert place.is_whole()
    place.check_clean()


def close_streams(rng: random.Random) -> None:
    """Standard streams that are closed, full, or whose reader has gone."""
    place = Place(rng, "one.json")
    shell = rng.choice([">&-", "2>&-", "<&-", ">&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>/dev/full",
                        "| head -c 1", "2>&1 | head -c 1", ">&- 2>&- <&-"])  # fmt: skip
    what = rng.choice([f"score {INPUT} --true t --pred p", "indices", f"score {INPUT} --true no --pred p", "--help",
                       f"score {INPUT} --true t --pred p --format json"])  # fmt: skip
    line = f"set -o pipefail; {sys.executable} -m clustermark {what} {shell}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=place.folder, env={**os.environ, "TMPDIR": str(place.temporary)},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2, 141), (line, done)
    assert done.returncode == 2 or ">/dev/full" not in shell.split() or "--help" in what, (line, done)
    assert b"Traceback" not in done.stderr, (line, done)
    place.check_clean()


def forbid_writing(rng: random.Random) -> None:
    """An output that cannot be written, or that is an input under another name, is refused, and nothing changes."""
    output = rng.choice(["one.json", "one.csv", "page.html"])
    place = Place(rng, output)
    how = rng.choice(["folder", "missing", "link-to-input", "hard-link-to-input", "loop", "long", "dangling"])
    place.output.unlink(missing_ok=True)
    place.old, target = False, str(place.output)
    if how == "folder":
        place.output.mkdir()
    elif how == "missing":
        target = str(place.folder / "no" / output)
    elif how == "link-to-input":
        place.output.symlink_to(place.folder / INPUT)
    elif how == "hard-link-to-input":
        os.link(place.folder / INPUT, place.output)
    elif how == "loop":
        place.output.symlink_to(place.output)
    elif how == "long":
        target = str(place.folder / ("x" * 300 + place.output.suffix))
    else:
        place.output.symlink_to(place.folder / "nowhere" / "x")
    before = (place.folder / INPUT).read_bytes()
    arguments = [*COMMANDS[output][:-1], target, *["--force"] * rng.randrange(2)]
    with place.start(arguments) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 2, (how, process.returncode, said)
    assert said.count(b"\n") == 1 or said.startswith(b"Usage: "), said
    assert (place.folder / INPUT).read_bytes() == before
    place.check_clean()


FAULTS = {
    "signals": end_by_signals,
    "disk": fill_the_disk,
    "writers": write_at_once,
    "streams": close_streams,
    "outputs": forbid_writing,
}
