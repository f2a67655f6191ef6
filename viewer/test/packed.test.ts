import { describe, expect, it } from 'vitest';
import { unpack } from '../src/packed';
import { pack, packQuantized } from '../dev/pack';

/** Sixteen-bit integers that jump over the whole range, so that differences wrap around. */
function jumps(count: number, size: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * i * 40503 + 7 * i) % size);
}

describe('packed arrays: numbers as they are', () => {
  it('float32: come back unchanged, NaN and infinity included', async () => {
    const numbers = [0, 1 / 3, NaN, Infinity, -1e-38, -2];
    const decoded = await unpack(pack('float32', [3, 2], numbers));
    expect(decoded.shape).toEqual([3, 2]);
    expect([...decoded.values()]).toEqual(numbers.map(Math.fround));
  });

  it('uint32: reach to 2³² − 1', async () => {
    const numbers = [0, 1, 65536, 4294967295];
    expect([...(await unpack(pack('uint32', [2, 2], numbers))).values()]).toEqual(numbers);
  });

  it('bytes that another program wrote: decode to its numbers', async () => {
    // python3: base64.b64encode(zlib.compress(struct.pack('<3f', 1.5, -2, 1e10)))
    const data = 'eJxjYDhgz8DAcOAnk2gAABHnAyA=';
    expect([...(await unpack({ type: 'float32', shape: [3], data })).values()]).toEqual([1.5, -2, 1e10]);
  });
});

describe('packed arrays: quantized', () => {
  for (const type of ['uint8', 'uint16'] as const) {
    const size = type === 'uint8' ? 256 : 65536;
    for (const order of [undefined, 0, 1, 2, 3]) {
      it(`${type}, order ${order}: every integer comes back`, async () => {
        const numbers = jumps(5 * 2 * 3, size);
        const decoded = await unpack(packQuantized(type, [5, 2, 3], numbers, { offset: 0, scale: 1 }, order));
        expect([...decoded.values()]).toEqual(numbers);
      });
    }
  }

  it('offset and scale: value = offset + scale·q, one offset for each index of the last axis', async () => {
    const values = [-1, 10, 1000, -0.5, 10.25, 1000.75];
    const packed = packQuantized('uint16', [2, 3], values, { offset: [-1, 10, 1000], scale: 0.25 }, 1);
    expect([...(await unpack(packed)).values()]).toEqual(values);
  });

  it('a worked example: second differences as the page describes them', async () => {
    // q = 5, 8, 10, 9: r = 5, 3, −1, −3; zigzag 10, 6, 1, 5; low bytes, then high bytes.
    const bytes = [10, 6, 1, 5, 0, 0, 0, 0];
    const { deflateSync } = await import('node:zlib');
    const data = deflateSync(Uint8Array.from(bytes)).toString('base64');
    const decoded = await unpack({ type: 'uint16', shape: [4, 1], data, order: 2, offset: 1, scale: 2 });
    expect([...decoded.values()]).toEqual([11, 17, 21, 19]);
  });

  it('a row: reads the same values as the whole array', async () => {
    const decoded = await unpack(packQuantized('uint8', [4, 2, 2], jumps(16, 256), { offset: [3, -3], scale: 0.5 }, 2));
    const row = new Float32Array(4);
    decoded.readRow(2, row);
    expect([...row]).toEqual([...decoded.values()].slice(8, 12));
  });
});

describe('packed arrays: damaged', () => {
  it('too few numbers for the shape: are refused', async () => {
    await expect(unpack({ ...pack('float32', [2, 2], [1, 2, 3, 4]), shape: [3, 2] })).rejects.toThrow('needs 6 numbers, data holds 4');
  });

  it('data that is no zlib stream: is refused', async () => {
    await expect(unpack({ type: 'uint8', shape: [3], data: btoa('abc') })).rejects.toThrow();
  });
});
