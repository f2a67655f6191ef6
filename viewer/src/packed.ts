import type { PackedArray } from './documents';

type Stored = Float32Array | Uint32Array | Uint16Array | Uint8Array;

/** The numbers of a packed array: kept as they were stored, because a long motion takes half the memory, and turned into values on demand. */
export class PackedNumbers {
  /** How many numbers there are for one index of the first axis. */
  readonly rowLength: number;

  /** value = offsets[i mod offsets.length] + scale·stored[i]; NaN where `missing` is stored. */
  constructor(
    readonly shape: readonly number[],
    private readonly stored: Stored,
    private readonly offsets: readonly number[] = [0],
    private readonly scale = 1,
    private readonly missing = -1,
  ) {
    this.rowLength = product(shape.slice(1));
  }

  get length(): number {
    return this.stored.length;
  }

  /** The value at a flat index (row-major). */
  at(index: number): number {
    const stored = this.stored[index]!;
    return stored === this.missing ? NaN : this.offsets[index % this.offsets.length]! + this.scale * stored;
  }

  /** Writes the values of one index of the first axis into the beginning of `values`. */
  readRow(row: number, values: Float32Array | Float64Array): void {
    const { offsets, scale, stored, missing, rowLength } = this;
    const begin = row * rowLength;
    const period = offsets.length;
    for (let i = 0, k = 0; i < rowLength; ++i) {
      const number = stored[begin + i]!;
      values[i] = number === missing ? NaN : offsets[k]! + scale * number;
      if (++k === period) k = 0;
    }
  }

  /** All values. */
  values(): Float64Array {
    const values = new Float64Array(this.length);
    for (let i = 0; i < values.length; ++i) values[i] = this.at(i);
    return values;
  }
}

/** Decodes a packed array (docs/report.md); throws an Error where its data does not fit its shape. */
export async function unpack(packed: PackedArray): Promise<PackedNumbers> {
  const bytes = await inflate(decodeBase64(packed.data));
  const stored = interpret(packed, bytes);
  if (stored.length !== product(packed.shape)) {
    throw new Error(`packed array: shape ${packed.shape.join(' × ')} needs ${product(packed.shape)} numbers, data holds ${stored.length}`);
  }
  const offset = packed.offset ?? 0;
  return new PackedNumbers(packed.shape, stored, typeof offset === 'number' ? [offset] : offset, packed.scale ?? 1, packed.missing);
}

function interpret(packed: PackedArray, bytes: Uint8Array): Stored {
  const width = { float32: 4, uint32: 4, uint16: 2, uint8: 1 }[packed.type];
  if (width === undefined) throw new Error(`packed array: unknown type ${packed.type}`);
  if (bytes.length % width !== 0) throw new Error(`packed array: ${bytes.length} bytes are no whole number of ${packed.type}`);
  // Typed arrays take the machine's byte order, which is little-endian wherever a browser runs.
  if (packed.type === 'float32') return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / width);
  if (packed.type === 'uint32') return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / width);
  const stored = packed.type === 'uint16' ? joinPlanes(bytes) : bytes;
  if (packed.order !== undefined) undoDifferences(stored, packed.order, product(packed.shape.slice(1)));
  return stored;
}

/** 16-bit numbers from all their low bytes, then all their high bytes. */
function joinPlanes(bytes: Uint8Array): Uint16Array {
  const count = bytes.length / 2;
  const numbers = new Uint16Array(count);
  for (let i = 0; i < count; ++i) numbers[i] = bytes[i]! | (bytes[count + i]! << 8);
  return numbers;
}

/** Undoes zigzag and the differences along the first axis, in place; unsigned arrays wrap around as the encoder's did. */
function undoDifferences(numbers: Uint16Array | Uint8Array, order: number, rowLength: number): void {
  for (let i = 0; i < numbers.length; ++i) {
    const zigzag = numbers[i]!;
    numbers[i] = (zigzag >>> 1) ^ -(zigzag & 1);
  }
  // The k-th differences begin at row k, where rows 0 … k − 1 still hold those of lower order.
  for (let pass = order; pass >= 1; --pass) {
    for (let i = pass * rowLength; i < numbers.length; ++i) numbers[i] = numbers[i]! + numbers[i - rowLength]!;
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all * number, 1);
}
