/** A child of an element: text is put on the page as text, never as HTML. */
export type Child = Node | string | null | undefined;

type Attributes = Record<string, string | number | boolean | null | undefined>;

/** Makes an element with attributes (null, undefined, false: left out; true: empty) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
}

/** A label with its unit in brackets: "energy [mJ]". */
export function labelWithUnit(label: string, unit: string): DocumentFragment {
  const made = document.createDocumentFragment();
  made.append(label);
  if (unit !== '') made.append(' ', element('span', { class: 'unit' }, `[${unit}]`));
  return made;
}

/** Makes a button that is never a form's. */
export function button(attributes: Attributes, label: Child, press: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', press);
  return made;
}
