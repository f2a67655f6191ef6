import { BufferGeometry, Float32BufferAttribute, LineBasicMaterial, LineSegments, Vector3, type Color } from 'three';
import type { FilmingCamera } from '../documents';

/** The cameras of the recording: pyramids from the center to the picture, with a mark above its upper edge. */
export class CameraFrusta {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;

  /** `depth`: distance of the pictures from the centers [m]. */
  constructor(cameras: readonly FilmingCamera[], depth: number) {
    const ends = cameras.flatMap((camera) => edgesOf(camera, depth));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(ends.flatMap(({ x, y, z }) => [x, y, z]), 3));
    this.object = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
    this.object.frustumCulled = false;
  }

  setColor(color: Color): void {
    this.object.material.color = color;
  }
}

/** Both ends of each line. */
function edgesOf({ position, right, down, ahead, half_width, half_height }: FilmingCamera, depth: number): Vector3[] {
  const center = new Vector3(...position);
  const at = (across: number, downwards: number): Vector3 =>
    new Vector3(...ahead)
      .addScaledVector(new Vector3(...right), across * half_width)
      .addScaledVector(new Vector3(...down), downwards * half_height)
      .multiplyScalar(depth)
      .add(center);
  const corners = [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)];
  const roof = [at(-0.5, -1.1), at(0, -1.6), at(0.5, -1.1)];
  return [
    ...corners.flatMap((corner, k) => [center, corner, corner, corners[(k + 1) % 4]!]),
    ...roof.flatMap((corner, k) => [corner, roof[(k + 1) % 3]!]),
  ];
}
