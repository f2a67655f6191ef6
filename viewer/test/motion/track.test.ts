import { describe, expect, it } from 'vitest';
import { momentAt, Track } from '../../src/motion/track';
import { PackedNumbers } from '../../src/packed';

describe('moment', () => {
  const times = [0, 1, 3, 3.5];

  it('between frames: is the part of the interval that has passed', () => {
    expect(momentAt(times, 2.5)).toEqual({ frame: 1, part: 0.75 });
    expect(momentAt(times, 3.25)).toEqual({ frame: 2, part: 0.5 });
  });

  it('on a frame: is that frame and nothing of the next', () => {
    for (const [frame, time] of times.entries()) expect(momentAt(times, time)).toEqual({ frame, part: 0 });
  });

  it('outside the run: is its first or last frame', () => {
    expect(momentAt(times, -1)).toEqual({ frame: 0, part: 0 });
    expect(momentAt(times, 9)).toEqual({ frame: 3, part: 0 });
    expect(momentAt([2], 2)).toEqual({ frame: 0, part: 0 });
  });
});

describe('track', () => {
  const numbers = new PackedNumbers([3, 2], Float32Array.from([0, 10, 4, NaN, 8, 30]));
  const track = new Track([0, 2, 3], numbers);

  it('between frames: is on the straight line', () => {
    expect(track.seek(0.5)[0]).toBe(1);
    expect(track.seek(2.5)[0]).toBe(6);
  });

  it('a missing value: is missing until the frames around it are passed, and costs no other frame', () => {
    expect([...track.seek(0)]).toEqual([0, 10]);
    expect(track.seek(1)[1]).toBeNaN();
    expect(track.seek(2.5)[1]).toBeNaN();
    expect([...track.seek(3)]).toEqual([8, 30]);
  });
});
