"""Requests that nobody would think of: no answer is a fault of the server, and all are as the API describes them."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from covey.web.server.settings import Settings
from serving import PATIENCE, serving

CHECKED = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "sales.dat").write_text("a b\na c\nb s\n" * 9)
    with serving(Settings(data=tmp_path_factory.mktemp("data"), root=root, max_upload=1 << 16)) as (
        service,
        client,
    ):
        dataset = service.datasets.wait(service.datasets.pick("sales.dat").id)
        service.sensitive.mark(dataset.id, ["s"])
        job = service.jobs.wait(service.start(dataset.id, "degree(p=2)", seed=1).id)
        yield str(client.base_url).rstrip("/"), dataset.id, job.id


def hammer(operation, there):
    """Ask one operation in several ways."""

    @given(case=operation.as_strategy(), about=st.booleans())
    @settings(
        max_examples=8,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
        database=None,
    )
    def ask(case, about):
        # Half of the requests are about what is there, the others about whatever comes up.
        if about and "id" in (case.path_parameters or {}) and case.method != "DELETE":
            case.path_parameters["id"] = there
        if case.path.endswith("/clean") and isinstance(case.body, dict):
            case.body["older_than_days"] = 1_000
        case.call_and_validate(checks=CHECKED, timeout=PATIENCE)

    ask()


@pytest.mark.slow
def test_no_request_upsets_the_server(served):
    base, dataset, job = served
    schema = schemathesis.openapi.from_url(f"{base}/api/v1/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) >= 30
    for operation in operations:
        hammer(operation, dataset if "/datasets/" in operation.path else job)
