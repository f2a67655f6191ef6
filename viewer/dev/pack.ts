import { deflateSync } from 'node:zlib';
import type { PackedArray } from '../src/documents';

/** Encodes numbers as they are, as a packed array of docs/report.md. */
export function pack(type: 'float32' | 'uint32', shape: number[], values: ArrayLike<number>): PackedArray {
  const numbers = type === 'float32' ? Float32Array.from(values) : Uint32Array.from(values);
  return { type, shape, data: encode(new Uint8Array(numbers.buffer)) };
}

/** How numbers are rounded to integers: value = offset + scale·q. */
export interface Quantization {
  offset: number | number[];
  scale: number;
}

/** Encodes quantized numbers; with an order, as differences along the first axis, straight from their formula Σₖ (−1)ᵏ C(d, k) q_{f−k}. */
export function packQuantized(
  type: 'uint8' | 'uint16',
  shape: number[],
  values: ArrayLike<number>,
  { offset, scale }: Quantization,
  order?: number,
): PackedArray {
  const offsets = typeof offset === 'number' ? [offset] : offset;
  const bits = type === 'uint8' ? 8 : 16;
  const row = values.length / shape[0]!;
  const quantized = Array.from(values, (value, i) => Math.round((value - offsets[i % offsets.length]!) / scale));
  const stored = order === undefined ? quantized : quantized.map((_, i) => zigzag(difference(quantized, i, row, order), bits));
  return {
    type,
    shape,
    data: encode(bits === 8 ? Uint8Array.from(stored) : planes(stored)),
    ...(order === undefined ? {} : { order }),
    offset,
    scale,
  };
}

/** Quantizes with 16 bits from the lowest to the highest value of each index of the last axis, in equal steps. */
export function packMotion(shape: number[], values: ArrayLike<number>): PackedArray {
  const last = shape.at(-1)!;
  const lowest = new Array<number>(last).fill(Infinity);
  const highest = new Array<number>(last).fill(-Infinity);
  for (let i = 0; i < values.length; ++i) {
    lowest[i % last] = Math.min(lowest[i % last]!, values[i]!);
    highest[i % last] = Math.max(highest[i % last]!, values[i]!);
  }
  const scale = Math.max(...lowest.map((low, a) => highest[a]! - low)) / 65535 || 1;
  return packQuantized('uint16', shape, values, { offset: lowest, scale }, 2);
}

function difference(numbers: number[], i: number, row: number, order: number): number {
  const d = Math.min(order, Math.floor(i / row));
  let sum = 0;
  for (let k = 0, weight = 1; k <= d; weight = (-weight * (d - k)) / (k + 1), ++k) sum += weight * numbers[i - k * row]!;
  return sum;
}

/** 0, −1, 1, −2, … → 0, 1, 2, 3, … after reduction to a signed number of that many bits. */
function zigzag(number: number, bits: number): number {
  const size = 2 ** bits;
  const unsigned = ((number % size) + size) % size;
  return unsigned < size / 2 ? 2 * unsigned : 2 * (size - unsigned) - 1;
}

function planes(numbers: number[]): Uint8Array {
  return Uint8Array.from([...numbers.map((n) => n & 255), ...numbers.map((n) => n >> 8)]);
}

function encode(bytes: Uint8Array): string {
  return deflateSync(bytes).toString('base64');
}
