// Makes picture.png of every example cell: its motion that collides, at the first contact; of the sealing cell, its plan. Called by `make`.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { folder, kansho, launch, open, root, sharp, until, view } from "../../apps/viewer/web/tests/harness.mjs";
import { smallScreenshot } from "../../apps/viewer/web/tests/png.mjs";

const most = 150_000;
const cells = path.join(root, "examples/cells");
/** By cell: the motion, and keys that lead the camera from the view "iso". */
const shots = {
  "arm-at-table": { motion: "collides.csv", keys: ["ArrowRight*4", "+*2", "Shift+ArrowUp*2"] },
  "gripper-picking": { motion: "collides.json", keys: ["+*1", "Shift+ArrowUp*1"] },
  "two-arms": { motion: "collides.csv", keys: ["+*1"] },
  "arm-on-rail": { motion: "collides.mod", keys: ["ArrowRight*1", "+*3", "Shift+ArrowUp*2", "Shift+ArrowRight*1"] },
  sealing: { job: "job.toml", keys: ["+*5", "Shift+ArrowUp*2"], size: { width: 1120, height: 840 } },
};

const browser = await launch();
const temporary = folder();
for (const [name, { motion, job, keys, size = { width: 1120, height: 680 } }] of Object.entries(shots)) {
  let shown = [`${name}/cell.toml`, `${name}/${motion}`];
  process.chdir(cells);
  if (job) {
    // As it would be typed, so that the title is short.
    const run = kansho("plan", `${name}/${job}`, "--out", path.join(temporary, "plan"));
    assert.equal(run.status, 0, run.stderr);
    process.chdir(temporary);
    shown = ["plan"];
  }
  const viewer = await view(...shown);
  const { page, close } = await open(browser, viewer.link, size);
  await until(page, (s) => s.proof !== null);
  if ((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark") await page.locator("body").press("t");
  await page.focus("#stage");
  for (const key of keys) {
    const [one, times] = key.split("*");
    for (let k = 0; k < Number(times ?? 1); k++) await page.keyboard.press(one);
  }
  await page.keyboard.press("]");
  await until(page, (s) => s.fresh && s.t > 0);
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(5, 5);
  await sharp(page);
  const bytes = await smallScreenshot(page, size);
  assert.ok(bytes.length < most, `${name}: ${bytes.length} bytes`);
  fs.writeFileSync(path.join(cells, name, "picture.png"), bytes);
  console.log(`examples/cells/${name}/picture.png: ${bytes.length} bytes`);
  await close();
  viewer.stop();
}
await browser.close();
fs.rmSync(temporary, { recursive: true, force: true });
