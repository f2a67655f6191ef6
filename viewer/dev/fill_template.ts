import type { SectionDocument } from '../src/documents';

/** A document and the kind of its display. */
export interface Filling {
  kind: string;
  content: SectionDocument;
}

const place = '<!-- pithball:sections -->';

/** Writes documents into the template as the program does: "<" as \u003c, so that no text can end its element. */
export function fillTemplate(template: string, fillings: Filling[]): string {
  if (template.split(place).length !== 2) throw new Error(`the template must hold ${place} exactly once`);
  const scripts = fillings.map(({ kind, content }) => {
    const json = JSON.stringify(content).replaceAll('<', '\\u003c');
    return `<script type="application/json" data-kind="${kind}">${json}</script>`;
  });
  return template.replace(place, () => scripts.join('\n'));
}
