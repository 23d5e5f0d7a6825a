"""Tables as they were at a moment."""

from kibitz.core.table import Table


def frozen(table: Table) -> Table:
    """Copy what a table shows."""
    copy = Table(table.game, table.origin, plays_forced=False)
    copy.batch.states[0] = table.state
    return copy
