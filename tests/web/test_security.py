"""Who is let in, what browsers are told, and what no request can do."""

import json
import signal
import socket

import pytest

from covey.web import listening
from covey.web.security import COOKIE, POLICY
from covey.web.settings import Settings
from serving import PATIENCE, client_of, folder_of, read, serving, serving_apart, uploaded

#: A form that is sent piece by piece, up to the beginning of its file.
FORM = {"content-type": "multipart/form-data; boundary=xyz"}
HEAD = b'--xyz\r\ncontent-disposition: form-data; name="file"; filename="a.dat"\r\n\r\n'


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "sales.dat").write_text("a b\na c\n" * 5)
    with serving(Settings(data=tmp_path_factory.mktemp("local"), root=root, max_upload=1 << 20)) as both:
        yield both


@pytest.fixture(scope="module")
def with_token(tmp_path_factory):
    with serving(Settings(data=tmp_path_factory.mktemp("guarded"), token="s3cret-token")) as both:
        yield both


@pytest.mark.parametrize("path", ["/", "/jobs", "/nothing", "/jobs/0123456789ab", "/jobs?releases=1&files=2&size=3"])
def test_every_answer_carries_the_headers(local, path):
    answer = local[1].get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/api/v1/status", "/api/v1/openapi.json", "/openapi.json", "/docs", "/redoc"])
def test_there_is_nothing_beside_the_pages(local, path):
    assert local[1].get(path).status_code == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "", "[::1", "localhost:x"],
)
def test_other_names_are_not_answered(local, host):
    assert local[1].get("/jobs", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1234", "[::1]:99", "LOCALHOST"])
def test_own_names_are_answered(local, host):
    assert local[1].get("/jobs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_cannot_change_anything(local, headers):
    service, client = local
    before = len(service.datasets.all())
    for path, form in (("/clean", {"days": "0"}), ("/demo", {"name": "shop"}), ("/pick", {"path": "sales.dat"})):
        assert client.post(path, data=form, headers=headers).status_code == 403
    assert client.post("/upload", files={"file": ("a.dat", b"a b")}, headers=headers).status_code == 403
    assert len(service.datasets.all()) == before
    assert client.get("/jobs", headers=headers).status_code == 200


def test_the_own_site_can(local):
    own = str(local[1].base_url).rstrip("/")
    headers = {"origin": own, "sec-fetch-site": "same-origin"}
    answer = local[1].post("/clean", data={"days": "9"}, headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("age", ["", "soon", "-1", "nan", "1e999x"])
def test_an_age_is_a_number_of_days(local, age):
    assert local[1].get("/clean", params={"days": age}).status_code == 422
    assert local[1].post("/clean", data={"days": age, "jobs": "0", "datasets": "0"}).status_code == 422


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nhost: 127", b"GET /jobs HTTP/1.1\r\nhost: localhost\r\n\r\nGET"]
)
def test_a_request_whose_head_does_not_come_is_given_up(local, monkeypatch, sent):
    monkeypatch.setattr(listening, "HEAD", 0.2)
    url = local[1].base_url
    with socket.create_connection((url.host, url.port), timeout=PATIENCE) as slow:
        slow.sendall(sent)
        answered = b"".join(iter(lambda: slow.recv(1 << 16), b""))  # ends when the server hangs up
    assert (b"200 OK" in answered) == (b"jobs" in sent)


def test_an_upload_that_is_cut_off_leaves_neither_file_nor_traceback(local, caplog):
    service, client = local
    fields = ("host: localhost", "content-type: multipart/form-data; boundary=xyz", "content-length: 999")
    part = '--xyz\r\ncontent-disposition: form-data; name="file"; filename="a.dat"\r\n\r\na b\n'
    head = "\r\n".join(["POST /upload HTTP/1.1", *fields, "", part])
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=PATIENCE) as cut:
        cut.sendall(head.encode())
    before = len(service.datasets.all())
    assert client.get("/jobs").status_code == 200
    while list(service.settings.incoming.iterdir()):
        assert client.get("/jobs").status_code == 200
    assert len(service.datasets.all()) == before
    assert "Traceback" not in caplog.text
    assert not caplog.records


def test_a_token_is_asked_for_everywhere(with_token):
    client = with_token[1]
    for path in ("/", "/static/covey.css", "/jobs", "/jobs/0123456789ab/release.zip", "/?token=wrong"):
        answer = client.get(path)
        assert answer.status_code == 401
        assert "s3cret" not in answer.text
    assert client.get("/jobs", headers={"cookie": f"{COOKIE}=wrong"}).status_code == 401
    assert client.get("/jobs", headers={"cookie": f"other=1; {COOKIE}=s3cret-token"}).status_code == 200
    assert client.post("/clean?token=s3cret-token", data={"days": "9"}).status_code == 401
    assert client.post("/upload", files={"file": ("a.dat", b"a b")}).status_code == 401


def test_the_printed_address_is_exchanged_for_a_cookie(with_token):
    client = with_token[1]
    answer = client.get("/?a=b&token=s3cret-token")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?a=b"
    assert answer.headers["set-cookie"] == f"{COOKIE}=s3cret-token; Path=/; HttpOnly; SameSite=Strict"
    elsewhere = client.get(f"{str(client.base_url).rstrip('/')}//evil.example/?token=s3cret-token")
    assert elsewhere.headers["location"] == "/evil.example/"
    for path in ("/\\evil.example/", "/%5Cevil.example/"):
        turned = client.get(f"{str(client.base_url).rstrip('/')}{path}?token=s3cret-token")
        assert turned.headers["location"] == "/evil.example/"
    with client_of(client.base_url, cookies={COOKIE: "s3cret-token"}) as known:
        assert known.get("/jobs").status_code == 200


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "..", "a\x00b", "sales.dat/../../secret"])
def test_no_path_leads_outside_the_root(local, path):
    answer = local[1].post("/pick", data={"path": path})
    assert answer.status_code in (403, 404)
    assert local[1].get("/", params={"folder": path}).status_code in (403, 404)


