import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, ShaderMaterial, type IUniform } from 'three';
import type { MapName } from '../color/maps';
import { colorTexture } from './color_texture';
import type { PointTexture } from './point_texture';
import { hazeMix, pointFetch, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform highp sampler2D points;
  out vec3 place;
  out float tone;
  ${pointFetch}
  void main() {
    vec4 point = fetchPoint(points, gl_VertexID);
    vec4 here = modelViewMatrix * vec4(point.xyz, 1.0);
    place = here.xyz;
    tone = point.w;
    gl_Position = projectionMatrix * here;
  }
`;

const fragmentShader = /* glsl */ `
  uniform sampler2D colors;
  uniform vec3 plain;
  in vec3 place;
  in float tone;
  ${hazeMix}
  const vec3 towardLight = normalize(vec3(-0.45, 0.75, 0.6));
  void main() {
    // One normal for each triangle, toward the reader: both sides of a cloth are lit.
    vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    float light = 0.62 + 0.38 * abs(dot(normal, towardLight));
    vec3 color = tone < 0.0 ? plain : texture(colors, vec2(tone, 0.5)).rgb;
    gl_FragColor = vec4(hazed(color * light, -place.z), 1.0);
  }
`;

/** The faces of the body's mesh, shaded; they have the colors of the particles. */
export class FaceSurface {
  readonly object: Mesh<BufferGeometry, ShaderMaterial>;
  private readonly uniforms: Record<'points' | 'colors' | 'plain', IUniform>;

  /** `corners`: three particles for each triangle. */
  constructor(particles: PointTexture, corners: ArrayLike<number>, view: ViewUniforms) {
    this.uniforms = {
      points: { value: particles.texture },
      colors: { value: colorTexture('sequential') },
      plain: { value: new Color() },
    };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...this.uniforms } });
    material.side = DoubleSide;
    // Springs and particles on the surface stay in front of it.
    material.polygonOffset = true;
    material.polygonOffsetFactor = 1;
    material.polygonOffsetUnits = 4;
    const geometry = new BufferGeometry();
    geometry.setIndex(new BufferAttribute(Uint32Array.from(corners), 1));
    geometry.setDrawRange(0, corners.length);
    this.object = new Mesh(geometry, material);
    this.object.frustumCulled = false;
  }

  setMap(name: MapName): void {
    this.uniforms.colors.value = colorTexture(name);
  }

  setColor(plain: Color): void {
    this.uniforms.plain.value = plain;
  }
}
