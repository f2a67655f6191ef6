import { element } from '../dom';
import type { Clock } from '../page';
import { timeLabel } from './playback_controls';
import type { Player } from './player';

/** Time without a change after which a paused picture says what instant it shows [ms]. */
const quiet = 400;

/** Tells screen readers the time whenever the motion rests, and nothing while it plays. */
export function announcer(clock: Clock, player: Player): HTMLElement {
  const region = element('p', { class: 'motion-announcer', role: 'status', 'aria-live': 'polite' });
  let waiting = 0;
  let begun = false;
  const announce = () => {
    clearTimeout(waiting);
    if (!begun) return;
    waiting = window.setTimeout(() => {
      region.textContent = player.playing ? 'Playing' : `Paused at ${timeLabel(clock, clock.time)}`;
    }, quiet);
  };
  player.subscribe(announce);
  clock.subscribe(() => player.playing || announce());
  begun = true;
  return region;
}