def test_a_link_that_is_turned_outside_is_not_followed_later(local, tmp_path):
    service, client = local
    inside, outside = service.settings.root / "turned.dat", tmp_path / "outside.dat"
    outside.write_text("secret stuff\n" * 5)
    inside.write_text("a b\n" * 5)
    id = client.post("/pick", data={"path": "turned.dat"}).headers["location"].rpartition("/")[2]
    read(service, id)
    inside.unlink()
    inside.symlink_to(outside)
    client.post(f"/data/{id}", data={"kind": "ratings"})
    answer = client.get(f"/data/{id}")
    assert answer.status_code == 403
    assert "secret stuff" not in answer.text
    inside.unlink()


def test_uploads_above_the_limit_are_refused_and_leave_nothing(local):
    service, client = local
    before = len(service.datasets.all())
    large = b"a b\n" * (1 << 19)
    refused = client.post("/upload", files={"file": ("x.dat", large)})
    assert refused.status_code == 413
    assert "--max-upload" in refused.text

    def pieces():
        yield HEAD
        for _ in range(64):
            yield large[: 1 << 15]
        yield b"\r\n--xyz--\r\n"

    # Also where the size is not declared; and where the fields beside the file are what is large.
    assert client.post("/upload", content=pieces(), headers=FORM).status_code == 413
    fields = {"file": ("x.dat", b"a b")}
    assert client.post("/upload", data={"more": "x" * (1 << 21)}, files=fields).status_code == 413
    assert client.post("/clean", content=b" " * (5 << 20)).status_code == 413
    assert list(service.settings.incoming.iterdir()) == []
    assert len(service.datasets.all()) == before


@pytest.mark.parametrize("what", ["files", "sensitive/file"])
def test_files_beside_the_data_have_the_same_limit(local, what):
    service, client = local
    id = uploaded(local, "sales.dat", b"a b\na c\n" * 5).id
    large = {"file": ("x.csv", b"a,b\n" * (1 << 19))}
    assert client.post(f"/data/{id}/{what}", files=large).status_code == 413
    assert list(service.settings.incoming.iterdir()) == []


