// Measures the viewer in software rendering: the first picture, pictures of many triangles, and memory while it plays. Not part of the tests.
//
//   cargo build --profile dist && KANSHO_BIN=target/dist/kansho node apps/viewer/web/tests/measure.mjs [MINUTES]

import fs from "node:fs";
import path from "node:path";
import { demo, launch, open, state, until, view } from "./harness.mjs";
import { large, turning } from "./large.mjs";

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

const told = ({ median, most, processor, drawn }) =>
  `${median.toFixed(1)} ms a picture while turning (95 %: ${most.toFixed(1)}), ${processor.toFixed(1)} ms of processor time, ${drawn} triangles drawn`;

const files = demo();
const viewer = await view(files);
const times = await firstPicture(viewer.link);
console.log(`first picture of the demo: ${times[2].toFixed(2)} s (median of 5; ${times[0].toFixed(2)} to ${times[4].toFixed(2)})`);

const { page } = await open(browser, viewer.link);
await until(page, (s) => s.proof);
await until(page, (s) => s.sharp);
const { drawn: few } = await state(page);
console.log(`demo, ${few} triangles: ${told(await turning(page))}`);

const many = large();
const other = await view(many);
const big = await open(browser, other.link);
const { drawn, firstPicture: first } = await until(big.page, (s) => s.sharp);
console.log(`${drawn} triangles: first picture ${(first / 1000).toFixed(2)} s, ${told(await turning(big.page))}`);
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
for (const made of [path.dirname(files), many]) fs.rmSync(made, { recursive: true, force: true });
