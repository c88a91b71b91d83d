"""Servers and sessions for the tests of the engines, one of each per run."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import hosts
import pytest

from needs import lacking, need


def binary(name):
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def someone():
    """Return the options of a user that is not root, as the server refuses to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return {}


@pytest.fixture(scope="session")
def postgres_address():
    """Start a server on a socket in a temporary folder."""
    if binary("initdb") is None or binary("postgres") is None:
        lacking("a PostgreSQL server (apt-get install postgresql)")
    user = someone()
    folder = Path(tempfile.mkdtemp(prefix="cm-pg-", dir="/tmp"))  # the path of a socket must be short
    if user:
        os.chown(folder, user["user"], user["group"])
    data = folder / "data"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    subprocess.run(
        [binary("initdb"), "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8"],
        check=True,
        **quiet,
    )
    settings = ["fsync=off", "listen_addresses=", f"unix_socket_directories={folder}", "max_connections=20"]
    command = [binary("postgres"), "-D", data, *(part for setting in settings for part in ("-c", setting))]
    server = subprocess.Popen(command, **quiet)
    address = f"host={folder} user=tester dbname=postgres"
    try:
        wait_for(address, server)
        yield address
    finally:
        server.send_signal(2)
        server.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(address, server):
    psycopg = need("psycopg")
    for _ in range(200):
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            assert server.poll() is None, "the PostgreSQL server did not start"
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the PostgreSQL server does not answer")


@pytest.fixture(scope="session")
def spark():
    """Start a classic session in this process."""
    if shutil.which("java") is None:
        lacking("a Java runtime (apt-get install default-jre-headless)")
    session = hosts.spark_session()
    yield session
    session.stop()


@pytest.fixture(params=hosts.NAMES)
def host(request):
    """Return each engine in turn; no table or view of ours may be left in it."""
    made = hosts.MAKERS[request.param](request)
    yield made
    left = made.leftovers()
    if hasattr(made, "connection"):
        made.connection.close()
    assert left == []
