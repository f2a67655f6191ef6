import './style.css';
import { makeClock } from './clock';
import { displayOf } from './displays';
import type { HeatmapDocument, SectionDocument, SummaryDocument } from './documents';
import { element } from './dom';
import { openFoldsOnPaper } from './fold';
import { contentsElement, followReader, footerElement, mastheadElement, skipLink } from './frame';
import { sharedRanges } from './heatmap/shared_range';
import type { Page } from './page';
import type { ProgramInterface } from './program_interface';
import { readSections, type Section } from './sections';
import { makeTheme } from './theme';

const sections = readSections(document);
const page: Page = {
  clock: makeClock(),
  theme: makeTheme(document.documentElement),
  colorRanges: colorRanges(sections),
  motion: null,
};
const main = element('main', { id: 'content', tabindex: -1 });

/** Of the heat maps whose documents are complete; the others say what is wrong in their place. */
function colorRanges(list: Section[]): Page['colorRanges'] {
  const maps = list.filter(({ kind, content }) => kind === 'heatmap' && content !== null).map(({ content }) => content as HeatmapDocument);
  return sharedRanges(maps.filter(({ rows, columns, values }) => rows && columns && Array.isArray(values) && values.every(Array.isArray)));
}

/** Adds the frame of a section, with its heading; the display follows. */
function addFrame(section: Section): HTMLElement {
  const host = element('div', { class: 'display' });
  const heading = element('h2', { id: `${section.id}-heading` }, section.title);
  const frame = element(
    'section',
    { id: section.id, 'data-kind': section.kind, 'aria-labelledby': heading.id },
    heading,
  );
  if (section.content?.note) frame.append(element('p', { class: 'note' }, section.content.note));
  frame.append(host);
  main.append(frame);
  return host;
}

/** Draws one section. Whatever goes wrong is said in its place, and costs no other section. */
async function show(section: Section, host: HTMLElement): Promise<void> {
  try {
    if (section.problem !== null) throw new Error(section.problem);
    const content = section.content as SectionDocument;
    const display = displayOf(section.kind);
    if (!display) throw new Error(`This page has no display for "${section.kind}".`);
    await display(host, content, page);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    host.append(element('p', { class: 'problem', role: 'note' }, `This section cannot be shown. ${reason}`));
    console.error(`${section.kind} "${section.title}":`, error);
  }
}

const summary = sections.find((section) => section.kind === 'summary' && section.problem === null);
const head = summary ? (summary.content as SummaryDocument) : null;
if (head) document.title = `${head.name} – Pithball`;
const contents = contentsElement(sections);
document.body.append(skipLink(), mastheadElement(head, page.theme), contents, main, footerElement());

/** One after the other, so that the first motion of the page is the one that programs drive. */
async function showAll(): Promise<void> {
  const hosts = sections.map(addFrame);
  for (const [index, section] of sections.entries()) await show(section, hosts[index]!);
}

const drawn = showAll();
followReader(contents, main);
openFoldsOnPaper(document, window);

const api: ProgramInterface = {
  ready: drawn.then(() => new Promise<void>((done) => setTimeout(done))),
  sections: sections.map(({ id, kind, title }) => ({ id, kind, title })),
  theme: (name) => page.theme.set(name),
  get motion() {
    return page.motion;
  },
};
window.pithball = api;
