// An object that is dragged follows the mouse as far as contacts allow, and what blocks it is shown.

import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { count, launch, open, picture, root, state, until, view } from "./harness.mjs";

let [browser, viewer, page, wrong] = [];

before(async () => {
  viewer = await view(path.join(root, "examples/assembly/cell.toml"));
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
});

/** By how much it was dragged, in millimetres. */
const way = (s) => s.drag.moved.slice(9).map((value) => 1000 * value);

/** Takes the object at a place of the picture (as parts of it) and pulls it by some points, in steps. */
async function pull(from, by, shift = false) {
  const box = await page.locator("#stage").boundingBox();
  const [x, y] = [box.x + from[0] * box.width, box.y + from[1] * box.height];
  if (shift) await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 1; k <= 8; k++) await page.mouse.move(x + (by[0] * k) / 8, y + (by[1] * k) / 8);
  await page.waitForTimeout(400);
  if (shift) await page.keyboard.up("Shift");
}

async function choose(name, view) {
  await page.selectOption("#contact-moving", "");
  await page.selectOption("#contact-moving", name);
  await until(page, (s) => s.contacts !== null);
  await page.locator("body").press(view);
  await page.locator("body").press("f");
}

test("from above, the slider moves along its rails and not across them", async () => {
  // From above: x to the right, y up.
  await choose("slider", "6");
  const { camera } = await until(page, (s) => s.sharp || s.generator >= 0);
  await pull([0.5, 0.5], [120, -60]);
  const now = await until(page, (s) => s.drag?.active);
  const [x, y, z] = way(now);
  assert.ok(y > 5, `${[x, y, z]}`);
  assert.ok(Math.abs(x) < 1e-3 && Math.abs(z) < 1e-3, `${[x, y, z]}`);
  assert.ok(!now.drag.arrived && now.drag.blocked.length > 0);
  assert.ok(
    now.drag.blocked.every(([, normal]) => normal[0] < -0.99),
    JSON.stringify(now.drag.blocked),
  );
  assert.match(await page.textContent("#drag-told"), /^Blocked where arrows are\. Moved by \(0\.0, /);
  const shot = await picture(page, "drag-slider");
  assert.ok((await count(page, shot, "red")).fitting > 40, "arrows are red");
  await page.mouse.up();
  const after = await until(page, (s) => s.drag && !s.drag.active);
  assert.deepEqual(after.drag.moved, now.drag.moved);
  assert.deepEqual(after.drag.blocked, []);
  // The camera stayed where it was: the mouse had the part, not the picture.
  assert.deepEqual(after.camera, camera);
  // And it goes on from there, back along the rails.
  await pull([0.5, 0.5], [-30, 40]);
  const back = await until(page, (s) => s.drag?.active);
  assert.ok(way(back)[1] < y - 3, `${way(back)} after ${y}`);
  await page.mouse.up();
  await page.click("#drag-back");
  await until(page, (s) => s.drag === null);
});

test("from the front, it cannot go down but can be lifted out", async () => {
  await choose("slider", "2");
  await pull([0.5, 0.5], [0, 90]);
  const down = await until(page, (s) => s.drag?.active && s.drag.blocked.length > 0);
  assert.ok(Math.hypot(...way(down)) < 1e-3, `${way(down)}`);
  assert.ok(down.drag.blocked.every(([, normal]) => normal[2] > 0.99));
  await page.mouse.up();
  await pull([0.5, 0.5], [0, -120]);
  const up = await until(page, (s) => s.drag?.active && s.drag.arrived);
  assert.ok(way(up)[2] > 10, `${way(up)}`);
  assert.deepEqual(up.drag.blocked, []);
  await picture(page, "drag-lifted");
  await page.mouse.up();
  await page.click("#drag-back");
});

test("with Shift, the peg turns about its axis", async () => {
  await choose("peg", "2");
  // Its upper half is above the groove; pulled to the side it would roll.
  await pull([0.5, 0.42], [60, 10], true);
  const now = await until(page, (s) => s.drag?.active);
  const [xx, , xz, , yy] = now.drag.moved;
  assert.ok(Math.abs(yy - 1) < 1e-6, "about y");
  assert.ok(xx < 0.999 && Math.abs(xz) > 0.03, JSON.stringify(now.drag));
  assert.match(await page.textContent("#drag-told"), /turned by/);
  await picture(page, "drag-peg");
  await page.mouse.up();
});

test("beside the object the mouse turns the picture, and another choice puts it back", async () => {
  await choose("block", "1");
  const was = await state(page);
  assert.equal(was.drag, null);
  const box = await page.locator("#stage").boundingBox();
  await page.mouse.move(box.x + 15, box.y + 15);
  await page.mouse.down();
  await page.mouse.move(box.x + 95, box.y + 45, { steps: 4 });
  await page.mouse.up();
  const turned = await state(page);
  assert.notDeepEqual(turned.camera, was.camera);
  assert.equal(turned.drag, null);
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
