"""Large uploads go to disk as they arrive."""

from pathlib import Path

import pytest

from serving import client_of, serving_apart

PIECE = b"bread milk eggs butter apples\n" * (1 << 15)
HEAD = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="large.dat"\r\n\r\n'
END = b"\r\n--edge--\r\n"


def resident(pid, what):
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{what}:")[1].split()[0]) << 10


def uploaded(client, folder, size):
    def pieces():
        yield HEAD
        for _ in range(size // len(PIECE)):
            yield PIECE
        yield END

    form = {"content-type": "multipart/form-data; boundary=edge"}
    made = client.post("/upload", content=pieces(), headers=form)
    assert made.status_code == 303, made.text
    id = made.headers["location"].rpartition("/")[2]
    kept = folder / "datasets" / id / "original" / "large.dat"
    assert kept.stat().st_size == size // len(PIECE) * len(PIECE)
    assert client.post(f"/data/{id}/remove").headers["location"].startswith("/jobs?removed=0-1-")


@pytest.mark.parametrize(
    ("size", "growth"), [(64 << 20, 32 << 20), pytest.param(1 << 30, 200 << 20, marks=pytest.mark.slow)]
)
def test_an_upload_is_streamed(tmp_path, size, growth):
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc to see how much memory the server holds")
    with (
        serving_apart(tmp_path, "--no-token") as (told, server),
        client_of(told["url"]) as client,
    ):
        uploaded(client, tmp_path, len(PIECE))
        before = resident(server.pid, "VmRSS")
        uploaded(client, tmp_path, size)
        assert resident(server.pid, "VmHWM") - before < growth
    assert list((tmp_path / "incoming").iterdir()) == list((tmp_path / "datasets").iterdir()) == []
