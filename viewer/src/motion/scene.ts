import { PerspectiveCamera, Scene, Vector3, type Object3D } from 'three';
import type { ThemeName } from '../page';
import { isConstant, toneOf, type Coloring } from './coloring';
import type { DecodedMotion } from './decoded_motion';
import { upwards } from './camera';
import { CameraFrusta } from './camera_frusta';
import { diagonalOf, meanSpacing, pointsOfRun } from './extent';
import { FaceSurface } from './face_surface';
import { FieldArrows } from './field_arrows';
import { FloorGrid } from './floor_grid';
import { looks } from './look';
import { MarkerOverlay } from './marker_overlay';
import { ObstacleShapes } from './obstacle_shapes';
import { ParticlePoints } from './particle_points';
import { PointCharges } from './point_charges';
import { PointTexture } from './point_texture';
import { drawnThin, SegmentLines, shownAtFirst } from './segment_lines';
import { makeViewUniforms } from './shading';
import { Track } from './track';

/** A part of the scene that readers can switch on and off. */
export type Layer =
  | 'springs'
  | 'faces'
  | 'pinned'
  | 'markers'
  | 'residuals'
  | 'charges'
  | 'field'
  | 'wind'
  | 'obstacles'
  | 'cameras'
  | 'floor';

/** Everything in the picture, at one instant and in one coloring. */
export class MotionScene {
  readonly scene = new Scene();
  readonly view = makeViewUniforms();
  /** Points that the camera should hold. */
  readonly points: Vector3[];
  readonly up: Vector3;
  /** Size of the space that the run takes [m]. */
  readonly diagonal: number;
  /** Of the spheres that particles are drawn as [m]. */
  readonly radius: number;
  readonly fieldArrows: FieldArrows | null;
  readonly windArrows: FieldArrows | null;
  /** Whether smooth edges are worth their time, which without a graphics card is that of all else. */
  readonly smooth: boolean;
  readonly layers = new Map<Layer, { visible: boolean }>();
  private readonly particles: PointTexture;
  private readonly particlePoints: ParticlePoints;
  private readonly springLines: SegmentLines | null;
  private readonly pointCharges: PointCharges | null;
  private readonly markers: MarkerOverlay | null;
  private readonly surface: FaceSurface | null;
  private readonly obstacles: ObstacleShapes | null;
  private readonly cameras: CameraFrusta | null;
  private readonly floor: FloorGrid;
  /** How far away the farthest camera stands [m]. */
  private readonly reach: number;
  private coloring: Coloring | null = null;
  private time = NaN;

  constructor(private readonly motion: DecodedMotion) {
    this.points = pointsOfRun(motion);
    this.up = upwards(motion.up);
    this.diagonal = diagonalOf(this.points) || 1;
    const spacing = meanSpacing(motion, this.points);
    const radius = (this.radius = particleRadius(spacing, this.diagonal));
    this.particles = new PointTexture(motion.particleCount);
    this.particlePoints = new ParticlePoints(this.particles, motion.pinned, radius, this.view);
    this.scene.add(this.particlePoints.object);
    // Layers of fixed particles, such as the walls of a fluid, would hide what moves.
    if (motion.pinned.length > 0) this.layers.set('pinned', this.particlePoints.pinnedOnes);
    this.particlePoints.pinnedOnes.visible = motion.springs !== null || 4 * motion.pinned.length <= motion.particleCount;
    this.floor = this.layer('floor', new FloorGrid(this.points, this.up, this.diagonal, this.view));
    const { springs, pointCharges, field, wind, markers, faces, obstacles, cameras } = motion;
    this.smooth = !(springs && drawnThin(springs.count));
    this.springLines = springs
      ? this.layer(
          'springs',
          new SegmentLines(this.particles, springs.pairs, springs.restLengths, 0.3 * radius, 1.2, this.view),
        )
      : null;
    if (springs && !shownAtFirst(springs.count)) this.springLines!.object.visible = false;
    this.pointCharges =
      pointCharges.length > 0
        ? this.layer('charges', new PointCharges(pointCharges, Math.max(2 * radius, 0.022 * this.diagonal), this.view))
        : null;
    this.fieldArrows = field ? this.layer('field', new FieldArrows(field, this.view)) : null;
    this.windArrows = wind ? this.layer('wind', new FieldArrows(wind, this.view)) : null;
    // Arrows fill the whole space: readers ask for them.
    for (const arrows of [this.fieldArrows, this.windArrows]) if (arrows) arrows.object.visible = false;
    this.surface = faces ? this.layer('faces', new FaceSurface(this.particles, faces, this.view)) : null;
    this.obstacles =
      obstacles.length > 0 ? this.layer('obstacles', new ObstacleShapes(obstacles, this.points, this.diagonal)) : null;
    this.cameras = cameras.length > 0 ? this.layer('cameras', new CameraFrusta(cameras, 0.25 * this.diagonal)) : null;
    const stands = cameras.map(({ position }) => new Vector3(...position));
    this.reach = Math.max(0, ...stands.map((stand) => stand.distanceTo(this.points[0]!)));
    // Cameras far away would leave little room for the body: readers zoom out to them.
    this.points.push(...stands.filter((stand) => stand.distanceTo(this.points[0]!) < 4 * this.diagonal));
    this.markers = markers ? new MarkerOverlay(markers, this.view) : null;
    if (this.markers) {
      this.layers.set('markers', this.markers.signs).set('residuals', this.markers.residuals.object);
      this.scene.add(this.markers.object);
    }
  }

