// The renderer, the camera and the light. A picture is drawn when something has changed, and not otherwise.

import { AmbientLight, Box3, DirectionalLight, HemisphereLight, Matrix4, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export const VIEWS = {
  iso: [1, -1.25, 0.75],
  front: [0, -1, 0],
  back: [0, 1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, -1e-4, 1],
} as const satisfies Record<string, readonly [number, number, number]>;

export type View = keyof typeof VIEWS;

/** Waiting longer than this for a picture is slow, in milliseconds. */
const SLOW = 50;

/** And less than this is quick even with all points. */
const QUICK = 12;

/** Points in one of the screen's, along an edge: as many as are good for edges, what the screen has, or fewer, as without graphics hardware. */
const FINENESS = { sharp: 2, plain: 1, coarse: 0.5 } as const;

export type Quality = keyof typeof FINENESS;

/** Nothing has moved for so long that a better picture is worth its time, in milliseconds. */
const REST = 300;

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Pictures so far. */
  pictures = 0;
  /** When the first one was there, in milliseconds after the page was asked for. */
  firstPicture = 0;
  /** Milliseconds that the last picture took on this thread. */
  lastMs = 0;
  view: View | null = null;
  /** Called before each picture, with seconds since the last; says whether to go on. */
  onFrame: (seconds: number) => boolean = () => false;
  /** Called where pictures become coarse, so that other things can be drawn more simply, too; and when they are so no longer. */
  onCoarse: (coarse: boolean) => void = () => undefined;
  private readonly renderer: WebGLRenderer;
  private readonly light = new DirectionalLight(0xffffff, 1.7);
  private asked = 0;
  private askedAt = 0;
  private last = 0;
  /** Milliseconds that pictures keep us waiting, smoothed. */
  private pace = 0;
  /** Whether pictures were slow when something moved last. */
  private isSlow = false;
  private own: Quality = "plain";
  private rests = false;
  private rest = 0;

  constructor(private readonly canvas: HTMLCanvasElement) {
    // Edges are made smooth by drawing more points: in software that costs less than asking for it here, and nothing while things move.
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(this.ratio);
    this.camera.up.set(0, 0, 1);
    this.scene.add(new AmbientLight(0xffffff, 0.55));
    const sky = new HemisphereLight(0xdfeaff, 0x4a4038, 1.3);
    sky.position.set(0, 0, 1);
    this.scene.add(sky, this.light, this.light.target);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => {
      this.view = null;
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = (this.split ? width / 2 : width) / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** What hands reach for. */
  get frame(): HTMLCanvasElement {
    return this.canvas;
  }

  get size(): { width: number; height: number } {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  get triangles(): number {
    return this.renderer.info.render.triangles;
  }

  get memory(): { geometries: number; textures: number } {
    return { ...this.renderer.info.memory };
  }

  /** Asks for a picture. */
  invalidate(): void {
    if (this.asked !== 0) return;
    this.askedAt = performance.now();
    this.asked = requestAnimationFrame((now) => this.draw(now));
  }

  get quality(): Quality {
    return this.own;
  }

  /** Whether the picture is as good as it gets. */
  get isSharp(): boolean {
    return this.own === "sharp" && this.asked === 0;
  }

  private get ratio(): number {
    return Math.min(FINENESS[this.own] * window.devicePixelRatio, Math.max(FINENESS.sharp, window.devicePixelRatio));
  }

  /** Draws fewer points while pictures are slow, and all of them as soon as nothing moves. */
  private adapt(): void {
    window.clearTimeout(this.rest);
    if (this.rests) {
      this.rests = false;
      this.become("sharp");
      this.pace = 0;
      return;
    }
    this.pace = 0.7 * this.pace + 0.3 * (performance.now() - this.askedAt);
    if (this.pace > SLOW) this.isSlow = true;
    else if (this.own === "coarse" && this.pace < QUICK) this.isSlow = false;
    if (this.isSlow) this.become("coarse");
    if (this.own === "sharp") return;
    this.rest = window.setTimeout(() => {
      this.rests = true;
      this.invalidate();
    }, REST);
  }

  /** Something else is shown from now on: its first picture shall not wait for the best one. */
  begin(): void {
    if (this.own === "sharp") this.become("plain");
    this.invalidate();
  }

  private become(quality: Quality): void {
    if (quality === this.own) return;
    const before = this.own;
    this.own = quality;
    this.renderer.setPixelRatio(this.ratio);
    if (quality === "coarse" || before === "coarse") this.onCoarse(quality === "coarse");
  }

  private draw(now: number): void {
    this.asked = 0;
    this.adapt();
    const seconds = this.last === 0 ? 0 : Math.min((now - this.last) / 1000, 0.25);
    const goesOn = this.onFrame(seconds);
    const began = performance.now();
    // Light comes over the left shoulder.
    this.light.position.copy(this.camera.position);
    this.light.position.addScaledVector(this.side.setFromMatrixColumn(this.camera.matrixWorld, 0), -0.6 * this.distance);
    this.light.position.z += 0.7 * this.distance;
    this.light.target.position.copy(this.controls.target);
    this.render();
    this.lastMs = performance.now() - began;
    this.pictures += 1;
    this.last = goesOn ? now : 0;
    if (goesOn) this.invalidate();
  }

  /** Where two things are shown side by side: what is to be placed before the right one is drawn, and put back after it. */
  split: { place: () => void; back: () => void } | null = null;

  /** After it was divided, or is whole again. */
  resplit(): void {
    this.resize();
    this.invalidate();
  }

  private render(): void {
    if (!this.split) {
      this.renderer.render(this.scene, this.camera);
      return;
    }
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const half = Math.floor(width / 2);
    const draw = (x: number): void => {
      this.renderer.setViewport(x, 0, half, height);
      this.renderer.setScissor(x, 0, half, height);
      this.renderer.render(this.scene, this.camera);
    };
    this.renderer.setScissorTest(true);
    draw(0);
    this.split.place();
    draw(width - half);
    this.split.back();
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, width, height);
  }

  private readonly side = new Vector3();

  get distance(): number {
    return this.camera.position.distanceTo(this.controls.target);
  }

  /** Looks at all of some points, from where the camera is or from a named side, with so many times the room that they need. */
  fit(points: Vector3[], view?: View, room = 1): void {
    if (points.length === 0) return;
    // The page may have changed since it was last laid out.
    this.resize();
    const box = new Box3().setFromPoints(points);
    const centre = box.getCenter(new Vector3());
    const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
    const from = view ? new Vector3(...VIEWS[view]) : this.camera.position.clone().sub(this.controls.target);
    if (from.length() < 1e-9) from.set(...VIEWS.iso);
    from.normalize();
    this.camera.position.copy(centre).addScaledVector(from, radius);
    this.camera.lookAt(centre);
    this.camera.updateMatrixWorld();
    const [right, up] = [0, 1].map((column) => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, column)) as [Vector3, Vector3];
    const tall = (0.92 / room) * Math.tan((this.camera.fov * Math.PI) / 360);
    const sides = [
      [right, tall * this.camera.aspect],
      [up, tall],
    ] as const;
    // In the middle of what is seen, then so far away that every point is inside.
    const target = centre.clone();
    let distance = radius;
    for (let round = 0; round < 3; round++) {
      const ends = [
        [Infinity, -Infinity],
        [Infinity, -Infinity],
      ] as [number, number][];
      distance = 1e-6;
      for (const point of points) {
        const own = point.clone().sub(target);
        const toward = own.dot(from);
        for (const [axis, slope] of sides) {
          distance = Math.max(distance, toward + Math.abs(own.dot(axis)) / slope);
        }
      }
      for (const point of points) {
        const own = point.clone().sub(target);
        const away = Math.max(distance - own.dot(from), 1e-6);
        sides.forEach(([axis], k) => {
          const seen = own.dot(axis) / away;
          const end = ends[k] as [number, number];
          end[0] = Math.min(end[0], seen);
          end[1] = Math.max(end[1], seen);
        });
      }
      sides.forEach(([axis], k) => {
        const [low, high] = ends[k] as [number, number];
        target.addScaledVector(axis, ((low + high) / 2) * distance * 0.9);
      });
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(from, distance);
    this.camera.near = radius / 200;
    this.camera.far = radius * 60;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.view = view ?? this.view;
    this.invalidate();
  }

  /** Turns, moves or zooms the camera, for those without a mouse. Angles in radians, moves in parts of the distance. */
  nudge(turn: [number, number], move: [number, number], zoom: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    arm.applyMatrix4(new Matrix4().makeRotationZ(turn[0]));
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    const tilted = arm.clone().applyAxisAngle(right, turn[1]);
    if (Math.abs(tilted.z) < 0.999 * tilted.length()) arm.copy(tilted);
    const shift = right.multiplyScalar(move[0] * arm.length()).add(up.multiplyScalar(move[1] * arm.length()));
    this.controls.target.add(shift);
    this.camera.position.copy(this.controls.target).addScaledVector(arm, zoom);
    this.controls.update();
    this.view = null;
    this.invalidate();
  }

  /** Where a point is on the canvas, in pixels; none behind the camera. */
  project(point: Vector3): [number, number] | null {
    const { width, height } = this.size;
    const seen = point.clone().project(this.camera);
    if (seen.z > 1) return null;
    return [((seen.x + 1) / 2) * (this.split ? width / 2 : width), ((1 - seen.y) / 2) * height];
  }

  /** How long a pixel is at a point, in metres. */
  pixel(point: Vector3): number {
    const away = point.distanceTo(this.camera.position);
    return (2 * away * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(this.size.height, 1);
  }
}
