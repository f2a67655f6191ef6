import { BufferGeometry, DoubleSide, Mesh, ShaderMaterial, type IUniform } from 'three';
import { colorTexture } from './color_texture';
import type { Arrows } from './decoded_motion';
import { fieldRange, fieldTone, type FieldRange } from './field_range';
import { PointTexture } from './point_texture';
import { hazeMix, pointFetch, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  // Of each arrow: its middle; and its direction times length, tone.
  uniform highp sampler2D middles;
  uniform highp sampler2D arrows;
  uniform sampler2D colors;
  uniform vec2 viewport;
  uniform float pixelRatio;
  out float depth;
  flat out vec3 color;
  ${pointFetch}

  // Two triangles of the shaft and one of the head: place along the arrow, and across it in shares of its length.
  const vec2 corners[9] = vec2[9](
    vec2(-0.5, -0.016), vec2(-0.5, 0.016), vec2(0.25, 0.016),
    vec2(-0.5, -0.016), vec2(0.25, 0.016), vec2(0.25, -0.016),
    vec2(0.2, -0.1), vec2(0.2, 0.1), vec2(0.5, 0.0));

  void main() {
    vec4 arrow = fetchPoint(arrows, gl_VertexID / 9);
    vec3 middle = (modelViewMatrix * vec4(fetchPoint(middles, gl_VertexID / 9).xyz, 1.0)).xyz;
    vec3 along = mat3(modelViewMatrix) * arrow.xyz;
    vec3 side = cross(along, middle);
    vec2 corner = corners[gl_VertexID % 9];
    vec3 place = middle + corner.x * along + corner.y * length(along) * side / max(length(side), 1e-30);
    gl_Position = projectionMatrix * vec4(place, 1.0);
    depth = -middle.z;
    color = texture(colors, vec2(arrow.w, 0.5)).rgb;
  }
`;

const fragmentShader = /* glsl */ `
  in float depth;
  flat in vec3 color;
  ${hazeMix}
  void main() {
    gl_FragColor = vec4(hazed(color, depth), 0.85);
  }
`;

/** A vector field, electric or wind: arrows whose length and color grow with the logarithm of its strength. */
export class FieldArrows {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  readonly range: FieldRange;
  private readonly arrows: PointTexture;
  private readonly longest: number;

  constructor(
    private readonly field: Arrows,
    view: ViewUniforms,
  ) {
    const count = field.points.length / 3;
    this.longest = 0.6 * spacing(field.points);
    this.range = fieldRange(allStrengths(field.strength.numbers.values()));
    const middles = new PointTexture(count);
    middles.setPositions(field.points);
    this.arrows = new PointTexture(count);
    const uniforms: Record<string, IUniform> = {
      middles: { value: middles.texture },
      arrows: { value: this.arrows.texture },
      colors: { value: colorTexture('sequential') },
    };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...uniforms } });
    material.side = DoubleSide;
    material.transparent = true;
    material.depthWrite = false;
    const geometry = new BufferGeometry();
    geometry.setDrawRange(0, 9 * count);
    this.object = new Mesh(geometry, material);
    this.object.frustumCulled = false;
  }

  seek(time: number): void {
    const values = this.field.strength.seek(time);
    const arrows = new Float32Array(values.length);
    const tones = allStrengths(values).map((strength) => fieldTone(this.range, strength));
    tones.forEach((tone, i) => {
      const strength = Math.hypot(values[3 * i]!, values[3 * i + 1]!, values[3 * i + 2]!);
      const factor = strength > 0 ? (this.longest * (0.25 + 0.75 * tone)) / strength : 0;
      for (let axis = 0; axis < 3; ++axis) arrows[3 * i + axis] = (values[3 * i + axis]! || 0) * factor;
    });
    this.arrows.setPositions(arrows);
    this.arrows.setFourth((i) => tones[i]!);
  }
}

function allStrengths(vectors: ArrayLike<number>): Float64Array {
  const strengths = new Float64Array(vectors.length / 3);
  for (let i = 0; i < strengths.length; ++i) {
    strengths[i] = Math.hypot(vectors[3 * i]!, vectors[3 * i + 1]!, vectors[3 * i + 2]!);
  }
  return strengths;
}

/** The smallest distance between the first points, which a grid has between its neighbors [m]. */
function spacing(points: ArrayLike<number>): number {
  let least = Infinity;
  for (let i = 3; i < Math.min(points.length, 300); i += 3) {
    const distance = Math.hypot(points[i]! - points[0]!, points[i + 1]! - points[1]!, points[i + 2]! - points[2]!);
    if (distance > 0) least = Math.min(least, distance);
  }
  return Number.isFinite(least) ? least : 1;
}
