import type { SectionDocument } from './documents';
import { makeSlugs } from './slug';

/** One section as read from the page. */
export interface Section {
  id: string;
  kind: string;
  title: string;
  content: SectionDocument | null;
  /** Why there is no content; null where there is. */
  problem: string | null;
}

/** The documents of a page in reading order; one that is no JSON object with a title says so instead of its content. */
export function readSections(root: ParentNode): Section[] {
  const makeId = makeSlugs();
  const scripts = root.querySelectorAll<HTMLScriptElement>('script[type="application/json"][data-kind]');
  return [...scripts].map((script) => {
    const kind = script.dataset.kind ?? '';
    const { content, problem } = parseDocument(script.textContent ?? '');
    const title = content?.title ?? kind;
    return { id: makeId(title), kind, title, content, problem };
  });
}

/** Reads one document, or says what is wrong with it. */
export function parseDocument(
  text: string,
): { content: SectionDocument; problem: null } | { content: null; problem: string } {
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && 'title' in content && typeof content.title === 'string') {
      return { content: content as SectionDocument, problem: null };
    }
    return { content: null, problem: 'Its document has no title.' };
  } catch (error) {
    return { content: null, problem: `Its document is not JSON: ${(error as Error).message}.` };
  }
}
