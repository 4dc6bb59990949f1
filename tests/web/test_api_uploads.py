"""Large uploads go to disk as they arrive."""

from pathlib import Path

import pytest

from serving import client_of, serving_apart

PIECE = b"bread milk eggs butter apples\n" * (1 << 15)


def resident(pid, what):
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{what}:")[1].split()[0]) << 10


def uploaded(client, size):
    def pieces():
        for _ in range(size // len(PIECE)):
            yield PIECE

    octets = {"content-type": "application/octet-stream"}
    made = client.post("/api/v1/datasets", params={"name": "large.dat"}, content=pieces(), headers=octets)
    assert made.status_code == 201, made.text
    assert made.json()["size"] == size // len(PIECE) * len(PIECE)
    assert client.delete(f"/api/v1/datasets/{made.json()['id']}").status_code == 204


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
        uploaded(client, len(PIECE))
        before = resident(server.pid, "VmRSS")
        uploaded(client, size)
        assert resident(server.pid, "VmHWM") - before < growth
    assert list((tmp_path / "incoming").iterdir()) == list((tmp_path / "datasets").iterdir()) == []
