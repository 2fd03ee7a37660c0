// Many triangles: fewer while the camera turns and pictures are slow, all of them as soon as nothing moves.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { count, launch, open, picture, pictures, until, view } from "./harness.mjs";
import { large, turning } from "./large.mjs";

let [browser, viewer, files, page, wrong] = [];

before(async () => {
  files = large();
  viewer = await view(files);
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
  fs.rmSync(files, { recursive: true, force: true });
});

test("200,000 triangles: fewer while slow pictures turn, all at rest", async (t) => {
  // With all that is told of the posture: on a slow machine that comes later than the first picture.
  const rest = await until(page, (s) => s.sharp && s.fresh);
  assert.equal(rest.drawn, 200_000);
  const plain = await picture(page, "large");
  const moved = await turning(page, 40);
  // Where pictures are quick there is no need for fewer.
  assert.ok(moved.quality === "coarse" ? moved.drawn <= 60_000 && moved.drawn > 10_000 : moved.drawn === 200_000, JSON.stringify(moved));
  const told = Object.fromEntries(Object.entries(moved).map(([key, value]) => [key, typeof value === "number" ? Math.round(10 * value) / 10 : value]));
  t.diagnostic(`a picture of 200,000 triangles while turning, in ms: ${JSON.stringify(told)}`);
  fs.writeFileSync(path.join(pictures, "large.json"), `${JSON.stringify(told)}\n`);
  if (moved.quality === "coarse") {
    // It looks alike: the same picture, drawn with fewer.
    const before = await page.screenshot({ path: path.join(pictures, "large-coarse.png") });
    const again = await until(page, (s) => s.sharp);
    assert.equal(again.drawn, 200_000);
    const after = await picture(page, "large-turned");
    const { different } = await count(page, before, "red", after);
    assert.ok(different < 20_000, `${different} points differ`);
  }
  await page.locator("body").press("1");
  await page.evaluate(() => document.activeElement?.blur());
  await until(page, (s) => s.view === "iso" && s.sharp);
  const back = await picture(page, "large-back");
  const { different: odd } = await count(page, back, "red", plain);
  assert.ok(odd < 50, `all is as before, but for ${odd} points`);
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
