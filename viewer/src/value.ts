import type { Cell } from './documents';
import { element } from './dom';
import { exactQuantity, formatQuantity } from './format';

/** The attributes of an element that shows a number: `data-value` is exactly what the document says, `title` its tooltip. */
export function valueAttributes(value: Cell, unit = ''): Record<string, string> {
  if (typeof value === 'number' || value === null) {
    return { class: 'number', 'data-value': JSON.stringify(value), title: exactQuantity(value, unit) };
  }
  return {};
}

/** What a value reads like: numbers with prefix and unit, yes or no, text as it is. */
export function valueText(value: Cell, unit = ''): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : formatQuantity(value, unit);
}

/** An element that shows one value. */
export function valueElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  value: Cell,
  unit = '',
): HTMLElementTagNameMap[K] {
  return element(tag, valueAttributes(value, unit), valueText(value, unit));
}
