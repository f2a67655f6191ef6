import type { FittedParameter } from '../documents';
import { formatQuantity } from '../format';
import { extent } from '../number_column';

const namespace = 'http://www.w3.org/2000/svg';
const width = 160;
const height = 22;
const margin = 8;

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** The interval as a bar with the estimate on it, and the start value as a ring on the same axis. */
export function intervalPicture({ initial, estimate, interval, unit }: FittedParameter): SVGElement {
  const [lower, upper] = interval;
  const [first = 0, last = 0] = extent([initial, estimate, lower, upper]);
  const place = (value: number) =>
    last > first ? margin + ((width - 2 * margin) * (value - first)) / (last - first) : width / 2;
  const words = `Start ${formatQuantity(initial, unit)}, estimate ${formatQuantity(estimate, unit)}`;
  const picture = shape('svg', { viewBox: `0 0 ${width} ${height}`, class: 'interval-picture', role: 'img' });
  picture.setAttribute('aria-label', words);
  const middle = height / 2;
  picture.append(shape('line', { class: 'axis', x1: 0, x2: width, y1: middle, y2: middle }));
  if (lower !== null && upper !== null) {
    const from = place(lower);
    const length = Math.max(place(upper) - from, 1.5);
    picture.append(shape('rect', { class: 'bar', x: from, y: middle - 4, width: length, height: 8, rx: 2 }));
  }
  if (initial !== null) picture.append(shape('circle', { class: 'start', cx: place(initial), cy: middle, r: 4 }));
  if (estimate !== null) picture.append(shape('circle', { class: 'estimate', cx: place(estimate), cy: middle, r: 3 }));
  return picture;
}