@pytest.mark.parametrize(
    "kind",
    ["application/octet-stream", "application/json", "application/x-www-form-urlencoded", "multipart/form-data", ""],
)
def test_a_body_that_is_no_form_with_a_file_is_refused(local, kind):
    service, client = local
    assert client.post("/upload", content=b"a b\n" * 5, headers={"content-type": kind}).status_code == 400
    assert list(service.settings.incoming.iterdir()) == []


# Starlette leaves the file of a form that ends early to the garbage collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning")
def test_names_are_kept_from_leading_anywhere(local):
    service, client = local
    body = b"a b\n" * 5
    id = uploaded(local, "../../<img src=x onerror=alert(1)>.dat", body).id
    assert service.datasets.get(id).name == "<img src=x onerror=alert(1)>.dat"
    for page in ("/", "/jobs", f"/data/{id}", f"/data/{id}/remove"):
        assert "<img src=x" not in client.get(page).text
    form = client.post("/upload", files={"file": ("..\\..\\evil.dat", body)}, data={"more": "1"})
    id = form.headers["location"].rpartition("/")[2]
    assert service.datasets.get(id).name == "evil.dat"
    assert [path.name for path in (folder_of(service, id) / "given").iterdir()] == ["evil.dat"]
    assert client.post("/upload", data={"more": "1"}, files={"x": ("", b"")}).status_code == 400
    assert client.post("/upload", content=HEAD + b"a b\n", headers=FORM).status_code == 400
    assert list(service.settings.incoming.iterdir()) == []


def test_a_bad_file_is_a_dataset_with_a_problem_that_names_it_alone(local):
    service = local[0]
    for name, body in (
        ("a.csv", b"\x00\x01\x02" * 50),
        ("a.parquet", b"PAR1garbage"),
        ("b.csv", b"PK\x03\x04" * 9),
    ):
        made = uploaded(local, name, body)
        assert made.state == "failed"
        assert made.problem.startswith(name)
        assert str(service.settings.data) not in made.problem
        assert str(service.settings.data) not in local[1].get(f"/data/{made.id}").text
    assert "empty" in uploaded(local, "e.csv", b"").problem


@pytest.mark.parametrize("path", ["/data/{id}", "/jobs/{id}", "/jobs/{id}/remove", "/data/{id}/taxonomy.csv"])
@pytest.mark.parametrize("id", ["0123456789ab", "..%2f..%2fetc", "%00", "<script>", "a" * 5_000])
def test_ids_of_nothing_are_not_found(local, path, id):
    answer = local[1].get(path.format(id=id))
    assert answer.status_code == 404
    assert "<script>" not in answer.text.replace("<script src=", "")


def test_serving_elsewhere_needs_a_token_and_stops_cleanly(tmp_path):
    with serving_apart(tmp_path, "--host", "0.0.0.0") as (told, server):
        assert len(told["token"]) >= 32
        assert told["url"].endswith(f"/?token={told['token']}")
        port = told["url"].split(":")[2].split("/")[0]
        with client_of(f"http://127.0.0.1:{port}") as client:
            assert client.get("/").status_code == 401
            cookie = {"cookie": f"{COOKIE}={told['token']}"}
            assert client.get("/jobs", headers=cookie).status_code == 200
            assert client.get("/", headers={**cookie, "host": "evil.example"}).status_code == 421
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE)
        assert (server.returncode, errors) == (0, "")


def test_the_command_cleans_and_complains(tmp_path, covey_cli):
    code, printed, _ = covey_cli("serve", "--clean", "3", "--data", tmp_path, "--json")
    assert (code, json.loads(printed)) == (0, {"jobs": 0, "datasets": 0, "bytes": 0})
    code, _, errors = covey_cli("serve", "--root", tmp_path / "nowhere", "--data", tmp_path)
    assert code == 2
    assert "--root" in errors
    code, _, errors = covey_cli("serve", "--host", "203.0.113.1", "--data", tmp_path, "--no-token")
    assert code == 2
    assert "--no-token" in errors
    code, _, errors = covey_cli("serve", "--host", "203.0.113.1", "--data", tmp_path, "--no-browser")
    assert code == 2
    assert "--port" in errors
