import type { MaybeNumber } from './documents';

/** How to show numbers of a unit: shown number = value · factor, followed by `unit`. */
export interface Scale {
  factor: number;
  unit: string;
}

/** The exponent of the first prefix: charges of single electrons are 0.16 aC. */
const leastExponent = -18;

const prefixes = new Map([
  [leastExponent, 'a'],
  [-15, 'f'],
  [-12, 'p'],
  [-9, 'n'],
  [-6, 'µ'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
]);

/** Units whose first symbol may take a prefix, with the largest exponent that readers are used to. */
const largestExponent: Record<string, number> = {
  m: 3, s: 0, g: 3, N: 6, C: 0, V: 9, J: 9, W: 9, Hz: 9, Pa: 9, A: 6, F: 0, T: 0, K: 0, rad: 0,
};

/** The thin space that groups digits, and the narrow one between number and unit, neither of which breaks a line. */
const groupSpace = '\u202f';
const unitSpace = '\u00a0';

/** "kg/s" is 10³ g/s: splits a unit into the exponent of its own prefix, the symbol that takes another, and the rest. */
function parse(unit: string): { exponent: number; symbol: string; rest: string } | null {
  const match = /^([A-Za-z]+)((?:[/·*].*)?)$/.exec(unit);
  if (!match) return null;
  const kilogram = match[1] === 'kg';
  const symbol = kilogram ? 'g' : match[1]!;
  if (!(symbol in largestExponent)) return null;
  return { exponent: kilogram ? 3 : 0, symbol, rest: match[2]! };
}

/** The scale in which a number of this size is read most easily; units that take no prefix keep their own. */
export function scaleFor(size: MaybeNumber, unit: string): Scale {
  const parsed = parse(unit);
  if (!parsed || size === null || !Number.isFinite(size) || size === 0) return { factor: 1, unit };
  const magnitude = Math.abs(size) * 10 ** parsed.exponent;
  const wanted = 3 * Math.floor((Math.log10(magnitude) + 1e-9) / 3);
  const exponent = Math.min(Math.max(wanted, leastExponent), largestExponent[parsed.symbol]!);
  return {
    factor: 10 ** (parsed.exponent - exponent),
    unit: prefixes.get(exponent) + parsed.symbol + parsed.rest,
  };
}

/** The scale of a column or an axis: that of its largest number. */
export function commonScale(values: Iterable<MaybeNumber>, unit: string): Scale {
  let largest = 0;
  for (const value of values) {
    if (value !== null && Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  }
  return scaleFor(largest, unit);
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]).join('');
  return (exponent < 0 ? '⁻' : '') + digits;
}

/** Groups the digits before the point by three from five digits on, and writes a true minus sign. */
function group(plain: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(.*)$/.exec(plain) ?? [];
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, groupSpace) : whole;
  return (sign ? '−' : '') + grouped + fraction;
}

/**
 * A number with so many significant digits: "0.0125", "12.50" (rounded), "12.5" (exactly that), "1 048 576",
 * "3.2×10⁻⁷"; "–" for null.
 */
export function formatNumber(value: MaybeNumber, digits = 4): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return group(String(value));
  const rounded = value.toPrecision(digits);
  const exact = Number(rounded) === tidy(value);
  const size = Math.abs(Number(rounded));
  if (size >= 1e-3 && size < 1e6) {
    return group(exact ? String(Number(rounded)) : value.toFixed(Math.max(0, digits - 1 - exponentOf(size))));
  }
  return formatPower(value, exact ? undefined : digits);
}

/** A number as mantissa and power of ten: "3.2×10⁻⁷"; without `digits`, as many as it has. */
export function formatPower(value: number, digits?: number): string {
  const text = digits === undefined ? tidy(value).toExponential() : value.toExponential(digits - 1);
  const [mantissa, exponent] = text.split('e') as [string, string];
  return `${mantissa.replace('-', '−')}×10${superscript(Number(exponent))}`;
}

function exponentOf(size: number): number {
  return Number(size.toExponential().split('e')[1]);
}

/** A number with so many digits after the point, grouped, with a true minus sign; "–" for null. */
export function formatFixed(value: MaybeNumber, decimals: number): string {
  if (value === null || !Number.isFinite(value)) return '–';
  return group(value.toFixed(Math.min(Math.max(decimals, 0), 20)).replace(/^-(0(?:\.0*)?)$/, '$1'));
}

/** A number with its unit and an SI prefix: "6 µC", "10 N/m", "12.4 mm"; "–" for null. */
export function formatQuantity(value: MaybeNumber, unit = '', digits = 4): string {
  if (value === null || !Number.isFinite(value)) return '–';
  const scale = scaleFor(value, unit);
  const text = formatNumber(tidy(value * scale.factor), digits);
  return scale.unit === '' ? text : text + (scale.unit === '%' || scale.unit === '°' ? '' : unitSpace) + scale.unit;
}

/** Removes what a multiplication by a power of ten adds: 6e-6 · 1e6 is 6. */
export function tidy(value: number): number {
  return Number(value.toPrecision(15));
}

/** The exact number in the document's own unit, for tooltips. */
export function exactQuantity(value: MaybeNumber, unit = ''): string {
  if (value === null) return 'unknown or infinite';
  return unit === '' ? String(value) : `${value} ${unit}`;
}
