// The map as a picture: points across, rotation up, with the path on it.

import type { MapHeader, Pack } from "../api";

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 8, 6, 18];

/** A place on the map: points across, rotations up, in parts. */
export interface Spot {
  point: number;
  rotation: number;
}

/** What is drawn over the cells. */
export interface Overlay {
  /** Rotation of the path at each point, in degrees, as planned and as it is now. */
  planned: ArrayLike<number>;
  path: ArrayLike<number>;
  /** Whether the path was changed. */
  changed: boolean;
  /** Points at which something is wrong with it. */
  marks: { point: number; kind: string }[];
  /** The cell that is looked at, and where the robot is. */
  cell: Spot | null;
  now: Spot | null;
}

export class Chart {
  readonly canvas: HTMLCanvasElement;
  private readonly cells: HTMLCanvasElement;
  private readonly first: number;
  private readonly step: number;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly header: MapHeader,
    pack: Pack<MapHeader>,
  ) {
    this.canvas = canvas;
    const { points, rotations } = header;
    this.first = rotations[0] ?? 0;
    this.step = header.step;
    this.cells = document.createElement("canvas");
    this.cells.width = points;
    this.cells.height = rotations.length;
    const pen = this.cells.getContext("2d");
    const colours = pack.small(header.cells);
    const image = new ImageData(points, rotations.length);
    const palette = header.palette;
    for (let point = 0; point < points; point++) {
      for (let rotation = 0; rotation < rotations.length; rotation++) {
        const [r, g, b] = palette[colours[point * rotations.length + rotation] as number] ?? [0, 0, 0];
        const at = 4 * ((rotations.length - 1 - rotation) * points + point);
        image.data.set([r, g, b, 255], at);
      }
    }
    pen?.putImageData(image, 0, 0);
  }

  /** Where the cells are, in pixels of the page. */
  private get box(): { x: number; y: number; width: number; height: number } {
    const { clientWidth, clientHeight } = this.canvas;
    return { x: LEFT, y: TOP, width: Math.max(clientWidth - LEFT - RIGHT, 1), height: Math.max(clientHeight - TOP - BOTTOM, 1) };
  }

  /** Rows are cells, so that the middle of a cell is its rotation. */
  row(degrees: number): number {
    const rows = this.header.rotations.length;
    const row = (degrees - this.first) / this.step;
    return this.header.wraps ? ((((row + 0.5) % rows) + rows) % rows) - 0.5 : row;
  }

  x(point: number): number {
    const { x, width } = this.box;
    return x + ((point + 0.5) / this.header.points) * width;
  }

  y(degrees: number): number {
    const { y, height } = this.box;
    return y + height * (1 - (this.row(degrees) + 0.5) / this.header.rotations.length);
  }

  /** Degrees for a way of the mouse upwards. */
  degrees(pixels: number): number {
    return (pixels / this.box.height) * this.header.rotations.length * this.step;
  }

  /** The cell under a place of the canvas; none beside the map. */
  at(x: number, y: number): Spot | null {
    const box = this.box;
    const point = Math.floor(((x - box.x) / box.width) * this.header.points);
    const rotation = Math.floor((1 - (y - box.y) / box.height) * this.header.rotations.length);
    const inside = point >= 0 && point < this.header.points && rotation >= 0 && rotation < this.header.rotations.length;
    return inside ? { point, rotation } : null;
  }

  draw(overlay: Overlay): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    this.canvas.width = Math.round(wide * ratio);
    this.canvas.height = Math.round(high * ratio);
    const pen = this.canvas.getContext("2d");
    if (!pen || wide === 0) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    const { x, y, width, height } = this.box;
    pen.scale(ratio, ratio);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.cells, x, y, width, height);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = colour("--dim");
    this.axes(pen);
    if (overlay.changed) this.line(pen, overlay.planned, "#0007", 1.4, [3, 3]);
    this.line(pen, overlay.path, "#000", 2.2, []);
    for (const { point, kind } of overlay.marks) this.mark(pen, point, overlay.path[point] ?? 0, kind);
    if (overlay.now) this.ring(pen, overlay.now, "#fff", 4);
    if (overlay.cell) this.cross(pen, overlay.cell);
  }

  private axes(pen: CanvasRenderingContext2D): void {
    const { x, y, width, height } = this.box;
    const { points, rotations } = this.header;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const up = [15, 30, 45, 60, 90, 120, 180].find((step) => (step / (rotations.length * this.step)) * height >= 24) ?? 180;
    const last = rotations.at(-1) ?? 0;
    for (let degrees = Math.ceil(this.first / up) * up; degrees <= last; degrees += up) pen.fillText(`${degrees}°`, x - 5, this.y(degrees));
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
    const across = steps.find((step) => (step / points) * width >= 60) ?? 20000;
    for (let point = 0; point < points; point += across) pen.fillText(String(point), this.x(point), y + height + 4);
  }

  /** A path; where it goes round, it goes on at the other end. */
  private line(pen: CanvasRenderingContext2D, path: ArrayLike<number>, colour: string, width: number, dashes: number[]): void {
    pen.beginPath();
    let before = Number.NaN;
    const starts = new Set(this.header.strokes.map(([first]) => first));
    for (let point = 0; point < path.length; point++) {
      const row = this.row(path[point] as number);
      const [px, py] = [this.x(point), this.y(path[point] as number)];
      const jumps = starts.has(point) || Math.abs(row - before) > this.header.rotations.length / 2;
      if (jumps) pen.moveTo(px, py);
      else pen.lineTo(px, py);
      before = row;
    }
    pen.setLineDash(dashes);
    pen.lineJoin = "round";
    pen.strokeStyle = "#fff9";
    pen.lineWidth = width + 2;
    if (dashes.length === 0) pen.stroke();
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
    pen.setLineDash([]);
  }

  private mark(pen: CanvasRenderingContext2D, point: number, degrees: number, kind: string): void {
    const [px, py] = [this.x(point), this.y(degrees)];
    pen.beginPath();
    pen.arc(px, py, 4, 0, 2 * Math.PI);
    pen.fillStyle = kind === "touches" ? "#ff1f3a" : kind === "undecided" ? "#ffb300" : "#222";
    pen.fill();
    pen.strokeStyle = "#fff";
    pen.lineWidth = 0.8;
    pen.stroke();
  }

  private ring(pen: CanvasRenderingContext2D, spot: Spot, colour: string, radius: number): void {
    const degrees = this.first + spot.rotation * this.step;
    pen.beginPath();
    pen.arc(this.x(spot.point), this.y(degrees), radius, 0, 2 * Math.PI);
    pen.fillStyle = "#1f6feb";
    pen.fill();
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.stroke();
  }

  private cross(pen: CanvasRenderingContext2D, spot: Spot): void {
    const { x, y, width, height } = this.box;
    const [px, py] = [this.x(spot.point), this.y(this.first + spot.rotation * this.step)];
    pen.strokeStyle = "#0009";
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px, y);
    pen.lineTo(px, y + height);
    pen.moveTo(x, py);
    pen.lineTo(x + width, py);
    pen.stroke();
    const [w, h] = [Math.max(width / this.header.points, 7), Math.max(height / this.header.rotations.length, 7)];
    pen.lineWidth = 2;
    pen.strokeStyle = "#fff";
    pen.strokeRect(px - w / 2 - 1, py - h / 2 - 1, w + 2, h + 2);
    pen.strokeStyle = "#000";
    pen.lineWidth = 1;
    pen.strokeRect(px - w / 2 - 2.5, py - h / 2 - 2.5, w + 5, h + 5);
  }
}
