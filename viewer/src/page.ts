import type { HeatmapDocument, SectionDocument } from './documents';
import type { SharedRange } from './heatmap/shared_range';

/** The instant that all parts of a page show, in seconds of the motion. */
export interface Clock {
  readonly start: number;
  readonly end: number;
  readonly time: number;
  /** Widens [start, end] so that it holds this interval. The first call sets it, and the time to its start. */
  extend(start: number, end: number): void;
  /** Sets the time, moved into [start, end], and tells everyone. */
  set(time: number): void;
  /** Calls the listener now and whenever the time changes, until the returned function is called. */
  subscribe(listener: (time: number) => void): () => void;
}

export type ThemeName = 'light' | 'dark';

/** Light or dark. */
export interface Theme {
  readonly name: ThemeName;
  set(name: ThemeName): void;
  /** Calls the listener whenever the name changes, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** How programs drive the first motion of a page (docs/report.md). */
export interface MotionControls {
  readonly start: number;
  readonly end: number;
  /** Seconds that the page takes to play it from start to end. */
  readonly playback: number;
  /** Names that `color` takes. */
  readonly colors: string[];
  /** Draws that instant at once. */
  show(time: number): void;
  color(name: string): void;
  /** Only the 3D picture and its legend, filling a window of that size in pixels. */
  view(width: number, height: number): void;
}

/** What the displays of one page share. */
export interface Page {
  readonly clock: Clock;
  readonly theme: Theme;
  /** The range of colors of each heat map that shares it with others. */
  readonly colorRanges: ReadonlyMap<HeatmapDocument, SharedRange>;
  /** The first motion display registers itself here. */
  motion: MotionControls | null;
}

/** Draws one document into an empty host. A display that throws costs its own section only. */
export type Display<D extends SectionDocument> = (
  host: HTMLElement,
  content: D,
  page: Page,
) => void | Promise<void>;
