"""Normalised Gaussian networks: on-line equals direct, EM climbs, known functions are found."""

from typing import Literal

import numpy as np
import pytest

from kibitz.learn.ngnet import Floats, NGnet, NGnetConfig, take_in
from kibitz.search.ngnet import pack, say_all


def ridges(x: Floats) -> Floats:
    """Return the test function of Sato and Ishii, of two inputs."""
    a, b = x.T
    parts = np.exp(-10 * a**2), np.exp(-50 * b**2), 1.25 * np.exp(-5 * (a**2 + b**2))
    highest: Floats = np.max(parts, axis=0)[:, None]
    return highest


def drawn(n: int, seed: int) -> Floats:
    return np.random.default_rng(seed).uniform(-1, 1, (n, 2))


def nmse(net: NGnet, seed: int = 9) -> float:
    x = drawn(2000, seed)
    return float(((net.predict(x) - ridges(x)) ** 2).mean() / ridges(x).var())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_batch_em_finds_a_known_function_with_25_units(seed: int) -> None:
    net = NGnet(2, 1, NGnetConfig(units=25, regular=0))
    x = drawn(2000, 1)
    noise = 0.05 * np.random.default_rng(1).normal(size=(2000, 1))
    net.fit(x, ridges(x) + noise, seed=seed)
    assert nmse(net) <= 0.02


def test_batch_em_never_loses_likelihood() -> None:
    net = NGnet(2, 1, NGnetConfig(units=10, regular=0, floor=1e-9, ridge=1e-12))
    x = drawn(500, 1)
    noise = 0.1 * np.random.default_rng(3).normal(size=(500, 1))
    found = net.fit(x, ridges(x) + noise, rounds=40)
    assert (np.diff(found) > -1e-9).all()
    assert found[-1] > found[0] + 0.1


@pytest.mark.parametrize("left", [1.0, 0.98])
def test_the_recursion_is_the_direct_solution(left: float) -> None:
    rng = np.random.default_rng(4)
    x, y, h = rng.normal(size=(300, 3)), rng.normal(size=(300, 2)), rng.uniform(0, 1, 300)
    net = NGnet(3, 2, NGnetConfig(units=1))
    units = net.units
    units.inverse[0], units.mass[0] = np.eye(4) / 1e-3, 0
    for k in range(300):
        take_in(units, 0, x[k], y[k], h[k], left, np.empty(4))
    age = left ** np.arange(299, -1, -1)
    one = np.hstack([x, np.ones((300, 1))])
    moment = 1e-3 * left**300 * np.eye(4) + (one * (h * age)[:, None]).T @ one
    weights = np.linalg.solve(moment, (one * (h * age)[:, None]).T @ y).T
    assert np.allclose(units.weights[0], weights, rtol=0, atol=1e-9)
    assert np.allclose(units.inverse[0], np.linalg.inv(moment), rtol=0, atol=1e-9)
    centre = (h * age) @ x / (h * age).sum()
    assert np.allclose(units.centres[0], centre, rtol=0, atol=1e-9)
    assert np.allclose(units.scatter[0], (h * age) @ (x - centre) ** 2, rtol=0, atol=1e-9)


def test_the_running_residual_is_that_of_the_solution() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(200, 2)), rng.normal(size=(200, 1))
    net = NGnet(2, 1, NGnetConfig(units=1))
    net.units.inverse[0] = np.eye(3) / 1e-6
    for k in range(200):
        take_in(net.units, 0, x[k], y[k], 1.0, 1.0, np.empty(3))
    found = ((y - x @ net.units.weights[0, :, :2].T - net.units.weights[0, :, 2]) ** 2).sum()
    assert net.units.residual[0] == pytest.approx(found, abs=1e-4)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_on_line_em_goes_on_improving_on_a_rough_fit(
    covariance: Literal["full", "diagonal"],
) -> None:
    net = NGnet(2, 1, NGnetConfig(units=25, covariance=covariance, forget=0.999))
    x = drawn(200, 1)
    net.fit(x, ridges(x), rounds=3)
    before = nmse(net)
    more = drawn(8000, 2)
    net.learn(more, ridges(more))
    assert nmse(net) < 0.6 * before
    assert nmse(net) < 0.1


