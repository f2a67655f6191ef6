import type { HeatmapDocument } from '../documents';
import { extent } from '../number_column';

/** One range of colors for several maps. */
export interface SharedRange {
  range: [number, number];
  /** How many maps have it. */
  maps: number;
}

/** What maps that can be compared at a glance have in common: what their title says before a colon, their axes and their unit. */
function kindOf({ title, rows, columns, unit, diverging }: HeatmapDocument): string {
  return JSON.stringify([title.split(':')[0], rows.label, columns.label, columns.unit ?? '', unit, diverging === true]);
}

/** The range of each map that has company; a map with a range of its own keeps it. A diverging range has zero in its middle. */
export function sharedRanges(maps: HeatmapDocument[]): Map<HeatmapDocument, SharedRange> {
  const kinds = new Map<string, HeatmapDocument[]>();
  for (const map of maps) {
    if (map.range) continue;
    const kind = kindOf(map);
    kinds.set(kind, [...(kinds.get(kind) ?? []), map]);
  }
  const shared = new Map<HeatmapDocument, SharedRange>();
  for (const group of kinds.values()) {
    const ends = extent(group.flatMap(({ values }) => extent(values.flat())));
    if (group.length < 2 || ends.length === 0) continue;
    const largest = Math.max(Math.abs(ends[0]), Math.abs(ends[1]));
    const range: [number, number] = group[0]!.diverging ? [-largest, largest] : ends;
    for (const map of group) shared.set(map, { range, maps: group.length });
  }
  return shared;
}
