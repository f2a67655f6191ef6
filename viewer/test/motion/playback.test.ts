import { describe, expect, it } from 'vitest';
import { neighbor, timeDecimals, timeLabel } from '../../src/motion/playback_controls';
import { advance, speedChoices } from '../../src/motion/player';

describe('speeds', () => {
  it('a run that takes about ten seconds: is played in real time', () => {
    expect(speedChoices(12).usual).toBe(1);
  });

  it('other runs: take about ten seconds', () => {
    for (const duration of [1e-4, 0.02, 0.8, 60, 3600, 1e7]) {
      const seconds = duration / speedChoices(duration).usual;
      expect(seconds).toBeGreaterThan(6);
      expect(seconds).toBeLessThan(16);
    }
  });

  it('the choices: reach from a tenth to ten times the usual one, and hold real time', () => {
    const { speeds, usual } = speedChoices(0.8);
    expect(usual).toBe(0.1);
    expect(speeds).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
    expect(speedChoices(3600).speeds).toContain(1);
  });
});

describe('playing', () => {
  it('before the end: the time grows by the step', () => {
    expect(advance({ start: 1, end: 3, time: 1.5 }, 0.25, false)).toEqual({ time: 1.75, ended: false });
  });

  it('at the end: stops there, or begins again with what is left of the step', () => {
    expect(advance({ start: 1, end: 3, time: 2.9 }, 0.25, false)).toEqual({ time: 3, ended: true });
    const again = advance({ start: 1, end: 3, time: 2.875 }, 0.25, true);
    expect(again).toEqual({ time: 1.125, ended: false });
  });

  it('a run of one instant: ends even with loop', () => {
    expect(advance({ start: 2, end: 2, time: 2 }, 0.1, true)).toEqual({ time: 2, ended: true });
  });
});

describe('stepping', () => {
  const times = [0, 0.5, 2];

  it('from between frames: goes to the frame on that side', () => {
    expect(neighbor(times, 0.7, 1)).toBe(2);
    expect(neighbor(times, 0.7, -1)).toBe(0.5);
  });

  it('from a frame: goes to the next one, and stays at the ends', () => {
    expect(neighbor(times, 0.5, 1)).toBe(2);
    expect(neighbor(times, 0.5, -1)).toBe(0);
    expect(neighbor(times, 2, 1)).toBe(2);
    expect(neighbor(times, 0, -1)).toBe(0);
  });

  it('from outside the frames, where other parts of the page go on: comes back', () => {
    expect(neighbor(times, 5, -1)).toBe(2);
    expect(neighbor(times, -1, 1)).toBe(0);
  });
});

describe('time label', () => {
  it('decimals: tell a thousandth of the run', () => {
    expect([0.02, 0.8, 4, 10, 60, 5000].map(timeDecimals)).toEqual([4, 3, 2, 2, 1, 0]);
    expect(timeLabel({ start: 0, end: 4 }, 1.5)).toBe('1.50\u00a0s');
  });
});
