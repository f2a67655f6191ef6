import type { MotionControls, ThemeName } from './page';

/** `window.pithball`: how tests, stills and films drive a page (docs/report.md). */
export interface ProgramInterface {
  /** Fulfilled when everything is drawn. */
  readonly ready: Promise<void>;
  readonly sections: { id: string; kind: string; title: string }[];
  theme(name: ThemeName): void;
  /** The first motion; null where the page has none. */
  readonly motion: MotionControls | null;
}

declare global {
  interface Window {
    pithball: ProgramInterface;
  }
}
