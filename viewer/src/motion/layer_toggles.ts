import { element } from '../dom';
import type { Layer } from './scene';

const labels: Record<Layer, string> = {
  springs: 'Springs',
  faces: 'Faces',
  pinned: 'Pinned particles',
  markers: 'Markers',
  residuals: 'Residual lines',
  charges: 'Point charges',
  field: 'Field arrows',
  wind: 'Wind arrows',
  obstacles: 'Obstacles',
  floor: 'Floor',
};

/** A check box for each layer that there is; `change` is told after each change. */
export function layerToggles(
  layers: ReadonlyMap<Layer, { visible: boolean }>,
  change: () => void,
): HTMLElement {
  const boxes = [...layers].map(([name, layer]) => {
    const box = element('input', { type: 'checkbox', checked: layer.visible });
    box.addEventListener('change', () => {
      layer.visible = box.checked;
      change();
    });
    return element('label', { class: 'motion-check' }, box, labels[name]);
  });
  return element('div', { class: 'motion-layers', role: 'group', 'aria-label': 'Shown in the picture' }, ...boxes);
}
