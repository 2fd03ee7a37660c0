// The demo is there at once, tells how far its plan is, and shows the plan when it is ready.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, picture, served, until } from "./harness.mjs";

let [browser, demo, page, wrong] = [];

before(async () => {
  browser = await launch();
  demo = await served("demo", "--show", "--every", "40", "4");
  ({ page, wrong } = await open(browser, demo.link));
});

after(async () => {
  await browser?.close();
  demo?.stop();
});

test("while the path is planned, there is a collision to find, and a bar that moves", async () => {
  const now = await until(page, (s) => s.busy && s.proof?.verdict === "touches");
  assert.deepEqual(now.motions, ["motion_shortcut"]);
  assert.equal(now.tour, "seek");
  assert.match(await page.textContent("#tour"), /it will be shown as soon as it is there/);
  const counted = await until(page, (s) => s.busy && s.busy.of > 0 && s.busy.done > 0);
  assert.ok(counted.busy.done <= counted.busy.of);
  assert.match(await page.textContent("#busy"), /\d+ of \d+$/);
  await picture(page, "busy");
});

test("the plan is shown as soon as it is ready", async () => {
  const now = await until(page, (s) => s.edition === 2 && s.tour === "path" && s.map && s.playing, 300_000);
  assert.equal(now.busy, null);
  assert.deepEqual(now.motions, ["plan/motion", "motion_shortcut"]);
  assert.equal(await page.locator("#busy").count(), 0);
  assert.deepEqual(wrong, []);
});
