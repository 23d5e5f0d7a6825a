"""Benchmarks: how fast kibitz is, beside programs that show how fast it could be.

Every figure that claims something is a ratio of things measured in turn within one run, because
shared machines speed up and slow down from minute to minute.
"""

from kibitz.bench.measure import Benchmark, Missing, Result, measure
from kibitz.bench.suite import benchmarks, select

__all__ = ["Benchmark", "Missing", "Result", "benchmarks", "measure", "select"]
