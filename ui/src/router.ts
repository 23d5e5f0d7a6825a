// Addresses without loading the page anew.
import { useEffect, useState } from "preact/hooks";

const watchers = new Set<() => void>();

export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  scrollTo(0, 0);
  watchers.forEach((watcher) => watcher());
}

/** The path of the address; links of this page are followed without a load. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const follow = () => setPath(location.pathname);
    watchers.add(follow);
    addEventListener("popstate", follow);
    addEventListener("click", onClick);
    return () => {
      watchers.delete(follow);
      removeEventListener("popstate", follow);
      removeEventListener("click", onClick);
    };
  }, []);
  return path;
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a");
  const isOurs = link && link.origin === location.origin && !link.target && !link.download;
  if (!isOurs || link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#"))
    return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
