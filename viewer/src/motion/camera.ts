import { MathUtils, Matrix4, PerspectiveCamera, Vector3 } from 'three';

/** Share of the height or the width of the picture that a body takes from the home position. */
const fill = 0.76;

/** Where the camera stands and what it looks at. */
export interface Pose {
  position: Vector3;
  target: Vector3;
}

export function makeCamera(up: readonly [number, number, number]): PerspectiveCamera {
  const camera = new PerspectiveCamera(32, 1, 0.1, 10);
  camera.up.copy(upwards(up));
  return camera;
}

/** A unit vector; z where there is no direction. */
export function upwards([x, y, z]: readonly [number, number, number]): Vector3 {
  const up = new Vector3(x, y, z);
  return up.lengthSq() > 0 && Number.isFinite(up.lengthSq()) ? up.normalize() : new Vector3(0, 0, 1);
}

/** Two horizontal unit vectors that make a right-handed frame with `up`; x and y where z is up. */
export function horizontalAxes(up: Vector3): [Vector3, Vector3] {
  const start = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const first = start.addScaledVector(up, -start.dot(up)).normalize();
  return [first, up.clone().cross(first)];
}

/** A pose from slightly above that sees the points from their broad side and as large as fits. */
export function homePose(points: readonly Vector3[], up: Vector3, aspect: number, fieldOfView: number): Pose {
  const backwards = viewDirection(points, up);
  const axes = new Matrix4().lookAt(backwards, new Vector3(), up);
  const [right, top, toward] = [new Vector3(), new Vector3(), new Vector3()];
  axes.extractBasis(right, top, toward);
  const half = Math.tan(MathUtils.degToRad(fieldOfView) / 2) * fill;
  const target = centerOf(points);
  let distance = 1;
  // Perspective moves the outline when the camera moves, so its middle is found in a few rounds.
  for (let round = 0; round < 6; ++round) {
    distance = 1e-9;
    const edges = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
    const relative = points.map((point) => point.clone().sub(target));
    for (const p of relative) {
      const reach = Math.max(Math.abs(p.dot(right)) / (half * aspect), Math.abs(p.dot(top)) / half);
      distance = Math.max(distance, p.dot(toward) + reach);
    }
    for (const p of relative) {
      const depth = distance - p.dot(toward);
      edges.left = Math.min(edges.left, p.dot(right) / depth);
      edges.right = Math.max(edges.right, p.dot(right) / depth);
      edges.bottom = Math.min(edges.bottom, p.dot(top) / depth);
      edges.top = Math.max(edges.top, p.dot(top) / depth);
    }
    if (points.length === 0) break;
    target.addScaledVector(right, (distance * (edges.left + edges.right)) / 2);
    target.addScaledVector(top, (distance * (edges.bottom + edges.top)) / 2);
  }
  if (!(distance > 1e-6 * target.length())) distance = 1;
  return { position: target.clone().addScaledVector(toward, distance), target };
}

/** From the body to the camera: across its widest horizontal direction, a quarter turned for depth, and raised. */
function viewDirection(points: readonly Vector3[], up: Vector3): Vector3 {
  const [first, second] = horizontalAxes(up);
  const center = centerOf(points);
  let [xx, xy, yy, zz] = [0, 0, 0, 0];
  for (const point of points) {
    const p = point.clone().sub(center);
    const [x, y, z] = [p.dot(first), p.dot(second), p.dot(up)];
    xx += x * x;
    xy += x * y;
    yy += y * y;
    zz += z * z;
  }
  const difference = Math.hypot(xx - yy, 2 * xy);
  const round = difference < 0.2 * (xx + yy);
  const widest = round ? 0 : Math.atan2(2 * xy, xx - yy) / 2;
  // Seen from minus y, x points to the right.
  const azimuth = widest - Math.PI / 2 + MathUtils.degToRad(24);
  const flat = zz < 0.05 * (xx + yy);
  const elevation = MathUtils.degToRad(flat ? 34 : 18);
  return new Vector3()
    .addScaledVector(first, Math.cos(azimuth) * Math.cos(elevation))
    .addScaledVector(second, Math.sin(azimuth) * Math.cos(elevation))
    .addScaledVector(up, Math.sin(elevation));
}

function centerOf(points: readonly Vector3[]): Vector3 {
  const center = new Vector3();
  for (const point of points) center.addScaledVector(point, 1 / points.length);
  return center;
}

/** Turns the camera around its target by angles [rad] to the left and upwards, never over the pole. */
export function orbit(pose: Pose, up: Vector3, left: number, upward: number): Vector3 {
  const arm = pose.position.clone().sub(pose.target);
  arm.applyAxisAngle(up, left);
  const polar = arm.angleTo(up);
  const wanted = MathUtils.clamp(polar - upward, 0.02, Math.PI - 0.02);
  const axis = up.clone().cross(arm).normalize();
  return arm.applyAxisAngle(axis, wanted - polar).add(pose.target);
}
