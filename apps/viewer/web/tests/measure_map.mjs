// Measures the path map of a plan: how soon a cell is answered, and how soon a path that was dragged is proven again. Not part of the tests.
//
//   cargo build --profile dist && KANSHO_BIN=target/dist/kansho node apps/viewer/web/tests/measure_map.mjs PLAN

import { launch, open, until, view } from "./harness.mjs";

const viewer = await view(process.argv[2]);
const edition = (await (await fetch(`${viewer.link}api/cell`)).json()).edition;
const api = (name, body) =>
  fetch(`${viewer.link}api/${edition}/${name}`, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const pack = Buffer.from(await (await api("map")).arrayBuffer());
const start = 4 + pack.readUInt32LE(0);
const header = JSON.parse(pack.subarray(4, start));
const rotations = Array.from({ length: header.path[1] }, (_, k) => pack.readDoubleLE(start + header.path[0] + 8 * k));
const part = (list, at) => list.toSorted((a, b) => a - b)[Math.floor(at * (list.length - 1))].toFixed(1);
const told = (list) => `median ${part(list, 0.5)} ms, 90 of 100 ${part(list, 0.9)}, 99 of 100 ${part(list, 0.99)}, most ${part(list, 1)}`;

/** How long a question takes, and its answer. */
async function timed(name, body) {
  const began = performance.now();
  const answer = await (await api(name, body)).json();
  return [performance.now() - began, answer];
}

/** Proves until nothing is left to be proven. */
async function proven(points, rotations_deg) {
  let [all, motions] = [0, 0];
  for (;;) {
    const [ms, answer] = await timed("path", { points, rotations_deg, patience_ms: 3000 });
    all += ms;
    motions += answer.asked;
    if (answer.waiting === 0)
      return `${(all / 1000).toFixed(2)} s: ${answer.verdict}, ${answer.proven} of ${answer.motions} motions proven, ${motions} of them asked for, ${answer.broken} not free`;
    motions -= answer.waiting;
  }
}

await timed("map-cell", { point: 0, rotation: 0 });
const [, first] = [0, await proven([], [])];
console.log(`${header.points} points, ${header.rotations.length} rotations; the path as planned: ${first}`);
const cells = [];
for (let k = 0; k < 1000; k++)
  cells.push((await timed("map-cell", { point: (k * 7919) % header.points, rotation: (k * 104729) % header.rotations.length }))[0]);
console.log(`cells, from question to answer: ${told(cells)}`);

/** The path pulled by some degrees at a point, as far as so many points away. */
function pulled(point, degrees, reach) {
  const [points, to] = [[], []];
  rotations.forEach((rotation, k) => {
    const away = Math.min(Math.abs(k - point), header.points - Math.abs(k - point));
    if (away >= reach) return;
    points.push(k);
    to.push(rotation + 0.5 * degrees * (1 + Math.cos((Math.PI * away) / reach)));
  });
  return [points, to];
}
for (const [point, degrees, reach] of [
  [0.5, 7.3, 0.05],
  [0.25, -4.1, 0.1],
  [0.75, 3.7, 0.5],
  [0.3, 2.9, 0.5],
  [0.6, -75, 0.1],
]) {
  const [points, to] = pulled(Math.round(point * header.points), degrees, Math.round(reach * header.points));
  console.log(`${points.length} points dragged, by ${degrees} degrees at most: ${await proven(points, to)}`);
}

const browser = await launch();
const { page } = await open(browser, viewer.link);
await until(page, (s) => s.map?.path?.waiting === 0 && s.sharp, 300_000);
const box = await page.locator("#map").boundingBox();
const shown = [];
for (let k = 0; k < 60; k++) {
  await page.mouse.move(box.x + 50 + ((k * 131) % (box.width - 70)), box.y + 12 + ((k * 53) % (box.height - 40)));
  shown.push((await until(page, (s) => s.map.cell?.ms)).map.cell.ms);
  await until(page, (s) => s.sharp);
}
console.log(`cells in the page, drawn in software: ${told(shown)}`);
await browser.close();
viewer.stop();
