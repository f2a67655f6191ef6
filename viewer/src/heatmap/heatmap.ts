import type { HeatmapDocument } from '../documents';
import { element } from '../dom';
import type { Display } from '../page';
import { makeColouring } from './colouring';
import { colourBar } from './colour_bar';
import { matrixTable } from './matrix_table';
import { heatmapPicture } from './heatmap_picture';
import { rowTable } from './row_table';
import './heatmap.css';

/** A matrix that fits is a table with the number in each coloured cell; a larger one is a picture. */
const mostTableRows = 24;
const mostTableColumns = 12;

/** A matrix of values as colours. */
export const heatmap: Display<HeatmapDocument> = (host, content, page) => {
  if (!content.values.some((row) => row.some((value) => value !== null))) {
    host.append(element('p', { class: 'note' }, 'There are no values to draw.'));
    return;
  }
  const colouring = makeColouring(content);
  const asTable =
    content.columns.names !== undefined &&
    content.columns.names.length <= mostTableColumns &&
    content.rows.names.length <= mostTableRows;
  if (asTable) {
    host.append(matrixTable(content, colouring), colourBar(content, colouring));
  } else {
    host.append(heatmapPicture(content, colouring, page), colourBar(content, colouring), rowTable(content));
  }
};
