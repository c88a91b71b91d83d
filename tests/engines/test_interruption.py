"""Ctrl-C ends a query on a server, and the connection can be used again."""

import signal
import subprocess
import sys
import time

from needs import need

ASKING = """
import sys, psycopg, clustermark as cm
connection = psycopg.connect(sys.argv[1], autocommit=True)
query = "SELECT i AS t, j AS p FROM generate_series(1, 100000) a(i), generate_series(1, 100000) b(j) WHERE i < j"
print("begun", flush=True)
try:
    cm.crosstab((connection, query), true="t", pred="p")
except KeyboardInterrupt:
    assert connection.execute("SELECT 7").fetchall() == [(7,)]
    sys.exit(130)
"""


def test_control_c_ends_a_query_of_postgres(postgres_address):
    psycopg = need("psycopg")
    with subprocess.Popen([sys.executable, "-c", ASKING, postgres_address], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=10) == 130
        finally:
            process.kill()
    with psycopg.connect(postgres_address) as connection:
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%generate_series%'"
        assert connection.execute(f"{running} AND pid <> pg_backend_pid()").fetchall() == [(0,)]
