import type { Clock } from '../page';

/** Seconds of the reader that a run should take when nothing else is asked for. */
const comfortable = 10;

/** A run of this length [s] is played in real time. */
const nearlyComfortable = [3, 25] as const;

/** Seconds of motion for each second of the reader. */
export interface SpeedChoices {
  speeds: number[];
  usual: number;
}

/** Speeds from a tenth to ten times the usual one, with which the run takes about ten seconds or real time; and real time. */
export function speedChoices(duration: number): SpeedChoices {
  const usual = duration >= nearlyComfortable[0] && duration <= nearlyComfortable[1] ? 1 : roundSpeed(duration / comfortable);
  const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10].map((factor) => Number((usual * factor).toPrecision(3)));
  return { speeds: [...new Set([...speeds, 1])].sort((a, b) => a - b), usual };
}

/** The nearest of 1, 2 and 5 times a power of ten. */
function roundSpeed(speed: number): number {
  if (!(speed > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(speed));
  const choices = [1, 2, 5, 10].map((digit) => digit * power);
  const distance = (choice: number) => Math.abs(Math.log(choice / speed));
  return Number(choices.reduce((best, choice) => (distance(choice) < distance(best) ? choice : best)).toPrecision(1));
}

/** The time after a step, and whether it reached the end; with `loop` the run begins again there. */
export function advance(clock: Pick<Clock, 'start' | 'end' | 'time'>, step: number, loop: boolean): { time: number; ended: boolean } {
  const time = clock.time + step;
  if (time < clock.end) return { time, ended: false };
  if (!loop || clock.end <= clock.start) return { time: clock.end, ended: true };
  return { time: clock.start + ((time - clock.start) % (clock.end - clock.start)), ended: false };
}

/** Lets the clock of a page run. */
export class Player {
  private seconds = 1;
  private repeats = false;
  private running = false;
  private last = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  get playing(): boolean {
    return this.running;
  }

  /** Seconds of motion for each second of the reader. */
  get speed(): number {
    return this.seconds;
  }

  set speed(speed: number) {
    this.seconds = speed;
    this.tell();
  }

  /** Begins again at the end. */
  get loop(): boolean {
    return this.repeats;
  }

  set loop(loop: boolean) {
    this.repeats = loop;
    this.tell();
  }

  /** Calls the listener now and whenever playing begins or stops, or its manner changes. */
  subscribe(listener: () => void): void {
    this.listeners.push(listener);
    listener();
  }

  /** Plays from here; from the start if this is the end. */
  play(): void {
    if (this.running) return;
    if (this.clock.time >= this.clock.end) this.clock.set(this.clock.start);
    this.running = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  pause(): void {
    if (!this.running) return;
    this.running = false;
    this.tell();
  }

  toggle(): void {
    if (this.running) this.pause();
    else this.play();
  }

  private tick(now: number): void {
    if (!this.running) return;
    // A tab that was hidden goes on where it was left.
    const seconds = Math.min(Math.max(now - this.last, 0) / 1000, 0.2);
    this.last = now;
    const { time, ended } = advance(this.clock, seconds * this.speed, this.loop);
    this.clock.set(time);
    if (ended) this.pause();
    else requestAnimationFrame((next) => this.tick(next));
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

const players = new WeakMap<Clock, Player>();

/** The one player of a clock, however many displays show its controls. */
export function playerOf(clock: Clock): Player {
  let player = players.get(clock);
  if (!player) players.set(clock, (player = new Player(clock)));
  return player;
}
