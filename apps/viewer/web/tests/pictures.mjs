// Makes the pictures of the README from the real program.
//
//   cargo build --release && KANSHO_BIN=target/release/kansho node apps/viewer/web/tests/pictures.mjs

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { folder, kansho, launch, monitor, open, root, sharp, until, view } from "./harness.mjs";
import { smallScreenshot } from "./png.mjs";

const into = path.join(root, "docs/pictures");
const most = 200_000;
const size = { width: 1120, height: 680 };
fs.mkdirSync(into, { recursive: true });

/** Takes a picture, in 256 colours. */
async function take(page, name) {
  await page.evaluate(() => document.activeElement?.blur());
  await sharp(page);
  const bytes = await smallScreenshot(page, size);
  const file = path.join(into, `${name}.png`);
  assert.ok(bytes.length < most, `${name}.png has ${bytes.length} bytes`);
  fs.writeFileSync(file, bytes);
  console.log(`${path.relative(root, file)}: ${bytes.length} bytes`);
}

const out = path.join(folder(), "demo");
const planned = kansho("demo", "--no-open", "--out", out);
assert.equal(planned.status, 0, planned.stderr);
// As it would be typed.
process.chdir(path.dirname(out));
const browser = await launch();
let viewer = await view("demo");
let { page, close } = await open(browser, viewer.link, size);

await until(page, (s) => s.proof?.verdict === "free");
await page.locator("body").press("]");
await until(page, (s) => s.fresh && s.t > 0);
await page.mouse.move(5, 5);
await take(page, "path");

// The path pulled into the fixture, where the map is red.
await until(page, (s) => s.map.path?.waiting === 0);
const map = await page.locator("#map").boundingBox();
const rotations = fs
  .readFileSync(path.join(out, "plan/path.csv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((row) => Number(row.split(",")[3]));
const place = (point, degrees) => [map.x + 40 + ((point + 0.5) / 280) * (map.width - 48), map.y + 6 + (1 - (degrees / 2 + 0.5) / 180) * (map.height - 24)];
await page.mouse.move(...place(150, rotations[150]));
await page.mouse.down();
await page.mouse.move(...place(150, rotations[150] - 34), { steps: 4 });
await page.mouse.up();
await until(page, (s) => s.proof?.verdict === "touches" && s.fresh);
await page.mouse.move(5, 5);
await take(page, "map");
await page.click("#map-reset");
await until(page, (s) => s.map.path.changed === 0 && s.motion === 0);

await page.selectOption("#motion", "1");
await until(page, (s) => s.proof?.verdict === "touches");
await page.focus("#stage");
await page.keyboard.press("]");
await until(page, (s) => s.fresh && s.seen.hits.length > 0);
for (let k = 0; k < 8; k++) await page.keyboard.press("+");
await page.keyboard.press("t");
await take(page, "collision");
await page.keyboard.press("t");

await page.selectOption("#motion", "0");
await until(page, (s) => s.proof?.verdict === "free");
await page.locator("body").press("1");
await page.check("#show-spheres");
await until(page, (s) => s.ranks > 1);
await page.uncheck("#show-meshes");
await page.focus("#show-rank");
await page.keyboard.press("End");
await until(page, (s) => s.show.rank === s.ranks - 1);
await take(page, "spheres");
await close();
viewer.stop();

// A robot that comes near.
const header = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n");
const [home, dive] = [header[1], header[2]].map((row) => row.split(",").map(Number));
const watched = await monitor("--every", "demo/cell.toml");
({ page, close } = await open(browser, watched.link, size));
for (let k = 0; k < 400; k++) {
  const part = 0.86 * (0.5 - 0.5 * Math.cos((Math.PI * k) / 400));
  watched.send(
    home.map((value, joint) => value + part * (dive[joint] - value)),
    0.01 * k,
  );
}
await until(page, (s) => s.live.line === 400);
await page.locator("body").press("f");
await take(page, "live");
await close();
watched.child.kill();

process.chdir(root);
viewer = await view("examples/assembly/cell.toml");
({ page, close } = await open(browser, viewer.link, size));
// The ghost stands still at the end of its way.
await page.emulateMedia({ reducedMotion: "reduce" });
await page.selectOption("#contact-moving", "slider");
await until(page, (s) => s.contacts !== null);
await page.locator("body").press("f");
await until(page, (s) => s.ghost > 0.9 && s.sharp);
await take(page, "contacts");
await close();
viewer.stop();

viewer = await view("examples/words/block_in_slot.toml");
({ page, close } = await open(browser, viewer.link, size));
await until(page, (s) => s.words?.status === "reached");
await page.locator(".step").nth(3).click();
await until(page, (s) => s.step === 3);
await take(page, "words");
await close();
viewer.stop();
await browser.close();
fs.rmSync(path.dirname(out), { recursive: true, force: true });
