"""Random numbers as an argument, and streams derived by hashing.

A generator is a record of two uint64: a counter and its odd step (SplitMix64 with a step of its
own for every stream, after Steele, Lea and Flood 2014). The counter advances by one addition, so
draws do not wait for each other, and streams with different steps never run into one another. It
is a record and not an array because Numba counts references to arrays, atomically, at every call
that it does not inline: that costs more than the draw.

`derive` makes a stream from (seed, purpose, deal, rotation, seat, decision). Nothing else enters,
so a result does not depend on batch size, worker count or machine.
"""

import hashlib
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from kibitz.core.errors import SpecError, clip
from kibitz.core.kernels import kernel, record_dtype, wrapping_kernel

RNG = record_dtype([("counter", np.uint64), ("step", np.uint64)])

Rng = np.record
Rngs = npt.NDArray[np.record]

MAX_SEED = 2**63 - 1


class Purpose(IntEnum):
    """What a stream is for: equal numbers under different purposes are unrelated."""

    DEAL = 1  # cards of one round; words: deal, round
    AGENT = 2  # one decision of one seat; words: deal, rotation, seat, decision
    PLAYOUT = 3  # benchmarks and checks that play without agents; words: game
    SUBSTITUTE = 4  # the first action for a seat that forfeits; words: deal, rotation, seat
    SEATING = 5  # who meets whom on a deal; words: deal


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_S11, _TO_UNIT = np.uint64(11), 2.0**-53
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)


@wrapping_kernel
def mix(word: np.uint64) -> np.uint64:
    """Scramble 64 bits so that every input bit moves every output bit."""
    word = (word ^ (word >> _S30)) * _MIX_A
    word = (word ^ (word >> _S27)) * _MIX_B
    return word ^ (word >> _S31)


@wrapping_kernel
def absorb(key: np.uint64, word: int) -> np.uint64:
    """Hash one more word into a key."""
    return mix((key + _GOLDEN) ^ mix(np.uint64(word) * _GOLDEN))


@wrapping_kernel
def start(rng: Rng, key: np.uint64) -> None:
    """Set `rng` to the beginning of the stream that belongs to `key`."""
    rng.counter = mix(key)
    rng.step = mix(key + _GOLDEN) | _ONE


@wrapping_kernel
def random_bits(rng: Rng) -> np.uint64:
    """Draw 64 random bits."""
    word = rng.counter + rng.step
    rng.counter = word
    return mix(word)


@kernel
def below(rng: Rng, n: int) -> int:
    """Draw a whole number from 0 to n - 1, exactly uniform (Lemire's multiplication)."""
    bound = np.uint64(n)
    product = (random_bits(rng) >> _S32) * bound
    if (product & _LOW_32) < bound:
        threshold = ((_LOW_32 - bound) + _ONE) % bound
        while (product & _LOW_32) < threshold:
            product = (random_bits(rng) >> _S32) * bound
    return np.int64(product >> _S32)  # type: ignore[return-value]


@kernel
def unit(rng: Rng) -> float:
    """Draw from 0 (included) to 1 (not)."""
    return np.float64(random_bits(rng) >> _S11) * _TO_UNIT


def key_of(seed: int, *words: int) -> np.uint64:
    """Hash a seed and words (the purpose first) into a key.

    The first step is one-way: `absorb` could be undone, and an agent would get from its own stream
    to the seed and to everybody's cards.
    """
    purpose, rest = (int(words[0]), words[1:]) if words else (0, ())
    first = hashlib.blake2b(f"{seed} {purpose}".encode(), digest_size=8)
    key = np.uint64(int.from_bytes(first.digest()))
    for word in rest:
        key = np.uint64(absorb(key, int(word)))
    return key


def check_stream(rng: object) -> Rng:
    """Return `rng` if it is a random stream: one that stands still would be drawn from for ever."""
    if not isinstance(rng, np.record) or rng.dtype != RNG or not rng.step & _ONE:
        raise SpecError(f"expected a random stream, which derive makes, got {clip(rng)}")
    return rng


def derive(seed: int, *words: int) -> Rng:
    """Make the stream of `seed` for a purpose and its words."""
    rngs: Rngs = np.zeros(1, RNG)
    start(rngs[0], key_of(seed, *words))
    return rngs[0]
