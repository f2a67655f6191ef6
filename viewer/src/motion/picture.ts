import { LinearSRGBColorSpace, Matrix4, PerspectiveCamera, Vector2, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { element } from '../dom';
import { Bearings } from './bearings';
import { homePose, makeCamera, orbit } from './camera';
import { contextsLeft, hasWebGl, keepContext } from './contexts';
import type { PickView } from './nearest_particle';
import type { MotionScene } from './scene';

/** One press of an arrow key turns the camera by this angle [rad]. */
const keyTurn = Math.PI / 36;

/** The scene on a canvas, seen through a camera that the reader moves; drawn only when something changed and it is on screen. */
export class Picture {
  readonly object: HTMLElement;
  readonly stage: HTMLElement;
  private renderer: WebGLRenderer | null = null;
  private readonly camera: PerspectiveCamera;
  private readonly controls: OrbitControls;
  private readonly bearings = new Bearings();
  /** More pixels than this for one of the page cost time that a reader would rather have. */
  private greatestRatio = 2;
  private onScreen = false;
  private stale = false;
  private scheduled = false;
  private touched = false;
  private beforeDrawing: () => void = () => {};
  private afterDrawing: () => void = () => {};

  /** Throws where the browser offers no WebGL. */
  constructor(
    private readonly scene: MotionScene,
    private readonly description: string,
  ) {
    if (!hasWebGl()) throw new Error('no WebGL 2');
    this.camera = makeCamera([scene.up.x, scene.up.y, scene.up.z]);
    this.stage = element('div', { class: 'motion-stage' }, this.bearings.object);
    this.object = element('div', { class: 'motion-picture', tabindex: 0, role: 'group', 'aria-label': keysHelp }, this.stage);
    this.controls = new OrbitControls(this.camera, this.stage);
    this.controls.enableDamping = false;
    // Readers who only scroll past should neither zoom nor be held up: the wheel works once the picture is in focus,
    // and one finger turns sideways while the page still scrolls.
    this.controls.enableZoom = false;
    this.stage.style.touchAction = 'pan-y';
    this.object.addEventListener('focusin', () => (this.controls.enableZoom = true));
    this.object.addEventListener('focusout', () => (this.controls.enableZoom = false));
    this.controls.addEventListener('start', () => {
      this.touched = true;
      this.object.focus({ preventScroll: true });
    });
    this.controls.addEventListener('change', () => this.invalidate());
    this.object.addEventListener('keydown', (event) => this.handleKey(event));
    new ResizeObserver(() => this.fit()).observe(this.stage);
    new IntersectionObserver(([entry]) => {
      this.onScreen = entry!.isIntersecting;
      if (this.stale) this.invalidate();
    }).observe(this.object);
  }

  /** Calls this right before each drawing, which may be rarer than changes. */
  onDraw(prepare: () => void): void {
    this.beforeDrawing = prepare;
  }

  /** Calls this right after each drawing. */
  afterDraw(follow: () => void): void {
    this.afterDrawing = follow;
  }

  /** How the picture is seen since the last drawing. */
  pickView(): PickView {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const { projectionMatrix, matrixWorldInverse } = this.camera;
    const matrix = new Matrix4().multiplyMatrices(projectionMatrix, matrixWorldInverse).elements;
    return { matrix, width, height, radius: this.scene.radius, scale: 0.5 * height * projectionMatrix.elements[5]! };
  }

  /** Takes the size of its stage, and draws at once where that is new, so that no empty frame is seen. */
  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width === 0 || height === 0) return;
    const { viewport, pixelRatio } = this.scene.view;
    const ratio = Math.min(window.devicePixelRatio, this.greatestRatio);
    const size = new Vector2(width * ratio, height * ratio);
    // The browser also reports the size that the stage begins with, which is drawn by then.
    if (!this.stale && ratio === pixelRatio.value && size.equals(viewport.value)) return;
    this.camera.aspect = width / height;
    viewport.value.copy(size);
    pixelRatio.value = ratio;
    this.sizeCanvas();
    if (!this.touched) this.goHome();
    this.refresh();
  }

  /** Takes this size with every pixel of the screen, for a picture of the page. */
  resize(width: number, height: number): void {
    this.greatestRatio = Infinity;
    this.stale = true;  // what is shown may have changed with it
    this.object.style.width = `${width}px`;
    this.object.style.height = `${height}px`;
    this.fit();
  }

  private sizeCanvas(): void {
    this.renderer?.setPixelRatio(this.scene.view.pixelRatio.value);
    this.renderer?.setSize(this.stage.clientWidth, this.stage.clientHeight, false);
  }

  private makeRenderer(): WebGLRenderer {
    const canvas = element('canvas', { role: 'img', 'aria-label': this.description });
    this.stage.prepend(canvas);
    // What was drawn stays until the next drawing, so that a picture of the page has it at any time.
    this.renderer = new WebGLRenderer({ canvas, antialias: this.scene.smooth, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    this.sizeCanvas();
    return this.renderer;
  }

  /** Gives up the WebGL context, and what is drawn; the next drawing makes another. */
  release(): void {
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.renderer?.domElement.remove();
    this.renderer = null;
    this.stale = true;
  }

  /** Back to the first view. */
  reset(): void {
    this.touched = false;
    this.goHome();
    this.invalidate();
  }

  /** Draws with the next frame of the browser, or when the picture comes on screen. */
  invalidate(): void {
    this.stale = true;
    if (!this.onScreen || this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (this.stale) this.draw();
    });
  }

  /** Draws now, even off screen, unless that would cost another picture its context. */
  refresh(): void {
    if (this.onScreen || this.renderer || contextsLeft() > 0) this.draw();
    else this.stale = true;
  }

  /** Draws now. */
  draw(): void {
    this.stale = false;
    this.beforeDrawing();
    this.scene.lookThrough(this.camera, this.controls.target);
    keepContext(this);
    const renderer = this.renderer ?? this.makeRenderer();
    renderer.setClearColor(this.scene.view.background.value, 1);
    renderer.render(this.scene.scene, this.camera);
    this.bearings.update(this.camera, this.controls.target, this.stage.clientHeight);
    this.afterDrawing();
  }

  private goHome(): void {
    const pose = homePose(this.scene.points, this.scene.up, this.camera.aspect, this.camera.fov);
    const distance = pose.position.distanceTo(pose.target);
    this.controls.minDistance = 0.02 * distance;
    this.controls.maxDistance = 5 * distance;
    this.controls.target.copy(pose.target);
    this.camera.position.copy(pose.position);
    this.camera.far = 10 * distance;
    this.controls.update();
  }

  private handleKey(event: KeyboardEvent): void {
    if (event.target !== this.object || event.altKey || event.ctrlKey || event.metaKey) return;
    const turns: Record<string, [number, number]> = {
      ArrowLeft: [-keyTurn, 0],
      ArrowRight: [keyTurn, 0],
      ArrowUp: [0, keyTurn],
      ArrowDown: [0, -keyTurn],
    };
    const turn = turns[event.key];
    const zoom = { '+': 0.9, '=': 0.9, '-': 1 / 0.9 }[event.key];
    if (turn) {
      this.camera.position.copy(orbit({ position: this.camera.position, target: this.controls.target }, this.scene.up, ...turn));
    } else if (zoom) {
      this.camera.position.sub(this.controls.target).multiplyScalar(zoom).add(this.controls.target);
    } else if (event.key === 'Home') {
      this.reset();
    } else {
      return;
    }
    event.preventDefault();
    this.touched = event.key !== 'Home';
    this.controls.update();
    this.invalidate();
  }
}

const keysHelp = 'Motion in three dimensions. Arrow keys turn it, plus and minus zoom, Home resets the view, space plays or pauses.';
