import { BufferAttribute, BufferGeometry, Color, Points, ShaderMaterial, type IUniform } from 'three';
import type { PointCharge } from './decoded_motion';
import { edgeCoverage, hazeMix, sphereImpostor, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform float radius;
  uniform vec2 viewport;
  uniform float pixelRatio;
  in float charge;
  flat out float sign_;
  flat out float centerZ;
  flat out float shownRadius;
  void main() {
    vec4 center = modelViewMatrix * vec4(position, 1.0);
    gl_Position = projectionMatrix * center;
    float pixelsPerMeter = 0.5 * projectionMatrix[1][1] * viewport.y / max(-center.z, 1e-30);
    float pixels = max(2.0 * radius * pixelsPerMeter, 16.0 * pixelRatio);
    gl_PointSize = pixels + 2.0;
    shownRadius = 0.5 * pixels / pixelsPerMeter;
    centerZ = center.z;
    sign_ = sign(charge);
  }
`;

const fragmentShader = /* glsl */ `
  uniform vec3 positive;
  uniform vec3 negative;
  uniform vec3 neutral;
  flat in float sign_;
  flat in float centerZ;
  flat in float shownRadius;
  ${sphereImpostor}
  ${edgeCoverage}
  ${hazeMix}
  void main() {
    vec2 place = (2.0 * gl_PointCoord - 1.0) * vec2(1.0, -1.0);
    float alpha = coverage(length(place) - 0.97);
    if (alpha < 0.01) discard;
    place /= 0.97;
    vec3 shade = sphereShade(sign_ > 0.0 ? positive : sign_ < 0.0 ? negative : neutral, place);
    float bar = max(abs(place.x) - 0.52, abs(place.y) - 0.11);
    float upright = max(abs(place.y) - 0.52, abs(place.x) - 0.11);
    float glyph = sign_ > 0.0 ? min(bar, upright) : bar;
    if (sign_ != 0.0) shade = mix(shade, vec3(1.0), coverage(glyph));
    gl_FragColor = vec4(hazed(shade, -centerZ), alpha);
    gl_FragDepth = sphereDepth(place, centerZ, shownRadius);
  }
`;

/** Charges that are no particles, as spheres that wear their sign. */
export class PointCharges {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  private readonly positions: BufferAttribute;
  private readonly uniforms: Record<'radius' | 'positive' | 'negative' | 'neutral', IUniform>;

  /** The radius is in m. */
  constructor(
    private readonly charges: readonly PointCharge[],
    radius: number,
    view: ViewUniforms,
  ) {
    this.positions = new BufferAttribute(new Float32Array(3 * charges.length), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.positions);
    geometry.setAttribute('charge', new BufferAttribute(Float32Array.from(charges, ({ charge }) => Math.sign(charge)), 1));
    this.uniforms = {
      radius: { value: radius },
      positive: { value: new Color() },
      negative: { value: new Color() },
      neutral: { value: new Color() },
    };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...this.uniforms } });
    material.alphaToCoverage = true;
    this.object = new Points(geometry, material);
    this.object.frustumCulled = false;
  }

  seek(time: number): void {
    this.charges.forEach(({ position }, i) => this.positions.set(position.seek(time), 3 * i));
    this.positions.needsUpdate = true;
  }

  setLook(positive: Color, negative: Color, neutral: Color): void {
    this.uniforms.positive.value = positive;
    this.uniforms.negative.value = negative;
    this.uniforms.neutral.value = neutral;
  }
}
