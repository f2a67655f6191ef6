import type { HeatmapDocument } from '../documents';
import { element } from '../dom';
import { formatQuantity } from '../format';
import { addOverlay } from '../overlay';
import type { Page } from '../page';
import { controlClock } from '../time_control';
import type { Coloring } from './coloring';
import { columnTicks, rowTicks } from './heatmap_axes';
import { heatmapColumns, type HeatmapColumns } from './heatmap_columns';

/** Columns that are not equally wide are drawn into so many. */
const finest = 2000;
const mostHeight = 480;

/** A matrix as a picture with names beside it, the value under the pointer below, and the time where columns are times. */
export function heatmapPicture(content: HeatmapDocument, coloring: Coloring, page: Page): HTMLElement {
  const columns = heatmapColumns(content);
  const time = content.time === true;
  const canvas = drawCanvas(content, columns, coloring);
  const surface = element('div', { class: 'heatmap-surface missing' }, canvas);
  surface.style.height = `${Math.min(Math.max(content.values.length * 18, 60), mostHeight)}px`;
  const overlay = addOverlay(surface, content.marks ?? [], time);
  overlay.place(columns.toFraction);
  if (time && columns.count > 0) {
    page.clock.extend(content.columns.values?.[0] ?? 0, content.columns.values?.[columns.count - 1] ?? 0);
    controlClock(surface, page.clock, `Time in ${content.title}`, columns.toValue);
    page.clock.subscribe(overlay.setTime);
  }
  const readout = element('output', { class: 'readout number' }, readoutHint(content));
  surface.addEventListener('pointermove', (event) => {
    const { left, top, width, height } = surface.getBoundingClientRect();
    const column = columns.at((event.clientX - left) / width);
    const row = Math.min(Math.floor(((event.clientY - top) / height) * content.values.length), content.values.length - 1);
    readout.textContent = describeCell(content, columns, Math.max(row, 0), column);
  });
  surface.addEventListener('pointerleave', () => (readout.textContent = readoutHint(content)));
  return element(
    'div',
    { class: 'heatmap' },
    element('div', { class: 'axis-label rows' }, content.rows.label),
    rowTicks(content.rows.names),
    surface,
    columnTicks(content, columns),
    readout,
  );
}

function readoutHint({ rows, columns }: HeatmapDocument): string {
  return `${rows.names.length} × ${columns.values?.length ?? columns.names?.length ?? 0}: ${rows.label} × ${columns.label}`;
}

function describeCell(content: HeatmapDocument, places: HeatmapColumns, row: number, column: number): string {
  const { rows, columns, values, unit } = content;
  const value = values[row]?.[column] ?? null;
  const shown = value === null ? 'missing' : formatQuantity(value, unit);
  return `${rows.names[row] ?? row} · ${columns.label} ${places.label(column)} · ${shown}`;
}

/** One pixel for each cell, transparent where a value is missing: the page stretches it. */
function drawCanvas(content: HeatmapDocument, columns: HeatmapColumns, coloring: Coloring): HTMLCanvasElement {
  const height = content.values.length;
  const width = columns.even ? columns.count : Math.max(finest, columns.count);
  const canvas = element('canvas', { width, height, role: 'img', 'aria-label': describe(content, coloring) });
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(width, height);
  const columnOf = Array.from({ length: width }, (_, pixel) => columns.at((pixel + 0.5) / width));
  content.values.forEach((row, index) => {
    columnOf.forEach((column, pixel) => {
      const value = row[column];
      if (value === null || value === undefined) return;
      image.data.set([...coloring.color(value), 255], 4 * (index * width + pixel));
    });
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/** What the picture shows, for those who cannot see it. */
function describe({ title, rows, columns, unit }: HeatmapDocument, { lowest, highest }: Coloring): string {
  const size = `${rows.names.length} rows of ${rows.label}, columns of ${columns.label}`;
  return `${title}: ${size}, colors from ${formatQuantity(lowest, unit)} to ${formatQuantity(highest, unit)}.`;
}
