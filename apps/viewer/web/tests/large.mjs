// A cell with many triangles, and what its pictures cost.

import fs from "node:fs";
import path from "node:path";
import { folder, state } from "./harness.mjs";

/** A folder with a cell of one closed bumpy surface of 200,000 triangles. */
export function large() {
  const into = folder();
  surface(path.join(into, "surface.stl"), 500, 200);
  fs.writeFileSync(path.join(into, "cell.toml"), 'units = "m"\n[[object]]\nname = "surface"\nmesh = "surface.stl"\n');
  return into;
}

/** A closed bumpy surface of 2 n m triangles (STL). */
function surface(file, n, m) {
  const point = (i, j) => {
    const [u, v] = [(2 * Math.PI * i) / n, (2 * Math.PI * j) / m];
    const r = 0.3 * (1 + 0.06 * Math.sin(9 * u) * Math.sin(7 * v));
    return [(1 + r * Math.cos(v)) * Math.cos(u), (1 + r * Math.cos(v)) * Math.sin(u), r * Math.sin(v)];
  };
  const bytes = Buffer.alloc(84 + 100 * n * m);
  bytes.writeUInt32LE(2 * n * m, 80);
  let at = 84;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const [a, b, c, d] = [point(i, j), point((i + 1) % n, j), point((i + 1) % n, (j + 1) % m), point(i, (j + 1) % m)];
      for (const corners of [
        [a, b, c],
        [a, c, d],
      ]) {
        corners.flat().forEach((value, k) => bytes.writeFloatLE(value, at + 12 + 4 * k));
        at += 50;
      }
    }
  }
  fs.writeFileSync(file, bytes);
}

/** Seconds of processor time that the browser has taken so far, all its processes and cores together (Linux). */
function processor() {
  const all = new Map();
  for (const name of fs.readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      all.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), command: stat });
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid) => pid === process.pid || (all.has(pid) && isOurs(all.get(pid).parent));
  const browser = [...all].filter(([pid, { command }]) => pid !== process.pid && !command.includes("(kansho)") && isOurs(pid));
  return browser.reduce((sum, [, { ticks }]) => sum + ticks, 0) / 100;
}

/** While the camera turns: milliseconds from picture to picture, median and 95 of 100; of processor time of the browser for each; and triangles in the last. */
export async function turning(page, count = 90) {
  // What is slow is found out by drawing; then it is measured.
  await pictures(page, 20);
  const before = processor();
  const [median, most] = await pictures(page, count);
  const { drawn, quality } = await state(page);
  return { median, most, processor: (1000 * (processor() - before)) / count, drawn, quality };
}

function pictures(page, count) {
  return page.evaluate(async (count) => {
    const canvas = document.getElementById("stage");
    canvas.focus();
    const gaps = [];
    let last = performance.now();
    for (let k = 0; k < count; k++) {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const now = performance.now();
      gaps.push(now - last);
      last = now;
    }
    gaps.sort((a, b) => a - b);
    return [gaps[Math.floor(gaps.length / 2)], gaps[Math.floor(0.95 * gaps.length)]];
  }, count);
}
