import { corner } from './corner/corner';
import type { SectionDocument } from './documents';
import { experiment } from './experiment/experiment';
import { parameters } from './parameters/parameters';
import { summary } from './summary/summary';
import { table } from './table/table';
import { heatmap } from './heatmap/heatmap';
import { motion } from './motion/motion';
import { panels } from './panels/panels';
import type { Display } from './page';
import { plot } from './plot/plot';

/** Which display shows which kind of document. */
export const displays: Record<string, Display<never>> = {
  summary,
  motion,
  plot,
  panels,
  corner,
  table,
  heatmap,
  parameters,
  experiment,
};

/** The display of a kind; undefined for a kind that this page does not know. */
export function displayOf(kind: string): Display<SectionDocument> | undefined {
  return Object.hasOwn(displays, kind) ? (displays[kind] as Display<SectionDocument>) : undefined;
}
