"""Many tables at once: nothing that was acknowledged is lost, even if the server is killed."""

from kibitz.bench.web import run_load


def test_under_load_nothing_is_lost_by_kill_9() -> None:
    load = run_load(n_tables=20, seconds=120, kill_after=60)
    assert len(load.delays) >= 60
    assert load.n_lost == 0
