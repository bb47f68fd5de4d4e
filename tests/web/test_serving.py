"""The server binds to this machine only and says so when it cannot."""

import pytest

from broadsheet.api.home import Home
from broadsheet.errors import UsageError
from broadsheet.web.serving import listening, serve


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "::", "broadsheet.example"])
def test_an_address_that_others_can_reach_is_refused(empty_home: Home, host: str) -> None:
    with pytest.raises(UsageError, match="can be reached from elsewhere"):
        serve(empty_home, host, 0)


def test_a_port_that_is_taken_is_named() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} cannot be used"):
            listening("127.0.0.1", port)
