import { button } from './dom';

/** A button that puts a text on the clipboard and says whether that worked. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const made = button({ class: 'copy', 'aria-live': 'polite' }, label, () => {
    void navigator.clipboard
      .writeText(text())
      .then(() => say('Copied'))
      .catch(() => say('The browser did not allow it'));
  });
  const say = (words: string) => {
    made.textContent = words;
    setTimeout(() => (made.textContent = label), 2000);
  };
  return made;
}
