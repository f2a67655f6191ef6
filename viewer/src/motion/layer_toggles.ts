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
  cameras: 'Cameras',
  floor: 'Floor',
};

/** A check box for each layer that there is. */
export class LayerToggles {
  readonly object: HTMLElement;
  private readonly boxes = new Map<Layer, HTMLInputElement>();

  /** Calls `change` after each change by a reader. */
  constructor(
    private readonly layers: ReadonlyMap<Layer, { visible: boolean }>,
    change: () => void,
  ) {
    for (const [name, layer] of layers) {
      const box = element('input', { type: 'checkbox', checked: layer.visible });
      box.addEventListener('change', () => {
        layer.visible = box.checked;
        change();
      });
      this.boxes.set(name, box);
    }
    const rows = [...this.boxes].map(([name, box]) => element('label', { class: 'motion-check' }, box, labels[name]));
    this.object = element('div', { class: 'motion-layers', role: 'group', 'aria-label': 'Shown in the picture' }, ...rows);
  }

  /** Switches a layer on, if there is one. */
  show(name: Layer): void {
    const [layer, box] = [this.layers.get(name), this.boxes.get(name)];
    if (!layer || !box) return;
    layer.visible = true;
    box.checked = true;
  }
}
