import { expect, it } from 'vitest';
import { contextsLeft, keepContext } from '../../src/motion/contexts';

it('contexts: of many pictures the one that drew longest ago gives up its own', () => {
  const released: number[] = [];
  const holders = Array.from({ length: 8 }, (_, i) => ({ release: () => released.push(i) }));
  for (const holder of holders.slice(0, 6)) keepContext(holder);
  keepContext(holders[0]!);
  expect(released).toEqual([]);
  expect(contextsLeft()).toBe(0);
  keepContext(holders[6]!);
  keepContext(holders[7]!);
  expect(released).toEqual([1, 2]);
});
