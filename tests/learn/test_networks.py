"""Networks compute what they should, and their twins without torch the same."""

from typing import Any

import numpy as np
import pytest

from kibitz import SpecError
from tests.search.networks import outputs_by_numpy

torch = pytest.importorskip("torch", reason="needs torch: pip install 'kibitz[train]'")

from kibitz.learn import states  # noqa: E402 (needs torch)
from kibitz.learn.export import layers_of, to_onnx  # noqa: E402
from kibitz.learn.networks import DuelingMlp, Mlp, NoisyLinear, draw_noise  # noqa: E402

pytestmark = pytest.mark.train

HEADS = {"policy": 7, "value": 2}


def rows(n_inputs: int) -> Any:
    return torch.randn(20, n_inputs, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("noisy", [False, True], ids=["plain", "noisy"])
@pytest.mark.parametrize(
    "make",
    [
        lambda noisy: Mlp(12, [], HEADS, noisy=noisy),
        lambda noisy: Mlp(12, [16, 9], HEADS, noisy=noisy),
        lambda noisy: Mlp(12, [16, 9], HEADS, separate=True, noisy=noisy),
        lambda noisy: DuelingMlp(12, [16], 7, noisy=noisy),
        lambda noisy: DuelingMlp(12, [16, 8], 7, stream=[6, 5], noisy=noisy),
        lambda noisy: DuelingMlp(12, [], 7, noisy=noisy),
    ],
    ids=["linear", "shared", "separate", "dueling", "streams", "dueling linear"],
)
def test_a_network_folds_into_layers_that_compute_the_same(make: Any, noisy: bool) -> None:
    module = make(noisy)
    draw_noise(module, torch.Generator().manual_seed(2))
    layers = layers_of(module)
    module.eval()
    made = torch.cat(list(module(rows(12)).values()), dim=1).detach().numpy()
    np.testing.assert_allclose(outputs_by_numpy(layers, rows(12).numpy()), made, atol=1e-4)


def test_separate_bodies_share_nothing() -> None:
    module = Mlp(4, [8], {"policy": 3, "value": 1}, separate=True)
    module(rows(4))["value"].sum().backward()
    assert all(p.grad is None for p in module.body["policy"].parameters())
    assert all(p.grad is not None for p in module.body["value"].parameters())


def test_a_dueling_network_is_what_a_hand_calculation_says() -> None:
    module = DuelingMlp(1, [], 3)
    with torch.no_grad():
        for part, weights in ((module.value[0], [2.0]), (module.advantage[0], [1.0, 3.0, 5.0])):
            part.weight.copy_(torch.tensor(weights)[:, None])
            part.bias.zero_()
    # v = 2x; a = x, 3x, 5x with mean 3x.
    assert module(torch.tensor([[2.0]]))["q"].tolist() == [[0.0, 4.0, 8.0]]


def test_noise_is_factorised_and_leaves_evaluation_alone() -> None:
    layer = NoisyLinear(4, 2, sigma=0.5)
    assert layer.weight_sigma[0, 0].item() == pytest.approx(0.25)  # 0.5 / sqrt(4)
    ones = torch.ones(1, 4)
    still = layer.eval()(ones)
    layer.train()
    layer.noise_in.copy_(torch.tensor([1.0, 0.0, 0.0, 2.0]))
    layer.noise_out.copy_(torch.tensor([1.0, -1.0]))
    # Noise of output 0: 0.25 * (1 + 2) * 1 of the weights and 0.25 * 1 of the bias.
    assert (layer(ones) - still)[0].tolist() == pytest.approx([1.0, -1.0])
    assert torch.equal(layer.eval()(ones), still)


def test_noise_is_drawn_from_the_generator_it_is_given() -> None:
    first, second = NoisyLinear(3, 3), NoisyLinear(3, 3)
    for layer in (first, second):
        draw_noise(layer, torch.Generator().manual_seed(5))
    assert torch.equal(first.noise_in, second.noise_in)
    draw_noise(first, torch.Generator().manual_seed(6))
    assert not torch.equal(first.noise_in, second.noise_in)


def test_weights_come_from_the_seed_alone() -> None:
    before = torch.get_rng_state()
    one, again, other = (Mlp(5, [4], HEADS, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(one.heads["policy"].weight, again.heads["policy"].weight)
    assert not torch.equal(one.heads["policy"].weight, other.heads["policy"].weight)


@pytest.mark.parametrize("hidden", [[0], [3000], [4] * 9])
def test_networks_that_no_kernel_could_run_are_refused(hidden: list[int]) -> None:
    with pytest.raises(SpecError, match=r"a network has .* got"):
        Mlp(5, hidden, HEADS)


def test_a_network_with_heads_by_name_becomes_an_onnx_file() -> None:
    onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'kibitz[train]'")
    pytest.importorskip("onnxscript", reason="needs onnxscript: pip install 'kibitz[train]'")
    file = onnx.load_from_string(to_onnx(Mlp(5, [4], HEADS), 5, ["value", "policy"]))
    sizes = {o.name: o.type.tensor_type.shape.dim[1].dim_value for o in file.graph.output}
    assert sizes == {"value": 2, "policy": 7}


def train(module: Any, optimiser: Any, generator: Any, n: int) -> None:
    """Take some steps towards random targets."""
    for _ in range(n):
        draw_noise(module, generator)
        target = torch.randn(20, 7, generator=generator)
        optimiser.zero_grad()
        torch.square(module(rows(12))["q"] - target).mean().backward()
        optimiser.step()


@pytest.mark.parametrize("kind", ["Adam", "SGD", "RMSprop"])
def test_training_goes_on_from_plain_data_as_if_nothing_had_happened(kind: str) -> None:
    def make(seed: int) -> tuple[Any, Any, Any]:
        module = DuelingMlp(12, [16], 7, noisy=True, seed=seed)
        optimiser = getattr(torch.optim, kind)(module.parameters(), lr=0.01)
        return module, optimiser, torch.Generator().manual_seed(seed)

    module, optimiser, generator = make(1)
    train(module, optimiser, generator, 3)
    state: Any = {
        "module": states.module_state(module),
        "optimiser": states.optimiser_state(optimiser),
        "generator": states.generator_state(generator),
    }
    train(module, optimiser, generator, 3)
    other = make(2)
    states.restore_module(other[0], state["module"])
    states.restore_optimiser(other[1], state["optimiser"])
    states.restore_generator(other[2], state["generator"])
    train(*other, 3)
    for name, tensor in module.state_dict().items():
        assert torch.equal(tensor, other[0].state_dict()[name]), name


def test_states_of_other_networks_are_refused() -> None:
    module = Mlp(5, [4], HEADS)
    with pytest.raises(SpecError, match="another network"):
        states.restore_module(module, states.module_state(Mlp(5, [4], {"policy": 7})))
    with pytest.raises(SpecError, match=r"body.0.weight is \[3, 5\], here it is \[4, 5\]"):
        states.restore_module(module, states.module_state(Mlp(5, [3], HEADS)))


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (lambda weight: weight.astype(bool), "body.0.weight is of bool, here it is of float32"),
        (lambda weight: weight * np.float32("nan"), "body.0.weight is not finite"),
    ],
)
def test_weights_that_are_none_are_refused(broken: Any, complaint: str) -> None:
    module = Mlp(5, [4], HEADS)
    state = states.module_state(module)
    weight = state["body.0.weight"]
    state["body.0.weight"] = broken(weight)
    with pytest.raises(SpecError, match=complaint):
        states.restore_module(module, state)
    assert states.module_state(module)["body.0.weight"].tolist() == weight.tolist()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"exp_avg": np.zeros(3, np.float32)}, r"exp_avg of parameter 0 is \[3\] of float32"),
        ({"exp_avg": np.float32(0)}, r"exp_avg of parameter 0 is \[\] of float32"),
        ({"exp_avg_sq": np.full((4, 5), np.inf, np.float32)}, "parameter 0 is not finite"),
        ({"exp_avg_sq": np.full((4, 5), -1, np.float32)}, "parameter 0 is below zero"),
        ({"step": np.zeros((4, 5), np.float32)}, "step of parameter 0 is"),
        ({"exp_avg": None}, "another optimiser: it remembers 'step, exp_avg_sq' of parameter 0"),
    ],
)
def test_what_no_optimiser_remembers_is_refused(changed: Any, complaint: str) -> None:
    module = Mlp(5, [4], HEADS)
    optimiser = torch.optim.Adam(module.parameters())
    sum(out.sum() for out in module(rows(5)).values()).backward()
    optimiser.step()
    state = states.optimiser_state(optimiser)
    states.restore_optimiser(optimiser, state)
    slot = state["slots"]["0"] | changed
    state["slots"]["0"] = {name: part for name, part in slot.items() if part is not None}
    with pytest.raises(SpecError, match=complaint):
        states.restore_optimiser(optimiser, state)


def test_generators_of_numpy_go_on_where_they_were() -> None:
    one, other = np.random.default_rng(1), np.random.default_rng(2)
    one.integers(0, 10, 3, np.uint32)  # leaves half a word
    states.restore_numpy(other, states.numpy_state(one))
    assert (
        one.integers(0, 10**9, 5, np.uint32).tolist()
        == other.integers(0, 10**9, 5, np.uint32).tolist()
    )
    assert one.random() == other.random()
    with pytest.raises(SpecError, match="no state of a generator"):
        states.restore_numpy(other, {"kind": "PCG64", "half": 0})
