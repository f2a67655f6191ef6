import type { MaybeNumber, Panel, PanelsDocument, PlotDocument, PlotSeries } from '../documents';
import { element } from '../dom';
import type { Display } from '../page';
import { unpack, type PackedNumbers } from '../packed';
import { drawPlot } from '../plot/plot';
import './panels.css';

/** Plots side by side, of the thing that the reader picks where there is a choice. */
export const panels: Display<PanelsDocument> = async (host, content, page) => {
  const sources = await Promise.all(content.panels.map(unpackPanel));
  const grid = element('div', { class: 'panels' });
  let endings: (() => void)[] = [];
  const draw = (choice: number) => {
    for (const end of endings) end();
    const cells = sources.map(() => element('div', { class: 'panel' }));
    grid.replaceChildren(...cells); // on the page before they are drawn, which needs their width
    endings = sources.map((source, index) => drawPlot(cells[index]!, panelDocument(content, source, choice), page));
  };
  if (content.choice && content.choice.names.length > 0) host.append(choiceElement(content.choice, draw));
  host.append(grid);
  draw(0);
};

/** A list of the names; a single one is only said. */
function choiceElement({ label, names }: { label: string; names: string[] }, pick: (index: number) => void): HTMLElement {
  const head = `${label.charAt(0).toUpperCase()}${label.slice(1)} `;
  if (names.length === 1) return element('p', { class: 'panel-choice' }, head, element('strong', {}, names[0]!));
  const list = element('select', {}, ...names.map((name, index) => element('option', { value: index }, name)));
  list.addEventListener('change', () => pick(list.selectedIndex));
  return element('label', { class: 'panel-choice' }, head, list);
}

type UnpackedSeries = Omit<PlotSeries, 'values'> & { values: MaybeNumber[] | PackedNumbers };

/** A panel whose packed numbers are read. */
export type UnpackedPanel = Omit<Panel, 'series'> & { series: UnpackedSeries[] };

export async function unpackPanel(panel: Panel): Promise<UnpackedPanel> {
  const series = panel.series.map(async (one) => ({
    ...one,
    values: Array.isArray(one.values) ? one.values : await unpack(one.values),
  }));
  return { ...panel, series: await Promise.all(series) };
}

/** What one panel shows of a choice. */
export function panelDocument(content: PanelsDocument, panel: UnpackedPanel, choice: number): PlotDocument {
  const { x = content.x, y, series, bands = [] } = panel;
  if (!x) throw new Error('A panel has no horizontal axis.');
  return {
    title: `${content.title}: ${y.label}`,
    x,
    y,
    series: series.map((one) => ({ ...one, values: column(one.values, choice) })),
    bands: bands.map(({ label, lower, upper }) => ({ label, lower: entry(lower, choice), upper: entry(upper, choice) })),
    ...(content.time ? { time: true } : {}),
    ...(content.marks ? { marks: content.marks } : {}),
  };
}

function entry(values: MaybeNumber | MaybeNumber[], choice: number): MaybeNumber {
  return Array.isArray(values) ? (values[choice] ?? null) : values;
}

/** A column of a packed matrix; NaN is a gap. */
function column(values: MaybeNumber[] | PackedNumbers, choice: number): MaybeNumber[] {
  if (Array.isArray(values)) return values;
  return Array.from({ length: values.shape[0]! }, (_, row) => {
    const value = values.at(row * values.rowLength + choice);
    return Number.isNaN(value) ? null : value;
  });
}
