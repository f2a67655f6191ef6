import {
  BackSide,
  BoxGeometry,
  BufferGeometry,
  Color,
  DoubleSide,
  EdgesGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  SphereGeometry,
  Vector3,
  WireframeGeometry,
} from 'three';
import type { Obstacle } from '../documents';

/** Planes, boxes and spheres that keep particles away: translucent, with their edges. */
export class ObstacleShapes {
  readonly object = new Group();
  private readonly surface = translucent(DoubleSide);
  /** Only the far walls of a box, which would else cover what is in it. */
  private readonly farSide = translucent(BackSide);
  private readonly lines = new LineBasicMaterial({ transparent: true, opacity: 0.55 });

  /** A plane is drawn as a square of the run's size, below the middle of `points`. */
  constructor(obstacles: readonly Obstacle[], points: readonly Vector3[], diagonal: number) {
    const middle = points.reduce((sum, point) => sum.addScaledVector(point, 1 / points.length), new Vector3());
    for (const obstacle of obstacles) {
      if ('plane' in obstacle) this.addPlane(obstacle.plane, middle, diagonal);
      else if ('box' in obstacle) this.addBox(obstacle.box);
      else this.addSphere(obstacle.sphere);
    }
  }

  setColor(color: Color): void {
    this.surface.color = this.farSide.color = color;
    this.lines.color = color;
  }

  private add(solid: Mesh, edges: BufferGeometry, center: Vector3, normal?: Vector3): void {
    for (const part of [solid, new LineSegments(edges, this.lines)]) {
      part.position.copy(center);
      if (normal) part.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
      this.object.add(part);
    }
  }

  private addPlane(plane: { point: number[]; normal: number[] }, middle: Vector3, diagonal: number): void {
    const normal = new Vector3(...plane.normal).normalize();
    const height = new Vector3(...plane.point).sub(middle).dot(normal);
    const square = new PlaneGeometry(1.2 * diagonal, 1.2 * diagonal);
    this.add(new Mesh(square, this.surface), new EdgesGeometry(square), middle.clone().addScaledVector(normal, height), normal);
  }

  private addBox({ min, max }: { min: number[]; max: number[] }): void {
    const [least, most] = [new Vector3(...min), new Vector3(...max)];
    const size = most.clone().sub(least);
    const box = new BoxGeometry(size.x, size.y, size.z);
    this.add(new Mesh(box, this.farSide), new EdgesGeometry(box), least.add(most).multiplyScalar(0.5));
  }

  private addSphere({ center, radius }: { center: number[]; radius: number }): void {
    const ball = new Mesh(new SphereGeometry(radius, 48, 24), this.surface);
    this.add(ball, new WireframeGeometry(new SphereGeometry(radius, 16, 8)), new Vector3(...center));
  }
}

function translucent(side: typeof DoubleSide | typeof BackSide): MeshBasicMaterial {
  return new MeshBasicMaterial({ transparent: true, opacity: 0.16, side, depthWrite: false });
}
