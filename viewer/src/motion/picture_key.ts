import { element } from '../dom';
import { formatQuantity } from '../format';
import type { Clock } from '../page';
import type { ColorChoice } from './color_choice';
import type { DecodedMotion } from './decoded_motion';
import { colorLegend, logarithmicLegend, signLegend } from './legend';
import { timeLabel } from './playback_controls';
import type { Layer, MotionScene } from './scene';

/** The time, and the legend of the colors. */
export function colorKey(choice: ColorChoice, clock: Clock): HTMLElement {
  const time = element('div', { class: 'motion-instant number', 'aria-hidden': 'true' });
  clock.subscribe((now) => (time.textContent = timeLabel(clock, now)));
  const colors = element('div', {});
  choice.subscribe((coloring) => colors.replaceChildren(colorLegend(coloring)));
  return element('div', { class: 'motion-key motion-color-key' }, time, colors);
}

/** Legends of the arrows, each shown while its layer is. */
export function arrowKeys(scene: MotionScene): Map<Layer, HTMLElement> {
  const keys = new Map<Layer, HTMLElement>();
  const [field, wind] = [scene.fieldArrows?.range, scene.windArrows?.range];
  if (field) keys.set('field', logarithmicLegend('electric field', 'V/m', field.lowest, field.highest));
  if (wind) keys.set('wind', logarithmicLegend('wind', 'm/s', wind.lowest, wind.highest));
  return keys;
}

/** The legend of the signs in the picture, below those of the arrows. */
export function signKey(motion: DecodedMotion, arrows: Iterable<HTMLElement>): HTMLElement | null {
  const parts = [...arrows, signs(motion)].filter((part) => part !== null);
  return parts.length > 0 ? element('div', { class: 'motion-key motion-sign-key' }, ...parts) : null;
}

function signs(motion: DecodedMotion): HTMLElement | null {
  const { pinned, markers, pointCharges } = motion;
  const rows: HTMLElement[] = [];
  if (pinned.length > 0) rows.push(signLegend('', `pinned (${pinned.length})`, 'ringed'));
  if (markers) {
    rows.push(signLegend('×', 'recorded; line to the model’s marker', 'recorded'));
    const from = markers.validationFrom;
    if (from !== null) {
      rows.push(signLegend('○', `recorded, in the forecast from ${formatQuantity(from, 's')}`, 'recorded'));
    }
  }
  for (const [sign, of, className] of chargeSigns) {
    const charges = pointCharges.map(({ charge }) => charge).filter((charge) => Math.sign(charge) === of);
    if (charges.length > 0) rows.push(signLegend(sign, `point charge ${rangeText(charges)}`, className));
  }
  return rows.length > 0 ? element('ul', { class: 'motion-signs' }, ...rows) : null;
}

const chargeSigns = [
  ['+', 1, 'positive'],
  ['−', -1, 'negative'],
  ['', 0, 'neutral'],
] as const;

function rangeText(charges: readonly number[]): string {
  const [lowest, highest] = [Math.min(...charges), Math.max(...charges)];
  const first = formatQuantity(lowest, 'C', 3);
  return lowest === highest ? first : `${first} to ${formatQuantity(highest, 'C', 3)}`;
}
