import type { MaybeNumber } from './documents';
import { commonScale, formatFixed, formatNumber, formatQuantity, tidy } from './format';

/** How the numbers of one column are written so that they can be compared at a glance. */
export interface NumberColumn {
  /** The unit for the head of the column; empty where every cell says its own, or there is none. */
  unit: string;
  show(value: MaybeNumber): string;
}

/** Values that differ by more than this factor do not share a number of decimals. */
const widest = 1e4;

/** This part of the values may be smaller than what the decimals are chosen for: curves cross zero. */
const negligible = 0.1;

/**
 * One prefix and one number of decimals for all, such that a small one keeps three significant digits. Where the values
 * are of too different sizes for that, each has its own prefix.
 */
export function numberColumn(values: MaybeNumber[], unit: string): NumberColumn {
  const sizes = values.filter((v): v is number => v !== null && v !== 0).map((v) => Math.abs(v));
  sizes.sort((a, b) => a - b);
  const smallest = sizes[Math.floor(negligible * sizes.length)];
  const largest = sizes[sizes.length - 1];
  if (smallest === undefined || largest === undefined) return { unit, show: (value) => formatNumber(value) };
  if (largest > widest * smallest) return { unit: '', show: (value) => formatQuantity(value, unit) };
  const scale = commonScale([largest], unit);
  const scaled = (value: number) => tidy(value * scale.factor);
  if (scaled(largest) >= 1e7 || scaled(smallest) < 1e-4) {
    return { unit: scale.unit, show: (value) => formatNumber(value === null ? null : scaled(value)) };
  }
  const decimals = Math.max(...sizes.slice(-1000).map((size) => decimalsNeeded(scaled(size), scaled(smallest))));
  return {
    unit: scale.unit,
    show: (value) => {
      if (value === null) return formatFixed(null, decimals);
      const vanishes = value !== 0 && Number(scaled(value).toFixed(decimals)) === 0;
      return vanishes ? formatNumber(scaled(value), 2) : formatFixed(scaled(value), decimals);
    },
  };
}

/** Decimals of the number itself if it is short, at most those that show three digits of the smallest. */
function decimalsNeeded(value: number, smallest: number): number {
  const most = Math.max(0, 2 - Math.floor(Math.log10(smallest)));
  for (let decimals = 0; decimals < most; ++decimals) {
    if (Number(value.toFixed(decimals)) === value) return decimals;
  }
  return most;
}

/** Lowest and highest of the numbers; [] without any. */
export function extent(values: Iterable<MaybeNumber>): [] | [number, number] {
  let lowest = Infinity;
  let highest = -Infinity;
  for (const value of values) {
    if (value === null || Number.isNaN(value)) continue;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return lowest <= highest ? [lowest, highest] : [];
}
