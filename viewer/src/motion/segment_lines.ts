import { BufferAttribute, BufferGeometry, Color, DoubleSide, LineSegments, Mesh, ShaderMaterial, type IUniform } from 'three';
import type { MapName } from '../color/maps';
import { colorTexture } from './color_texture';
import { PointTexture } from './point_texture';
import { hazeMix, pointFetch, type ViewUniforms } from './shading';

const vertexShader = /* glsl */ `
  uniform highp sampler2D points;
  // Of each segment: both points, rest length, tone.
  uniform highp sampler2D segments;
  uniform sampler2D colors;
  uniform vec3 plain;
  // Thickness in m, and the least in pixels of the page.
  uniform float thickness;
  uniform float leastPixels;
  // First and last strain of the colors, in per cent; equal: segments have their own tones.
  uniform vec2 strainRange;
  uniform vec2 viewport;
  uniform float pixelRatio;
  out float across;
  out vec3 color;
  ${pointFetch}
  ${hazeMix}
  void main() {
    vec4 segment = fetchPoint(segments, gl_VertexID / CORNERS);
    int corner = gl_VertexID % CORNERS;
    bool first = 2 * corner < CORNERS;
    vec3 own = fetchPoint(points, int(first ? segment.x : segment.y)).xyz;
    vec3 other = fetchPoint(points, int(first ? segment.y : segment.x)).xyz;
    float tone = segment.w;
    if (strainRange.y > strainRange.x) {
      float strain = 100.0 * (length(own - other) / segment.z - 1.0);
      tone = clamp((strain - strainRange.x) / (strainRange.y - strainRange.x), 0.0, 1.0);
    }
    vec3 clear = tone < 0.0 ? plain : texture(colors, vec2(tone, 0.5)).rgb;

#if CORNERS == 2
    vec4 here = modelViewMatrix * vec4(own, 1.0);
    gl_Position = projectionMatrix * here;
    color = hazed(0.85 * clear, -here.z);
#else
    vec3 here = (modelViewMatrix * vec4(own, 1.0)).xyz;
    vec3 there = (modelViewMatrix * vec4(other, 1.0)).xyz;
    // What is behind the camera is cut off at the near plane, or its projection would be upside down.
    float near = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
    if (here.z > -near && there.z < -near) here = mix(there, here, (-near - there.z) / (here.z - there.z));
    if (there.z > -near && here.z < -near) there = mix(here, there, (-near - here.z) / (there.z - here.z));
    vec4 clip = projectionMatrix * vec4(here, 1.0);
    vec4 clipThere = projectionMatrix * vec4(there, 1.0);
    vec2 along = (clipThere.xy / clipThere.w - clip.xy / clip.w) * viewport;
    float extent = length(along);
    vec2 sideways = extent > 0.0 ? vec2(-along.y, along.x) / extent : vec2(0.0);
    float pixels = max(thickness * 0.5 * projectionMatrix[1][1] * viewport.y / -here.z, leastPixels * pixelRatio);
    // Seen from the other end left and right are exchanged.
    float side = corner % 2 == 0 ? 1.0 : -1.0;
    across = first ? side : -side;
    clip.xy += side * sideways * pixels / viewport * clip.w;
    color = hazed(clear, -here.z);
    gl_Position = clip;
#endif
  }
`;

const fragmentShader = /* glsl */ `
  in float across;
  in vec3 color;
  void main() {
#if CORNERS == 2
    gl_FragColor = vec4(color, 1.0);
#else
    float light = 0.66 + 0.34 * sqrt(max(1.0 - across * across, 0.0));
    gl_FragColor = vec4(color * light, 1.0);
#endif
  }
`;

/** More segments than these are so thin anyway that lines of one pixel do, which take a third of the time without a graphics card. */
const mostRods = 5000;

/** Whether so many segments are drawn as lines of one pixel. */
export const drawnThin = (segments: number): boolean => segments > mostRods;

/** More segments than these take more than half a second for each drawing without a graphics card, and are hidden until a reader asks for them. */
const mostShown = 1_000_000;

/** Whether so many segments are drawn from the beginning. */
export const shownAtFirst = (segments: number): boolean => segments <= mostShown;

/** Straight rods between points of a texture, such as springs. */
export class SegmentLines {
  readonly object: Mesh<BufferGeometry, ShaderMaterial> | LineSegments<BufferGeometry, ShaderMaterial>;
  private readonly segments: PointTexture;
  private readonly uniforms: Record<'points' | 'segments' | 'colors' | 'plain' | 'thickness' | 'leastPixels' | 'strainRange', IUniform>;

  /** `pairs` are indices of points; the rest lengths and the thickness are in m. */
  constructor(
    points: PointTexture,
    pairs: ArrayLike<number>,
    restLengths: ArrayLike<number>,
    thickness: number,
    leastPixels: number,
    view: ViewUniforms,
  ) {
    const count = pairs.length / 2;
    this.segments = new PointTexture(count);
    const ends = new Float32Array(3 * count);
    for (let i = 0; i < count; ++i) ends.set([pairs[2 * i]!, pairs[2 * i + 1]!, restLengths[i] ?? 1], 3 * i);
    this.segments.setPositions(ends);
    this.setTones(() => -1);
    this.uniforms = {
      points: { value: points.texture },
      segments: { value: this.segments.texture },
      colors: { value: colorTexture('sequential') },
      plain: { value: new Color() },
      thickness: { value: thickness },
      leastPixels: { value: leastPixels },
      strainRange: { value: [0, 0] },
    };
    const material = new ShaderMaterial({ vertexShader, fragmentShader, uniforms: { ...view, ...this.uniforms } });
    material.side = DoubleSide;
    const thin = drawnThin(count);
    material.defines.CORNERS = thin ? 2 : 4;
    this.object = thin ? new LineSegments(lines(count), material) : new Mesh(quads(count), material);
    this.object.frustumCulled = false;
  }

  /** Each segment keeps its tone, from 0 to 1; −1: it has none. */
  setTones(tone: (index: number) => number): void {
    this.segments.setFourth(tone);
    if (this.uniforms) this.uniforms.strainRange.value = [0, 0];
  }

  /** The tone of a segment follows its strain, between these two [%]. */
  setStrainRange(lowest: number, highest: number): void {
    this.uniforms.strainRange.value = [lowest, highest];
  }

  setMap(name: MapName): void {
    this.uniforms.colors.value = colorTexture(name);
  }

  setColor(plain: Color): void {
    this.uniforms.plain.value = plain;
  }
}

/** Two triangles for each segment over its four corners, two at each end. */
function quads(count: number): BufferGeometry {
  const corners = new Uint32Array(6 * count);
  for (let i = 0; i < count; ++i) corners.set([0, 1, 2, 0, 2, 3].map((corner) => 4 * i + corner), 6 * i);
  const geometry = new BufferGeometry();
  geometry.setIndex(new BufferAttribute(corners, 1));
  geometry.setDrawRange(0, corners.length);
  return geometry;
}

/** Two vertices for each segment. */
function lines(count: number): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setDrawRange(0, 2 * count);
  return geometry;
}
