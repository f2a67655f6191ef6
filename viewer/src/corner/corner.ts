import type { CornerDocument, MaybeNumber } from '../documents';
import { element } from '../dom';
import { fold, mostRowsOnPaper } from '../fold';
import { commonScale, formatQuantity, tidy } from '../format';
import type { Display } from '../page';
import { linearLabels } from '../plot/plot_options';
import { tableElement } from '../table/table';
import { ellipse, intervalOf, niceTicks, type Point } from './regions';
import './corner.css';

/** A value as the picture shows it: numbers in a common unit, near the estimate and over the whole search. */
interface Axis {
  label: string;
  factor: number;
  estimate: number;
  deviation: number;
  near: Point;
  whole: Point;
}

/** Below the diagonal regions of pairs, above it the way of the search, on it each value alone. */
export const corner: Display<CornerDocument> = (host, content) => {
  const box = element('div', { class: 'corner scroll', tabindex: 0, role: 'group', 'aria-label': content.title });
  host.append(box, pairTable(content));
  let drawnFor = 0;
  const draw = () => {
    const width = Math.min(box.clientWidth, mostCell * content.parameters.length + sides);
    if (width <= 0 || width === drawnFor) return;
    drawnFor = width;
    box.replaceChildren(picture(content, width));
  };
  draw();
  new ResizeObserver(draw).observe(box);
};

const left = 58;
const right = 58;
const head = 40;
const foot = 44;
const sides = left + right;
const leastCell = 118;
const mostCell = 300;
const gap = 10;

const namespace = 'http://www.w3.org/2000/svg';

