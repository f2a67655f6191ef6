import { formatQuantity } from './format';
import type { Clock } from './page';

/** One arrow key moves the time by this part of its range; with shift, ten times as far. */
const keyStep = 0.01;

/**
 * Makes a picture over time a control of the clock: a click sets it, and arrow keys, Home and End move it. The returned
 * function ends its listening.
 */
export function controlClock(
  target: HTMLElement,
  clock: Clock,
  label: string,
  timeAt: (fraction: number) => number,
): () => void {
  target.tabIndex = 0;
  target.setAttribute('role', 'slider');
  target.setAttribute('aria-label', label);
  target.addEventListener('click', (event) => {
    const { left, width } = target.getBoundingClientRect();
    clock.set(timeAt((event.clientX - left) / width));
  });
  target.addEventListener('keydown', (event) => {
    const next = timeAfterKey(event, clock);
    if (next === null) return;
    event.preventDefault();
    clock.set(next);
  });
  return clock.subscribe((time) => {
    target.setAttribute('aria-valuemin', String(clock.start));
    target.setAttribute('aria-valuemax', String(clock.end));
    target.setAttribute('aria-valuenow', String(time));
    target.setAttribute('aria-valuetext', formatQuantity(time, 's'));
  });
}

/** Where a key moves the clock; null for keys that do not. */
export function timeAfterKey({ key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>, clock: Clock): number | null {
  const step = (clock.end - clock.start) * keyStep * (shiftKey ? 10 : 1);
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return clock.time - step;
    case 'ArrowRight':
    case 'ArrowUp':
      return clock.time + step;
    case 'Home':
      return clock.start;
    case 'End':
      return clock.end;
    default:
      return null;
  }
}
