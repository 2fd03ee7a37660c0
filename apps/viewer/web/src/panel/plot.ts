// The least gap over time, drawn as a curve.

import type { Proof } from "../api";
import { metres } from "../dom";

const [LEFT, TOP, BOTTOM] = [0, 10, 4];

/** Draws all of it anew; done when the proof, the size or the colours change, not for each picture. */
export function drawPlot(canvas: HTMLCanvasElement, proof: Proof | null, unproven: string | null = null): void {
  const ratio = Math.min(window.devicePixelRatio, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  if (!pen || width === 0) return;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  if (!proof) {
    pen.fillStyle = colour("--dim");
    pen.fillText(
      unproven === null ? "measuring the least gap over the motion…" : "nothing is known of this motion: the viewer does not answer",
      10,
      height / 2 + 4,
    );
    return;
  }
  const { t, gap } = proof.samples;
  if (gap.every((value) => value === null)) {
    pen.fillStyle = colour("--dim");
    pen.fillText("no gaps were measured: which motions are proven is told beside the map", 10, height / 2 + 4);
    return;
  }
  const most = Math.max(...gap.map((value) => value ?? 0), 1e-6);
  const x = (time: number): number => LEFT + time * (width - LEFT);
  const y = (value: number): number => height - BOTTOM - (value / (1.08 * most)) * (height - TOP - BOTTOM);
  for (const { from, to } of proof.marks) {
    pen.fillStyle = colour("--bad-soft");
    pen.fillRect(x(from), 0, Math.max(x(to) - x(from), 2), height);
    pen.fillStyle = colour("--bad");
    pen.fillRect(x(from), height - 3, Math.max(x(to) - x(from), 2), 3);
  }
  for (const [from, to] of proof.open) {
    pen.fillStyle = colour("--warn");
    pen.fillRect(x(from), height - 3, Math.max(x(to) - x(from), 2), 3);
  }
  const step = niceStep(most);
  pen.lineWidth = 1;
  for (let value = step; value < 1.08 * most; value += step) {
    pen.strokeStyle = colour("--line");
    pen.beginPath();
    pen.moveTo(0, y(value));
    pen.lineTo(width, y(value));
    pen.stroke();
  }
  pen.beginPath();
  t.forEach((time, k) => {
    const at = y(gap[k] ?? most);
    if (k === 0) pen.moveTo(x(time), at);
    else pen.lineTo(x(time), at);
  });
  pen.strokeStyle = colour("--accent");
  pen.lineWidth = 1.8;
  pen.lineJoin = "round";
  pen.stroke();
  pen.lineTo(x(1), height);
  pen.lineTo(x(0), height);
  pen.fillStyle = colour("--accent-soft");
  pen.fill();
  for (let value = step; value < 1.08 * most; value += step) {
    pen.lineWidth = 3;
    pen.strokeStyle = colour("--panel");
    pen.fillStyle = colour("--dim");
    pen.strokeText(inTick(value), 6, y(value) - 3);
    pen.fillText(inTick(value), 6, y(value) - 3);
  }
  pen.lineWidth = 1.8;
  if (proof.clearance) {
    pen.strokeStyle = colour("--good");
    pen.setLineDash([5, 4]);
    pen.beginPath();
    pen.moveTo(0, y(proof.clearance));
    pen.lineTo(width, y(proof.clearance));
    pen.stroke();
    pen.setLineDash([]);
  }
}

/** A length of the scale, without digits that say nothing. */
function inTick(value: number): string {
  return value >= 1 ? `${Number(value.toPrecision(3))} m` : value >= 1e-4 ? `${Number((value * 1000).toPrecision(3))} mm` : metres(value);
}

function niceStep(most: number): number {
  const rough = most / 2.5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([5, 2, 1].find((factor) => factor * power <= rough) ?? 1) * power;
}
