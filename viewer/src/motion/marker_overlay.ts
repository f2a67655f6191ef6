import { BufferAttribute, BufferGeometry, Color, Group, Points, ShaderMaterial, type IUniform } from 'three';
import type { Markers } from './decoded_motion';
import { PointTexture } from './point_texture';
import { SegmentLines } from './segment_lines';
import { edgeCoverage, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform float pixels;
  uniform float pixelRatio;
  void main() {
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = pixels * pixelRatio;
  }
`;

const fragmentShader = /* glsl */ `
  uniform vec3 color;
  uniform vec3 background;
  uniform float pixels;
  uniform bool forecast;
  ${edgeCoverage}
  void main() {
    vec2 place = (gl_PointCoord - 0.5) * pixels;
    vec2 turned = abs(vec2(place.x + place.y, place.x - place.y)) * 0.70711;
    float cross_ = max(min(turned.x, turned.y) - 0.9, max(turned.x, turned.y) - 0.42 * pixels);
    float circle = abs(length(place) - 0.36 * pixels) - 0.9;
    float shape = forecast ? circle : cross_;
    // A seam in the color of the background keeps the sign apart from the body behind it.
    float seam = coverage(shape - 0.9);
    if (seam < 0.02) discard;
    gl_FragColor = vec4(mix(background, color, coverage(shape)), seam);
  }
`;

/**
 * What was recorded over what was simulated: crosses where the fit saw the recording, circles where it is a forecast, and
 * a line from each to the model's marker.
 */
export class MarkerOverlay {
  readonly object = new Group();
  readonly signs: Points<BufferGeometry, ShaderMaterial>;
  readonly residuals: SegmentLines;
  private readonly positions: BufferAttribute;
  private readonly ends: PointTexture;
  private readonly uniforms: Record<'color' | 'pixels' | 'forecast', IUniform>;
  private readonly count: number;

  constructor(
    private readonly markers: Markers,
    view: ViewUniforms,
  ) {
    this.count = markers.names.length;
    this.positions = new BufferAttribute(new Float32Array(3 * this.count), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.positions);
    this.uniforms = { color: { value: new Color() }, pixels: { value: 13 }, forecast: { value: false } };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...this.uniforms } });
    material.transparent = true;
    material.depthTest = material.depthWrite = false;
    this.signs = new Points(geometry, material);
    this.signs.frustumCulled = false;
    this.signs.renderOrder = 3;

    this.ends = new PointTexture(2 * this.count);
    const pairs = Array.from({ length: 2 * this.count }, (_, i) => i);
    this.residuals = new SegmentLines(this.ends, pairs, [], 0, 2, view);
    this.residuals.object.material.depthTest = false;
    this.residuals.object.material.transparent = true;
    this.residuals.object.renderOrder = 2;
    this.object.add(this.residuals.object, this.signs);
  }

  /** Shows the markers that were recorded at this time; between two samples those that are in both. */
  seek(time: number): void {
    const recorded = this.markers.recorded.seek(time);
    const model = this.markers.model.seek(time);
    const { times, validationFrom } = this.markers;
    const within = time >= times[0]! && time <= times.at(-1)!;
    const present = within ? presentMarkers(recorded, model) : [];
    const ends = new Float32Array(6 * this.count);
    present.forEach((marker, place) => {
      const from = recorded.subarray(3 * marker, 3 * marker + 3);
      this.positions.set(from, 3 * place);
      ends.set(from, 6 * place);
      ends.set(model.subarray(3 * marker, 3 * marker + 3), 6 * place + 3);
    });
    this.ends.setPositions(ends);
    this.positions.needsUpdate = true;
    this.signs.geometry.setDrawRange(0, present.length);
    this.residuals.object.geometry.setDrawRange(0, 6 * present.length);
    this.uniforms.forecast.value = validationFrom !== null && time >= validationFrom;
  }

  setColor(color: Color): void {
    this.uniforms.color.value = color;
    this.residuals.setColor(color);
  }
}

/** Indices of the markers that have both a recorded and a model position, given as three numbers each. */
export function presentMarkers(recorded: ArrayLike<number>, model: ArrayLike<number>): number[] {
  const present: number[] = [];
  for (let marker = 0; 3 * marker < recorded.length; ++marker) {
    const places = [0, 1, 2].flatMap((axis) => [recorded[3 * marker + axis]!, model[3 * marker + axis]!]);
    if (places.every(Number.isFinite)) present.push(marker);
  }
  return present;
}