def test_units_where_nothing_happens_forget_nothing() -> None:
    x = np.vstack([drawn(300, 1) - 5, drawn(300, 2) + 5])
    nets = []
    for by_weight in (True, False):
        net = NGnet(2, 1, NGnetConfig(units=2, forget=0.99, by_weight=by_weight))
        net.fit(x, x[:, :1], seed=1)
        more = drawn(400, 3) + 5
        net.learn(more, more[:, :1])
        nets.append(net.units.mass[:2].min())
    assert nets[0] > 99
    assert nets[1] < 10


def test_units_are_produced_where_samples_are_unlikely() -> None:
    x = drawn(1500, 1)
    net = NGnet(2, 1, NGnetConfig(units=5))
    net.fit(x, ridges(x), rounds=5)
    roomy = NGnet(2, 1, NGnetConfig(units=10, produce=-40.0))
    for part, own in zip(roomy.units, net.units, strict=True):
        part[: len(own)] = own
    roomy.learn(x, ridges(x))
    assert roomy.n_units == 5
    roomy.learn(x[:50] + 20, ridges(x[:50]))
    assert 5 < roomy.n_units <= 10
    assert np.allclose(roomy.predict(x[:50] + 20), ridges(x[:50]), atol=0.9)


def test_a_fresh_network_learns_from_its_first_sample_on() -> None:
    net = NGnet(2, 1)
    assert (net.predict(drawn(5, 1)) == 0).all()
    x = drawn(1500, 1)
    y = x[:, :1] - 2 * x[:, 1:] + 3
    net.learn(x[:1], y[:1])
    assert net.n_units == 1
    assert net.predict(x[:1]) == pytest.approx(y[:1])
    net.learn(x[1:], y[1:])
    assert net.n_units == 1
    assert np.allclose(net.predict(x), y, atol=0.05)


def test_a_network_is_fitted_again_with_more_units() -> None:
    net, whole = (NGnet(2, 1, NGnetConfig(units=8)) for _ in range(2))
    x = drawn(400, 1)
    net.fit(x[:100], ridges(x[:100]), rounds=2, units=3)
    assert net.n_units == 3
    net.fit(x, ridges(x), rounds=2)
    whole.fit(x, ridges(x), rounds=2)
    assert net.n_units == 8
    assert (net.predict(x) == whole.predict(x)).all()


def test_an_empty_network_has_nothing_to_tidy() -> None:
    net = NGnet(2, 1)
    net.tidy()
    assert net.n_units == 0


def test_units_are_deleted_and_divided() -> None:
    x = drawn(2000, 1)
    net = NGnet(2, 1, NGnetConfig(units=12, divide=1.5))
    net.fit(x, ridges(x), rounds=10)
    net.units.mass[3] = 0
    worst = net.units.noise[:12].copy()
    worst[3] = 0
    net.tidy()
    assert net.n_units == 12  # one has gone, and the worst has been divided in its place
    assert net.units.mass[:12].min() > 0
    assert np.isclose(net.units.mass[11], net.units.mass[:11]).any()
    before = nmse(net)
    net.learn(x, ridges(x))
    assert nmse(net) < before


def test_what_plays_says_the_same_as_what_learnt() -> None:
    net = NGnet(2, 1, NGnetConfig(units=9, covariance="diagonal"))
    x = drawn(500, 1)
    net.fit(x, ridges(x), rounds=5)
    networks, numbers = pack({"only": net.as_net()})
    out = np.empty((500, 1))
    say_all(networks[0], numbers, x, out, np.empty(18))
    assert np.allclose(out, net.predict(x), atol=1e-9)


def test_learning_goes_on_from_what_was_written_down() -> None:
    x = drawn(400, 1)
    nets = [NGnet(2, 1, NGnetConfig(units=6)) for _ in range(2)]
    nets[0].fit(x, ridges(x), rounds=2)
    nets[1].restore({k: np.copy(v) for k, v in nets[0].state().items()})
    for net in nets:
        net.learn(x, ridges(x))
        net.tidy()
    assert (nets[0].predict(x) == nets[1].predict(x)).all()
