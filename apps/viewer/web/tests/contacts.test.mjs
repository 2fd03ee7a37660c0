// What touching allows: points, normals, ORs, and the motions that are left.

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

test("a cell without motions has no timeline, and its objects can be asked about", async () => {
  assert.ok(!(await page.locator("#timeline").isVisible()));
  assert.equal(await page.textContent("#joints"), "Nothing in this cell moves.");
  const options = await page.locator("#contact-moving option").allTextContents();
  assert.ok(options.includes("slider") && options.includes("peg"));
});

test("the slider: twelve contacts, one by one, and a ghost that slides", async () => {
  const plain = await picture(page, "assembly");
  await page.selectOption("#contact-moving", "slider");
  const found = await until(page, (s) => s.contacts !== null);
  assert.equal(found.contacts.points.length, 12);
  assert.equal(found.contacts.groups, 12);
  assert.match(await page.textContent("#contacts"), /slides along y; can leave along \+z/);
  await page.locator("body").press("f");
  const all = await picture(page, "contacts-slider");
  assert.ok((await count(page, all, "red", plain)).different > 5000);
  for (let k = 0; k < 12; k++) {
    await page.locator("body").press("c");
    const now = await state(page);
    assert.equal(now.contact, k);
    const [x, y, z] = now.contacts.points[k].point.map((value) => (value * 1000).toFixed(1).replace(/^-0\.0$/, "0.0"));
    assert.ok((await page.textContent("#contact-told")).includes(`(${x}, ${y}, ${z}) mm`));
  }
  await page.locator("body").press("c");
  assert.equal((await state(page)).contact, -1);
  await page.locator("body").press("Shift+C");
  assert.equal((await state(page)).contact, 11);
  // The ghost moves along each generator.
  const { contacts } = await state(page);
  assert.ok(contacts.motions.length >= 2);
  assert.ok(contacts.motions.some((motion) => motion.both_ways && Math.abs(motion.screw.slide?.[1] ?? 0) > 0.999));
  for (let k = 0; k < contacts.motions.length; k++) {
    assert.equal((await state(page)).generator, k);
    await until(page, (s) => Math.abs(s.ghost) > 0.3);
    assert.match(await page.textContent("#motion-told"), /^(Slides|Turns|Screws)/);
    await page.locator("body").press("n");
  }
  await until(page, (s) => s.generator === -1);
});

test("who wants nothing to move sees where it would go", async () => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.selectOption("#contact-moving", "slider");
  await until(page, (s) => s.generator === 0 && s.ghost > 0.9 && s.sharp);
  const { pictures } = await state(page);
  await page.waitForTimeout(500);
  assert.equal((await state(page)).pictures, pictures, "nothing moves");
  await picture(page, "contacts-still");
  await page.emulateMedia({ reducedMotion: "no-preference" });
});

test("the peg turns about its axis", async () => {
  await page.selectOption("#contact-moving", "peg");
  const found = await until(page, (s) => s.contacts?.points.length === 4);
  const turn = found.contacts.motions.findIndex((motion) => motion.both_ways && motion.screw.axis);
  assert.ok(turn >= 0, JSON.stringify(found.contacts.motions));
  const { axis, point } = found.contacts.motions[turn].screw;
  assert.ok(Math.abs(axis[1]) > 0.999 && Math.abs(point[2] - 0.0548528) < 1e-6);
  for (let k = 0; k < turn; k++) await page.locator("body").press("n");
  await page.locator("body").press("f");
  await until(page, (s) => Math.abs(s.ghost) > 0.8);
  assert.match(await page.textContent("#motion-told"), /^Turns about the axis/);
  await picture(page, "contacts-peg");
});

test("an OR has one colour", async () => {
  await page.selectOption("#contact-moving", "block");
  const found = await until(page, (s) => s.contacts?.points.length === 5);
  const corner = found.contacts.points.findIndex((point) => point.conditions.some((condition) => condition.normals.length > 1));
  assert.ok(corner >= 0, JSON.stringify(found.contacts.points));
  for (let k = 0; k <= corner; k++) await page.locator("body").press("c");
  assert.equal((await state(page)).contact, corner);
  assert.match(await page.textContent("#contact-told"), / or /);
  assert.equal(await page.locator("#contact-told .or").count(), found.contacts.points[corner].conditions.length);
  await page.locator("body").press("f");
  await picture(page, "contacts-or");
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
