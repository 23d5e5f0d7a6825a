// Things that fly: what had another place before a change moves from there to its new one.
import { useLayoutEffect, useRef } from "preact/hooks";

type Places = Map<string, DOMRect>;

const SMALLEST = 3; // px that are worth a movement

/**
 * Lets elements with the same `data-flight` fly from their old place to their new one whenever
 * `step` changes. Returns the ref of the element around them all.
 */
export function useFlights(step: unknown, ms: number) {
  const root = useRef<HTMLDivElement>(null);
  const last = useRef({ step, places: new Map() as Places });
  if (last.current.step !== step) // the page still shows the step before
    last.current = { step, places: root.current ? placesIn(root.current) : new Map() };
  useLayoutEffect(() => {
    if (root.current && ms > 0) fly(root.current, last.current.places, ms);
  }, [step]);
  return root;
}

function flyers(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>("[data-flight]")];
}

function placesIn(root: HTMLElement): Places {
  return new Map(flyers(root).map((one) => [one.dataset.flight!, one.getBoundingClientRect()]));
}

function fly(root: HTMLElement, places: Places, ms: number): void {
  for (const one of flyers(root)) {
    const from = places.get(one.dataset.flight!);
    const to = one.getBoundingClientRect();
    if (!from || !to.width || !from.width) continue;
    const [dx, dy] = [from.left - to.left, from.top - to.top];
    if (Math.abs(dx) + Math.abs(dy) < SMALLEST) continue;
    const start = `translate(${dx}px, ${dy}px) scale(${from.width / to.width})`;
    one.animate(
      [
        { transform: start, transformOrigin: "0 0", zIndex: 9 },
        { transform: "none", transformOrigin: "0 0", zIndex: 9 },
      ],
      { duration: ms, easing: "cubic-bezier(.2, .7, .3, 1)" },
    );
  }
}
