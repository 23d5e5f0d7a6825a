"""The page is served to people who come for the first time."""

from urllib.request import urlopen

from tests.web.live import Live


def test_who_follows_a_link_gets_a_cookie_with_the_page(live: Live) -> None:
    with urlopen(f"http://127.0.0.1:{live.port}/t/somewhere") as answer:
        assert "kibitz-guest=" in answer.headers["set-cookie"]
        assert "text/html" in answer.headers["content-type"]
