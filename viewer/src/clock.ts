import type { Clock } from './page';

/** A clock whose range is the union of all that was asked for with `extend`, and whose time stays within it. */
export function makeClock(): Clock {
  const listeners = new Set<(time: number) => void>();
  let start = 0;
  let end = 0;
  let time = 0;
  let extended = false;
  const clock: Clock = {
    get start() {
      return start;
    },
    get end() {
      return end;
    },
    get time() {
      return time;
    },
    extend(from, to) {
      if (!Number.isFinite(from) || !Number.isFinite(to) || from > to) return;
      const first = !extended;
      start = first ? from : Math.min(start, from);
      end = first ? to : Math.max(end, to);
      extended = true;
      if (first) clock.set(start);
    },
    set(wanted) {
      if (!Number.isFinite(wanted)) return;
      const next = Math.min(Math.max(wanted, start), end);
      if (next === time) return;
      time = next;
      for (const listener of [...listeners]) listener(time);
    },
    subscribe(listener) {
      listeners.add(listener);
      listener(time);
      return () => void listeners.delete(listener);
    },
  };
  return clock;
}
