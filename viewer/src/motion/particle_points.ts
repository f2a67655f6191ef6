import { BufferAttribute, BufferGeometry, Color, Points, ShaderMaterial, type IUniform } from 'three';
import type { MapName } from '../color/maps';
import { colorTexture } from './color_texture';
import type { PointTexture } from './point_texture';
import { edgeCoverage, hazeMix, pointFetch, sphereImpostor, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform highp sampler2D points;
  uniform sampler2D colors;
  uniform vec3 plain;
  uniform float radius;
  uniform vec2 viewport;
  uniform float pixelRatio;
  uniform bool showsPinned;
  in float pinned;
  flat out vec3 color;
  flat out float reach;
  flat out float ringed;
  flat out float centerZ;
  flat out float shownRadius;
  ${pointFetch}
  void main() {
    vec4 point = fetchPoint(points, gl_VertexID);
    if (isnan(point.x) || (pinned > 0.5 && !showsPinned)) {  // an empty slot, or hidden: out of the picture
      gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
      gl_PointSize = 0.0;
      return;
    }
    vec4 center = modelViewMatrix * vec4(point.xyz, 1.0);
    gl_Position = projectionMatrix * center;
    float pixelsPerMeter = 0.5 * projectionMatrix[1][1] * viewport.y / max(-center.z, 1e-30);
    // Far away a particle still takes a few pixels; a pinned one takes room for its ring.
    float pixels = max(2.0 * radius * pixelsPerMeter, (pinned > 0.5 ? 5.0 : 2.2) * pixelRatio);
    ringed = pinned;
    reach = (pinned > 0.5 ? 1.7 : 1.0) + 2.0 / pixels;
    gl_PointSize = pixels * reach;
    shownRadius = 0.5 * pixels / pixelsPerMeter;
    centerZ = center.z;
    color = point.w < 0.0 ? plain : texture(colors, vec2(point.w, 0.5)).rgb;
  }
`;

const fragmentShader = /* glsl */ `
  uniform vec3 ink;
  flat in vec3 color;
  flat in float reach;
  flat in float ringed;
  flat in float centerZ;
  flat in float shownRadius;
  ${sphereImpostor}
  ${edgeCoverage}
  ${hazeMix}
  void main() {
    vec2 place = (2.0 * gl_PointCoord - 1.0) * vec2(1.0, -1.0) * reach;
    float r = length(place);
    float disc = coverage(r - 1.0);
    float ring = ringed > 0.5 ? coverage(abs(r - 1.5) - 0.17) : 0.0;
    float alpha = max(disc, ring);
    if (alpha < 0.01) discard;
    vec3 shade = disc >= ring ? sphereShade(color, place) : ink;
    gl_FragColor = vec4(hazed(shade, -centerZ), alpha);
    gl_FragDepth = sphereDepth(place, centerZ, shownRadius);
  }
`;

/** All particles as shaded spheres, of which a pinned one wears a ring. */
export class ParticlePoints {
  readonly object: Points<BufferGeometry, ShaderMaterial>;
  /** Whether pinned particles are drawn. */
  readonly pinnedOnes: { visible: boolean };
  private readonly uniforms: Record<'points' | 'colors' | 'plain' | 'ink' | 'radius' | 'showsPinned', IUniform>;

  /** Takes positions and tones from `particles`; the radius is in m. */
  constructor(particles: PointTexture, pinned: readonly number[], radius: number, view: ViewUniforms) {
    const flags = new Float32Array(particles.count);
    for (const index of pinned) flags[index] = 1;
    const geometry = new BufferGeometry();
    geometry.setAttribute('pinned', new BufferAttribute(flags, 1));
    geometry.setDrawRange(0, particles.count);
    this.uniforms = {
      points: { value: particles.texture },
      colors: { value: colorTexture('sequential') },
      plain: { value: new Color() },
      ink: { value: new Color() },
      radius: { value: radius },
      showsPinned: { value: true },
    };
    const shown = this.uniforms.showsPinned;
    this.pinnedOnes = {
      get visible() {
        return shown.value;
      },
      set visible(visible: boolean) {
        shown.value = visible;
      },
    };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...this.uniforms } });
    material.alphaToCoverage = true;
    this.object = new Points(geometry, material);
    this.object.frustumCulled = false;
  }

  setMap(name: MapName): void {
    this.uniforms.colors.value = colorTexture(name);
  }

  setLook(plain: Color, ink: Color): void {
    this.uniforms.plain.value = plain;
    this.uniforms.ink.value = ink;
  }
}
