import { MathUtils, Vector3, type PerspectiveCamera } from 'three';
import { element } from '../dom';
import { formatQuantity } from '../format';
import { niceBelow } from './nice_length';

/** Pixels that the scale bar may take. */
const longestBar = 110;
const svg = 'http://www.w3.org/2000/svg';

/** Where the reader is: a bar of a round length, and the directions of x, y and z. */
export class Bearings {
  readonly object: HTMLElement;
  private readonly bar = element('div', { class: 'motion-scale-bar' });
  private readonly length = element('div', { class: 'motion-scale-length number' });
  private readonly axes = ['x', 'y', 'z'].map((name) => new Axis(name));

  constructor() {
    const tripod = document.createElementNS(svg, 'svg');
    tripod.setAttribute('class', 'motion-tripod');
    tripod.setAttribute('viewBox', '-28 -28 56 56');
    tripod.setAttribute('aria-hidden', 'true');
    for (const axis of this.axes) tripod.append(axis.object);
    const scale = element('div', { class: 'motion-scale', title: 'in the middle of the picture' }, this.length, this.bar);
    this.object = element('div', { class: 'motion-bearings' }, tripod, scale);
  }

  /** Follows the camera; the height of the picture is in pixels. */
  update(camera: PerspectiveCamera, target: Vector3, height: number): void {
    const distance = camera.position.distanceTo(target);
    const pixelsPerMeter = height / (2 * distance * Math.tan(MathUtils.degToRad(camera.fov) / 2));
    const meters = niceBelow(longestBar / pixelsPerMeter);
    this.bar.style.width = `${meters * pixelsPerMeter}px`;
    this.length.textContent = formatQuantity(meters, 'm');
    const turned = camera.matrixWorld.clone().invert();
    this.axes.forEach((axis, i) => axis.point(new Vector3().setComponent(i, 1).transformDirection(turned)));
  }
}

/** One arm of the tripod with its letter. */
class Axis {
  readonly object = document.createElementNS(svg, 'g');
  private readonly line = document.createElementNS(svg, 'line');
  private readonly letter = document.createElementNS(svg, 'text');

  constructor(name: string) {
    this.letter.textContent = name;
    this.object.append(this.line, this.letter);
  }

  /** Draws a direction given as seen by the camera. */
  point({ x, y, z }: Vector3): void {
    this.line.setAttribute('x2', String(16 * x));
    this.line.setAttribute('y2', String(-16 * y));
    this.letter.setAttribute('x', String(23 * x));
    this.letter.setAttribute('y', String(-23 * y));
    this.object.setAttribute('opacity', String(z < -0.3 ? 0.55 : 1));
  }
}
