import type { SummaryDocument } from './documents';
import { button, element } from './dom';
import { licenses } from './licenses';
import type { Theme } from './page';
import type { Section } from './sections';
import './frame.css';

/** The first thing that the tabulator key reaches. */
export function skipLink(): HTMLElement {
  return element('a', { class: 'skip', href: '#content' }, 'Skip to the content');
}

/** Name and status of the run, and the switch between light and dark. */
export function mastheadElement(summary: SummaryDocument | null, theme: Theme): HTMLElement {
  const title = element('h1', {}, summary ? summary.name : 'Report');
  const line = element('div', { class: 'masthead-line' }, title);
  if (summary) line.append(element('span', { class: `badge ${summary.grade}` }, summary.status));
  const words = element('div', {}, element('p', { class: 'overline' }, `Pithball ${summary?.command ?? ''}`.trim()), line);
  return element('header', { class: 'masthead' }, words, themeButton(theme));
}

function themeButton(theme: Theme): HTMLElement {
  const toggle = button({ class: 'theme' }, '', () => theme.set(theme.name === 'dark' ? 'light' : 'dark'));
  const say = () => (toggle.textContent = theme.name === 'dark' ? 'Light' : 'Dark');
  toggle.setAttribute('aria-label', 'Switch between light and dark');
  theme.subscribe(say);
  say();
  return toggle;
}

/** Links to the sections. */
export function contentsElement(sections: Section[]): HTMLElement {
  const links = sections.map(({ id, title }) =>
    element('li', {}, element('a', { href: `#${encodeURIComponent(id)}` }, title)),
  );
  return element('nav', { class: 'contents', 'aria-label': 'Contents' }, element('ol', {}, ...links));
}

/** Marks the link of the section that the reader is at: the last one that begins in the upper part of the window. */
export function followReader(contents: HTMLElement, main: HTMLElement): void {
  const visible = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) visible.add(target.id);
        else visible.delete(target.id);
      }
      const current = [...main.children].filter(({ id }) => visible.has(id)).pop();
      for (const link of contents.querySelectorAll('a')) {
        if (current && link.hash === `#${encodeURIComponent(current.id)}`) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    },
    { rootMargin: '0px 0px -70% 0px' },
  );
  for (const section of main.children) observer.observe(section);
}

/** What made this page, and the licenses of what is in it. */
export function footerElement(): HTMLElement {
  const texts = licenses.map(({ name, text }) => [element('h3', {}, name), element('pre', {}, text)]).flat();
  return element(
    'footer',
    {},
    element('p', {}, 'Made by Pithball. This file needs no network.'),
    element('details', {}, element('summary', {}, 'Licenses of the libraries in this page'), ...texts),
  );
}
