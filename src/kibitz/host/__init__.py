"""A table that people and agents share: who sits where, whose turn it is, what each may know."""

from kibitz.host.host import PERSON, Change, Host, Moment, Question

__all__ = ["PERSON", "Change", "Host", "Moment", "Question"]
