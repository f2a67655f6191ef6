import { button, element } from '../dom';
import { formatFixed, formatNumber, formatQuantity } from '../format';
import type { Clock } from '../page';
import { speedChoices, type Player } from './player';
import { momentAt } from './track';

/** Play, position, speed and repetition of a run; the arrow keys on the slider go from frame to frame. */
export function playbackControls(clock: Clock, player: Player, times: readonly number[]): HTMLElement {
  return element('div', { class: 'motion-playback' }, playButton(player), scrubber(clock, player, times), timeText(clock), speedSelect(clock, player), loopBox(player));
}

function playButton(player: Player): HTMLElement {
  const made = button({ class: 'motion-play' }, '', () => player.toggle());
  player.subscribe(() => {
    made.dataset.state = player.playing ? 'playing' : 'paused';
    made.setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    made.title = player.playing ? 'Pause (space)' : 'Play (space)';
  });
  return made;
}

function scrubber(clock: Clock, player: Player, times: readonly number[]): HTMLElement {
  const slider = element('input', { type: 'range', class: 'motion-scrubber', step: 'any', 'aria-label': 'Time' });
  const place = (time: number) => {
    slider.min = String(clock.start);
    slider.max = String(clock.end);
    slider.value = String(time);
    slider.setAttribute('aria-valuetext', timeLabel(clock, time));
    slider.style.setProperty('--played', `${(100 * (time - clock.start)) / (clock.end - clock.start || 1)}%`);
  };
  slider.addEventListener('input', () => {
    player.pause();
    clock.set(Number(slider.value));
  });
  slider.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    player.pause();
    clock.set(neighbor(times, clock.time, direction));
  });
  clock.subscribe(place);
  return slider;
}

/** The next frame's time after (1) or before (−1) a time; the time itself where there is none. */
export function neighbor(times: readonly number[], time: number, direction: number): number {
  const { frame, part } = momentAt(times, time);
  if (direction > 0) return time < times[0]! ? times[0]! : (times[frame + 1] ?? time);
  if (time > times[frame]! || part > 0) return times[frame]!;
  return times[frame - 1] ?? time;
}

/** Decimals with which a run of this length [s] is told to a thousandth of it. */
export function timeDecimals(duration: number): number {
  return duration > 0 ? Math.min(Math.max(0, 3 - Math.ceil(Math.log10(duration))), 9) : 2;
}

/** "3.20 s" with the decimals of the run. */
export function timeLabel(clock: Pick<Clock, 'start' | 'end'>, time: number): string {
  return `${formatFixed(time, timeDecimals(clock.end - clock.start))}\u00a0s`;
}

function timeText(clock: Clock): HTMLElement {
  const now = element('span', {});
  const whole = element('span', { class: 'motion-whole' });
  clock.subscribe((time) => {
    now.textContent = timeLabel(clock, time);
    whole.textContent = ` of ${timeLabel(clock, clock.end)}`;
  });
  return element('div', { class: 'motion-time number' }, now, whole);
}

function speedSelect(clock: Clock, player: Player): HTMLElement {
  const duration = clock.end - clock.start;
  const { speeds, usual } = speedChoices(duration);
  player.speed = usual;
  const options = speeds.map((speed) => {
    const words = speed === 1 ? 'real time' : `${formatNumber(speed)}×`;
    return element('option', { value: speed }, `${words} (${formatQuantity(duration / speed, 's', 2)})`);
  });
  const select = element('select', { title: 'Seconds of motion for each second; in brackets how long the whole run takes' }, ...options);
  select.addEventListener('change', () => (player.speed = Number(select.value)));
  player.subscribe(() => (select.value = String(player.speed)));
  return element('label', { class: 'motion-field' }, 'Speed', select);
}

function loopBox(player: Player): HTMLElement {
  const box = element('input', { type: 'checkbox' });
  box.addEventListener('change', () => (player.loop = box.checked));
  player.subscribe(() => (box.checked = player.loop));
  return element('label', { class: 'motion-check' }, box, 'Loop');
}