  private layer<T extends { object: Object3D }>(name: Layer, part: T): T {
    this.layers.set(name, part.object);
    this.scene.add(part.object);
    return part;
  }

  /** Moves everything to an instant [s]. */
  seek(time: number): void {
    this.time = time;
    this.particles.setPositions(this.motion.positions.seek(time));
    if (this.coloring?.source instanceof Track) this.paintParticles(this.coloring.source.seek(time));
    this.pointCharges?.seek(time);
    this.fieldArrows?.seek(time);
    this.windArrows?.seek(time);
    this.markers?.seek(time);
  }

  setColoring(coloring: Coloring): void {
    this.coloring = coloring;
    const { source, of, map } = coloring;
    this.particlePoints.setMap(map);
    this.springLines?.setMap(map);
    this.surface?.setMap(map);
    if (source instanceof Track) this.paintParticles(source.seek(this.time));
    else if (of === 'particles') this.paintParticles(source as Float64Array);
    else this.particles.setFourth(() => -1);
    if (of === 'particles') this.springLines?.setTones(() => -1);
    else if (source !== 'strain') this.springLines?.setTones((i) => toneOf(coloring, (source as Float64Array)[i]!));
    else if (isConstant(coloring)) this.springLines?.setTones(() => toneOf(coloring, coloring.lowest));
    else this.springLines?.setStrainRange(coloring.lowest, coloring.highest);
  }

  private paintParticles(values: ArrayLike<number>): void {
    this.particles.setFourth((i) => toneOf(this.coloring!, values[i]!));
  }

  setTheme(name: ThemeName): void {
    const look = looks[name];
    this.view.background.value = look.background;
    this.view.rim.value = look.rim;
    this.particlePoints.setLook(look.particle, look.ink);
    this.springLines?.setColor(look.spring);
    this.surface?.setColor(look.surface);
    this.obstacles?.setColor(look.obstacle);
    this.cameras?.setColor(look.recorded);
    this.pointCharges?.setLook(look.positive, look.negative, look.particle);
    this.markers?.setColor(look.recorded);
    this.floor.setColor(look.floor);
  }

  /** Prepares the next drawing through this camera. */
  lookThrough(camera: PerspectiveCamera, target: Vector3): void {
    const distance = camera.position.distanceTo(target);
    camera.near = Math.max(0.02 * distance, distance - 3 * this.diagonal);
    camera.far = distance + 4 * this.diagonal + this.reach;
    camera.updateProjectionMatrix();
    this.view.haze.value.set(distance - 0.45 * this.diagonal, distance + 0.75 * this.diagonal);
  }
}

/** About a seventh of a spring's length [m]; larger where a small body swings widely, smaller than a 30th of the run's space. */
function particleRadius(spacing: number, diagonal: number): number {
  const visible = Math.min(0.3 * spacing, 0.008 * diagonal);
  return Math.min(Math.max(0.15 * spacing, visible), 0.03 * diagonal);
}