function shape(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

function picture(content: CornerDocument, width: number): SVGElement {
  const axes = content.parameters.map((_, index) => axisOf(content, index));
  const count = axes.length;
  const cell = Math.max(leastCell, (width - sides) / count);
  const total: Point = [sides + count * cell, head + count * cell * 0.8 + foot];
  const made = shape('svg', { width: total[0], height: total[1], viewBox: `0 0 ${total[0]} ${total[1]}`, role: 'img' });
  made.setAttribute('aria-label', describe(content));
  axes.forEach((row, i) => {
    axes.forEach((column, j) => {
      const place = { x: left + j * cell, y: head + i * cell * 0.8, width: cell - gap, height: cell * 0.8 - gap };
      const group = shape('g', { transform: `translate(${place.x} ${place.y})` });
      group.append(shape('rect', { class: 'frame', x: 0, y: 0, width: place.width, height: place.height }));
      if (i === j) group.append(...alone(column, content.radius, place));
      else group.append(...together(content, [j, i], [column, row], i > j, place));
      group.append(...labels([column, row], { i, j, count }, place));
      made.append(group);
    });
  });
  return made;
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

function axisOf({ parameters, path, radius }: CornerDocument, index: number): Axis {
  const { name, unit, estimate, standard_error: error } = parameters[index]!;
  const way = path.map((point) => point[index] ?? null);
  const scale = commonScale([...way, estimate], unit);
  const scaled = (value: MaybeNumber) => (value === null ? null : tidy(value * scale.factor));
  const reach = 1.15 * radius * error;
  return {
    label: scale.unit === '' ? name : `${name} [${scale.unit}]`,
    factor: scale.factor,
    estimate: scaled(estimate)!,
    deviation: scaled(error)!,
    near: [scaled(estimate - reach)!, scaled(estimate + reach)!],
    whole: intervalOf([...way, estimate].map(scaled)),
  };
}

/** Where a number lies on the width, and on the height, of a cell. */
function toPixels([x0, x1]: Point, [y0, y1]: Point, { width, height }: Place) {
  return ([x, y]: Point): Point => [(width * (x - x0)) / (x1 - x0), height * (1 - (y - y0) / (y1 - y0))];
}

const pathOf = (points: Point[]) =>
  points.map(([x, y], k) => `${k === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('');

/** The density of one value, and its interval as a bar below. */
function alone({ estimate, deviation, near }: Axis, radius: number, place: Place): SVGElement[] {
  const at = toPixels(near, [0, 1.2], place);
  const curve = Array.from({ length: 61 }, (_, k): Point => {
    const x = near[0] + ((near[1] - near[0]) * k) / 60;
    return at([x, Math.exp(-0.5 * ((x - estimate) / deviation) ** 2)]);
  });
  // of one value alone P(|z| ≤ t) = 95 % at t = 1.96, where two together have 2.45
  const half = oneValue(radius) * deviation;
  const [from, to] = [at([estimate - half, 0])[0], at([estimate + half, 0])[0]];
  return [
    shape('rect', { class: 'interval', x: from, y: 0, width: to - from, height: place.height }),
    shape('path', { class: 'density', d: pathOf(curve) }),
  ];
}

/** t with P(|z| ≤ t) = 1 − exp(−radius²/2), by bisection of the normal distribution's series (Abramowitz & Stegun 26.2.10). */
export function oneValue(radius: number): number {
  const wanted = 1 - Math.exp((-radius * radius) / 2);
  let low = 0;
  let high = radius;
  for (let k = 0; k < 50; ++k) {
    const middle = (low + high) / 2;
    if (withinNormal(middle) < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function withinNormal(t: number): number {
  let term = t;
  let sum = t;
  for (let n = 1; n < 200 && Math.abs(term) > 1e-16; ++n) {
    term *= (-t * t) / (2 * n);
    sum += term / (2 * n + 1);
  }
  return Math.sqrt(2 / Math.PI) * sum;
}

function together(
  { correlation, radius, path }: CornerDocument,
  [j, i]: [number, number],
  [column, row]: [Axis, Axis],
  near: boolean,
  place: Place,
): SVGElement[] {
  const at = toPixels(near ? column.near : column.whole, near ? row.near : row.whole, place);
  const region = ellipse([column.estimate, row.estimate], [column.deviation, row.deviation], correlation[i]![j] ?? 0, radius);
  const way = path
    .map((point) => [point[j] ?? null, point[i] ?? null])
    .filter((point): point is Point => point[0] !== null && point[1] !== null)
    .map(([x, y]) => at([x * column.factor, y * row.factor]));
  const inner = shape('svg', { width: place.width, height: place.height, class: 'inside' });
  inner.append(shape('path', { class: 'region', d: `${pathOf(region.map(at))}Z` }));
  inner.append(shape('path', { class: 'way', d: pathOf(way) }));
  for (const [cx, cy] of way) inner.append(shape('circle', { class: 'stop', cx, cy, r: 2 }));
  if (!near && way[0]) inner.append(shape('circle', { class: 'start', cx: way[0][0], cy: way[0][1], r: 4 }));
  const [cx, cy] = at([column.estimate, row.estimate]);
  inner.append(shape('circle', { class: 'estimate', cx, cy, r: 3.5 }));
  return [inner];
}

/** Ticks of the lower triangle stand on the left and below, of the upper one on the right and above. */
function labels([column, row]: [Axis, Axis], { i, j, count }: { i: number; j: number; count: number }, place: Place) {
  const made: SVGElement[] = [];
  const marks = (axis: Axis, near: boolean, horizontal: boolean, outer: boolean) => {
    const [low, high] = near ? axis.near : axis.whole;
    const { ticks, spacing } = niceTicks([low, high], Math.max(2, Math.floor(horizontal ? place.width / 55 : place.height / 35)));
    const texts = linearLabels(ticks, spacing);
    ticks.forEach((tick, k) => {
      const part = (tick - low) / (high - low);
      if (horizontal) {
        const x = part * place.width;
        const y = outer ? -6 : place.height + 13;
        if (x > 12 && x < place.width - 12) made.push(shape('text', { class: 'tick', x, y, 'text-anchor': 'middle' }, texts[k]!));
      } else {
        const y = (1 - part) * place.height + 4;
        const x = outer ? place.width + 4 : -4;
        if (y > 6 && y < place.height + 2)
          made.push(shape('text', { class: 'tick', x, y, 'text-anchor': outer ? 'start' : 'end' }, texts[k]!));
      }
    });
  };
  const title = (text: string, attributes: Record<string, string | number>) =>
    made.push(shape('text', { class: 'name', 'text-anchor': 'middle', ...attributes }, text));
  if (i === count - 1) {
    marks(column, true, true, false);
    title(column.label, { x: place.width / 2, y: place.height + 32 });
  }
  if (j === 0 && i > 0) {
    marks(row, true, false, false);
    title(row.label, { transform: `translate(-46 ${place.height / 2}) rotate(-90)` });
  }
  if (i === 0 && j > 0) {
    marks(column, false, true, true);
    title(column.label, { x: place.width / 2, y: -24 });
  }
  if (j === count - 1 && i < count - 1) {
    marks(row, false, false, true);
    title(row.label, { transform: `translate(${place.width + 50} ${place.height / 2}) rotate(90)` });
  }
  return made;
}

function describe({ parameters, correlation }: CornerDocument): string {
  const values = parameters.map(
    ({ name, unit, estimate, standard_error: error }) => `${name} ${formatQuantity(estimate, unit)} ± ${formatQuantity(error, unit, 2)}`,
  );
  const pairs = parameters.flatMap((a, i) =>
    parameters.slice(0, i).map((b, j) => `${b.name} and ${a.name} ${formatQuantity(correlation[i]![j] ?? null, '', 2)}`),
  );
  return `Confidence regions of ${values.join(', ')}. Correlations: ${pairs.join('; ')}.`;
}

/** The way of the search as a table. */
function pairTable({ parameters, path, title }: CornerDocument): HTMLElement {
  const columns = [{ label: 'iteration' }, ...parameters.map(({ name, unit }) => ({ label: name, unit }))];
  const rows = path.map((point, index) => [index, ...point]);
  return fold('Show the search as table', () => [tableElement(columns, rows, title)], {
    kind: 'as-table',
    onPaper: rows.length <= mostRowsOnPaper,
  });
}
