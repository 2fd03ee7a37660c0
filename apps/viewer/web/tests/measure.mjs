// Measures the viewer in software rendering: the first picture, pictures of many triangles, and memory while it plays. Not part of the tests.
//
//   cargo build --release && KANSHO_BIN=target/release/kansho node apps/viewer/web/tests/measure.mjs [MINUTES]

import fs from "node:fs";
import path from "node:path";
import { demo, folder, launch, open, state, until, view } from "./harness.mjs";

const minutes = Number(process.argv[2] ?? 10);
const browser = await launch();

/** Seconds from asking for the page until the first picture is there; a new browser context each time, so that nothing is kept. */
async function firstPicture(link) {
  const times = [];
  for (let k = 0; k < 5; k++) {
    const { page, close } = await open(browser, link);
    times.push((await state(page)).firstPicture / 1000);
    await close();
  }
  return times.sort((a, b) => a - b);
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
      for (const corners of [[a, b, c], [a, c, d]]) {
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

/** While the camera turns: milliseconds from picture to picture, median and 95 of 100, and milliseconds of processor time of the browser for each. */
async function turning(page) {
  const before = processor();
  const [median, most] = await pictures(page);
  const each = (1000 * (processor() - before)) / 90;
  return `${median.toFixed(1)} ms a picture while turning (95 %: ${most.toFixed(1)}), ${each.toFixed(1)} ms of processor time`;
}

function pictures(page) {
  return page.evaluate(async () => {
    const canvas = document.getElementById("stage");
    canvas.focus();
    const gaps = [];
    let last = performance.now();
    for (let k = 0; k < 90; k++) {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
      await new Promise((drawn) => requestAnimationFrame(drawn));
      const now = performance.now();
      if (k >= 10) gaps.push(now - last);
      last = now;
    }
    gaps.sort((a, b) => a - b);
    return [gaps[Math.floor(gaps.length / 2)], gaps[Math.floor(0.95 * gaps.length)]];
  });
}

const files = demo();
const viewer = await view(files);
const times = await firstPicture(viewer.link);
console.log(`first picture of the demo: ${times[2].toFixed(2)} s (median of 5; ${times[0].toFixed(2)} to ${times[4].toFixed(2)})`);

const { page } = await open(browser, viewer.link);
await until(page, (s) => s.proof);
const { drawn: few } = await state(page);
console.log(`demo, ${few} triangles: ${await turning(page)}`);

const large = folder();
surface(path.join(large, "surface.stl"), 500, 200);
fs.writeFileSync(path.join(large, "cell.toml"), 'units = "m"\n[[object]]\nname = "surface"\nmesh = "surface.stl"\n');
const other = await view(large);
const big = await open(browser, other.link);
const { drawn, firstPicture: first } = await state(big.page);
console.log(`${drawn} triangles: first picture ${(first / 1000).toFixed(2)} s, ${await turning(big.page)}`);
await big.close();
other.stop();

await page.selectOption("#motion", "1");
await until(page, (s) => s.proof && s.motion === 1);
await page.locator("body").press("Space");
const devtools = await page.context().newCDPSession(page);
const heap = async () => {
  await devtools.send("HeapProfiler.collectGarbage");
  return (await devtools.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
};
for (let minute = 0; minute <= minutes; minute++) {
  if (minute > 0) await new Promise((later) => setTimeout(later, 60_000));
  const now = await state(page);
  console.log(`after ${minute} min of playing: heap ${(await heap()).toFixed(2)} MiB, ${now.pictures} pictures, ${now.memory.geometries} geometries`);
}
await browser.close();
viewer.stop();
for (const made of [path.dirname(files), large]) fs.rmSync(made, { recursive: true, force: true });
