// From values to places along a line, for bars, plots and graphs.

export interface Scale {
  low: number;
  high: number;
}

/** Returns a scale that shows all values with a little air; never of no length. */
export function scaleOf(values: number[], air = 0.06): Scale {
  const known = values.filter(Number.isFinite);
  if (!known.length) return { low: 0, high: 1 };
  const low = Math.min(...known);
  const high = Math.max(...known);
  const more = high > low ? air * (high - low) : Math.max(Math.abs(high) * 0.1, 0.5);
  return { low: low - more, high: high + more };
}

/** Returns where a value lies on a scale: 0 at its low end, 1 at its high end. */
export function placeAt({ low, high }: Scale, value: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

export function isWithin({ low, high }: Scale, value: number): boolean {
  return low <= value && value <= high;
}

/** Returns round numbers within a scale, at most `most` of them. */
export function ticksOf({ low, high }: Scale, most = 4): number[] {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((k) => k * power).find((one) => one >= raw) ?? raw;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    ticks.push(k === 0 ? 0 : Number((k * step).toPrecision(12)));
  return ticks;
}
