import { element } from './dom';
import './scroll_box.css';

/** A box that scrolls what is wider or higher than the page, and says so as long as something lies beyond its right edge. */
export function scrollBox(content: HTMLElement, label: string): HTMLElement {
  const hint = element('p', { class: 'scroll-hint', hidden: true }, 'More columns to the right: scroll sideways');
  const box = element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, content);
  const frame = element('div', { class: 'scroll-frame' }, hint, element('div', { class: 'scroll-edge' }, box));
  const look = () => {
    const { left, right } = hiddenSides(box);
    frame.classList.toggle('more-left', left);
    frame.classList.toggle('more-right', right);
    // Its place stays once it was needed, so that nothing moves while the reader scrolls.
    if (right) hint.hidden = false;
    else if (!left) hint.hidden = true;
    hint.textContent = right ? 'More columns to the right: scroll sideways →' : '← More columns to the left';
  };
  box.addEventListener('scroll', look, { passive: true });
  new ResizeObserver(look).observe(box);
  new ResizeObserver(look).observe(content);
  return frame;
}

/** On which sides a box has more than it shows; less than two pixels are rounding. */
export function hiddenSides(box: { scrollLeft: number; clientWidth: number; scrollWidth: number }): { left: boolean; right: boolean } {
  return { left: box.scrollLeft > 1, right: box.scrollWidth - box.clientWidth - box.scrollLeft > 1 };
}
