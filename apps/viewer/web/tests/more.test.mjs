// The swept volume of a motion, two motions side by side, and the tour of the demo.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { count, launch, open, picture, planned, until, view } from "./harness.mjs";

let [browser, viewer, page, wrong] = [];

before(async () => {
  viewer = await view("--tour", await planned());
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
});

test("newcomers see the cell, the map, and the path playing", async () => {
  const now = await until(page, (s) => s.tour === "path" && s.playing && s.t > 0.05 && s.map?.now !== null);
  assert.equal(now.motions[0], "plan/motion");
  await until(page, (s) => s.proof?.verdict === "free");
  assert.match(await page.textContent("#tour"), /every instant of it is proven free/);
  await picture(page, "tour");
});

test("and find the planted collision", async () => {
  await page.click("#tour-go");
  const seek = await until(page, (s) => s.tour === "seek" && s.proof?.verdict === "touches");
  assert.notEqual(seek.motion, 0);
  await page.click("#tour-go");
  const found = await until(page, (s) => s.tour === "found");
  assert.equal(found.seen.pairs[0].gap, 0);
  assert.match(await page.textContent("#tour"), /^WelcomeFound: arm\/tool \| sheet, in the contact from [0-9.]+ % of the motion on/);
  await picture(page, "tour-found");
  await page.click("#tour-close");
  assert.equal((await until(page, (s) => s.tour === null)).tour, null);
});

test("the swept volume of a motion is shown as a translucent body, and gone again", async () => {
  await page.selectOption("#motion", "0");
  await until(page, (s) => s.motion === 0 && s.proof?.verdict === "free" && s.fresh && s.sharp);
  const before = await picture(page, "sweep-without");
  await page.locator("body").press("v");
  const now = await until(page, (s) => s.swept > 0 && s.sharp);
  assert.ok(now.show.sweep && now.swept >= 12, `${now.swept} instants`);
  assert.equal(await page.isChecked("#show-sweep"), true);
  const shot = await picture(page, "sweep");
  const { different } = await count(page, shot, "red", before);
  assert.ok(different > 4000, `${different} points differ`);
  await page.locator("body").press("v");
  await until(page, (s) => s.swept === 0 && s.sharp);
  const without = await picture(page, "sweep-gone");
  assert.ok((await count(page, without, "red", before)).different < 50);
});

test("another motion is shown beside it, at the same part of its time", async () => {
  await page.selectOption("#beside", "2");
  const now = await until(page, (s) => s.beside === 2 && s.besideVerdict !== null);
  assert.equal(now.motions[2], "motion_shortcut");
  assert.equal(now.besideVerdict, "touches");
  assert.equal(await page.textContent("#side-left"), "plan/motion · proven free");
  assert.equal(await page.textContent("#side-right"), "motion_shortcut · touches");
  const both = await picture(page, "beside");
  await page.evaluate(() => {
    const slider = document.querySelector("#time");
    slider.value = "0.4";
    slider.dispatchEvent(new Event("input"));
  });
  const later = await until(page, (s) => s.t === 0.4 && s.fresh && s.sharp);
  // The left side is the motion that was chosen: what is told is about that.
  assert.ok(later.seen.pairs[0].gap > 0);
  const moved = await picture(page, "beside-later");
  assert.ok((await count(page, moved, "red", both)).different > 2000, "both have moved");
  await page.selectOption("#beside", "-1");
  const alone = await until(page, (s) => s.beside === -1);
  assert.equal(alone.besideVerdict, null);
  assert.equal(await page.isVisible("#side-right"), false);
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
