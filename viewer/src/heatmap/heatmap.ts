import type { HeatmapDocument } from '../documents';
import { element } from '../dom';
import type { Display } from '../page';
import { makeColoring } from './coloring';
import { colorBar } from './color_bar';
import { matrixTable } from './matrix_table';
import { heatmapPicture } from './heatmap_picture';
import { rowTable } from './row_table';
import './heatmap.css';

/** A matrix that fits is a table with the number in each colored cell; a larger one is a picture. */
const mostTableRows = 24;
const mostTableColumns = 12;

/** A matrix of values as colors. */
export const heatmap: Display<HeatmapDocument> = (host, document, page) => {
  const shared = page.colorRanges.get(document);
  const content = shared ? { ...document, range: shared.range } : document;
  if (!content.values.some((row) => row.some((value) => value !== null))) {
    host.append(element('p', { class: 'note' }, 'There are no values to draw.'));
    return;
  }
  const coloring = makeColoring(content);
  const asTable =
    content.columns.names !== undefined &&
    content.columns.names.length <= mostTableColumns &&
    content.rows.names.length <= mostTableRows;
  if (asTable) {
    host.append(matrixTable(content, coloring), colorBar(content, coloring, shared?.maps));
  } else {
    host.append(heatmapPicture(content, coloring, page), colorBar(content, coloring, shared?.maps), rowTable(content));
  }
};
