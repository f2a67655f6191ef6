import { BufferGeometry, Color, Float32BufferAttribute, LineSegments, ShaderMaterial, Vector3, type IUniform } from 'three';
import { horizontalAxes } from './camera';
import { niceBelow } from './nice_length';
import type { ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform vec3 middle;
  out vec3 offset;
  void main() {
    offset = position - middle;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }
`;

const fragmentShader = /* glsl */ `
  uniform vec3 color;
  uniform vec3 background;
  uniform float reach;
  in vec3 offset;
  void main() {
    float fade = smoothstep(1.0, 0.35, length(offset) / reach);
    gl_FragColor = vec4(mix(background, color, fade), fade);
  }
`;

/** A grid of squares below everything that the run touches; it fades out, so that it does not end anywhere. */
export class FloorGrid {
  readonly object: LineSegments<BufferGeometry, ShaderMaterial>;
  /** Side of a square [m]. */
  readonly square: number;
  private readonly color: IUniform = { value: new Color() };

  constructor(points: readonly Vector3[], up: Vector3, diagonal: number, view: ViewUniforms) {
    const [first, second] = horizontalAxes(up);
    const lowest = Math.min(...points.map((point) => point.dot(up))) - 0.06 * diagonal;
    this.square = niceBelow(diagonal / 5);
    const reach = 1.15 * diagonal;
    const center = points.reduce((sum, point) => sum.addScaledVector(point, 1 / points.length), new Vector3());
    const at = (a: number, b: number) =>
      new Vector3().addScaledVector(up, lowest).addScaledVector(first, a).addScaledVector(second, b);
    const [u, v] = [center.dot(first), center.dot(second)];
    const corners: Vector3[] = [];
    const lines = (middle: number) => {
      const from = Math.ceil((middle - reach) / this.square);
      const to = Math.floor((middle + reach) / this.square);
      return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * this.square);
    };
    for (const a of lines(u)) corners.push(at(a, v - reach), at(a, v + reach));
    for (const b of lines(v)) corners.push(at(u - reach, b), at(u + reach, b));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(corners.flatMap((corner) => corner.toArray()), 3));
    const uniforms = { ...view, color: this.color, reach: { value: reach }, middle: { value: at(u, v) } };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms });
    material.transparent = true;
    material.depthWrite = false;
    this.object = new LineSegments(geometry, material);
    this.object.renderOrder = -1;
    this.object.frustumCulled = false;
  }

  setColor(color: Color): void {
    this.color.value = color;
  }
}
