import { Color, Vector2, type IUniform } from 'three';

/** What all shaders of one picture share. */
export interface ViewUniforms extends Record<string, IUniform> {
  /** Size of the picture in device pixels. */
  viewport: IUniform<Vector2>;
  /** Device pixels for each pixel of the page. */
  pixelRatio: IUniform<number>;
  background: IUniform<Color>;
  /** Color toward which the rims of spheres go. */
  rim: IUniform<Color>;
  /** Distances from the camera at which haze begins and ends [m]. */
  haze: IUniform<Vector2>;
}

export function makeViewUniforms(): ViewUniforms {
  return {
    viewport: { value: new Vector2(1, 1) },
    pixelRatio: { value: 1 },
    background: { value: new Color() },
    rim: { value: new Color() },
    haze: { value: new Vector2(1, 2) },
  };
}

/** Points in a float texture of this width, four numbers each: a vertex finds its point by its number. */
export const pointFetch = /* glsl */ `
  vec4 fetchPoint(highp sampler2D points, int index) {
    int width = textureSize(points, 0).x;
    return texelFetch(points, ivec2(index % width, index / width), 0);
  }
`;

/** What is farther away is paler: the only hint of depth that a still picture has. */
export const hazeMix = /* glsl */ `
  uniform vec3 background;
  uniform vec2 haze;
  vec3 hazed(vec3 color, float depth) {
    float part = clamp((depth - haze.x) / (haze.y - haze.x), 0.0, 1.0);
    return mix(color, background, 0.4 * part);
  }
`;

/** Coverage of a pixel by the region value < 0, for edges without steps. */
export const edgeCoverage = /* glsl */ `
  float coverage(float value) {
    return clamp(0.5 - value / max(fwidth(value), 1e-6), 0.0, 1.0);
  }
`;

/** A disc that is shaded as a sphere and stands in the depth buffer as one. */
export const sphereImpostor = /* glsl */ `
  uniform mat4 projectionMatrix;
  uniform vec3 rim;
  const vec3 towardLight = normalize(vec3(-0.45, 0.75, 0.6));

  // Color of a sphere at a place of its disc, which reaches to 1. The rim sets it off from what is behind.
  vec3 sphereShade(vec3 color, vec2 place) {
    place /= max(length(place), 1.0);
    vec3 normal = vec3(place, sqrt(max(1.0 - dot(place, place), 0.0)));
    float light = max(dot(normal, towardLight), 0.0);
    float shine = pow(max(dot(reflect(-towardLight, normal), vec3(0.0, 0.0, 1.0)), 0.0), 20.0);
    vec3 lit = color * (0.74 + 0.34 * light) + 0.2 * shine;
    return mix(rim, lit, 0.55 + 0.45 * smoothstep(0.0, 0.6, normal.z));
  }

  float sphereDepth(vec2 place, float centerZ, float radius) {
    float z = centerZ + radius * sqrt(max(1.0 - dot(place, place), 0.0));
    float ndc = (projectionMatrix[2][2] * z + projectionMatrix[3][2]) / -z;
    return clamp(0.5 + 0.5 * ndc, 0.0, 1.0);
  }
`;
