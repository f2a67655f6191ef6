import { tidy } from '../format';

/** The ticks of a logarithmic axis; those without a label are null in `labeled`. */
export interface LogTicks {
  ticks: number[];
  labeled: (number | null)[];
}

/** No axis has more labels at powers of ten than this, however long it is. */
const mostDecades = 8;

/** No axis has more grid lines than about this. */
const mostLines = 30;

/**
 * Ticks from the lowest to the highest value, with room for so many labels: powers of ten, every second, third, … of them
 * where there are many, and fine lines between only as long as they can be told apart. An axis of less than two decades
 * has labels within them.
 */
export function logTicks(lowest: number, highest: number, room: number): LogTicks {
  if (!(lowest > 0 && highest > lowest)) return { ticks: [], labeled: [] };
  const slack = 1e-9;
  const [first, last] = [Math.ceil(Math.log10(lowest) - slack), Math.floor(Math.log10(highest) + slack)];
  const labels = Math.max(2, Math.min(mostDecades, Math.floor(room)));
  const decades = Math.log10(highest / lowest);
  if (decades < 2) return closeTicks(lowest, highest, labels);
  const step = niceStep(Math.ceil((last - first + 1) / labels));
  const fine = 9 * decades <= mostLines ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1];
  const every = decades <= mostLines ? 1 : step;
  const found: LogTicks = { ticks: [], labeled: [] };
  for (let power = first - 1; power <= last; ++power) {
    if (power % every !== 0) continue;
    for (const digit of fine) {
      const tick = Number(`${digit}e${power}`);
      if (tick < lowest * (1 - slack) || tick > highest * (1 + slack)) continue;
      found.ticks.push(tick);
      found.labeled.push(digit === 1 && power % step === 0 ? tick : null);
    }
  }
  return found;
}

/** Of less than two decades: 1, 2 and 5 in each, or, where that gives fewer than two, evenly spaced ones. */
function closeTicks(lowest: number, highest: number, labels: number): LogTicks {
  const inside = (tick: number) => tick >= lowest * (1 - 1e-9) && tick <= highest * (1 + 1e-9);
  for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(lowest)) - 1; power <= Math.log10(highest) + 1; ++power) {
      for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
    }
    const found = ticks.filter(inside);
    if (found.length >= 3 && found.length <= labels) return withFine(found, lowest, highest);
  }
  const rough = (highest - lowest) / labels;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9))!;
  const even: number[] = [];
  for (let k = Math.ceil(lowest / step - 1e-9); k * step <= highest * (1 + 1e-9); ++k) if (k > 0) even.push(tidy(k * step));
  return { ticks: even, labeled: even };
}

function withFine(labeled: number[], lowest: number, highest: number): LogTicks {
  const wanted = new Set(labeled);
  for (let power = Math.floor(Math.log10(lowest)) - 1; power <= Math.log10(highest) + 1; ++power) {
    for (let digit = 1; digit <= 9; ++digit) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= lowest && tick <= highest) wanted.add(tick);
    }
  }
  const ticks = [...wanted].sort((a, b) => a - b);
  return { ticks, labeled: ticks.map((tick) => (labeled.includes(tick) ? tick : null)) };
}

/** The next of the steps that readers count in easily. */
function niceStep(least: number): number {
  return [1, 2, 3, 5, 10, 20, 50, 100].find((step) => step >= least) ?? least;
}
