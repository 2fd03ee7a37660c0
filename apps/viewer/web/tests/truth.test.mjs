// "Free" is shown only of what is known to be free: not of another posture, another motion, or other files.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { demo, launch, open, picture, state, until, view } from "./harness.mjs";

let [browser, viewer, files] = [];

before(async () => {
  files = demo();
  viewer = await view(files);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  viewer?.stop();
  fs.rmSync(path.dirname(files), { recursive: true, force: true });
});

const chip = (page) => page.evaluate(() => [document.getElementById("verdict").dataset.verdict, document.getElementById("verdict").textContent]);

/** Puts a joint somewhere, in degrees. */
async function turn(page, joint, degrees) {
  await page.fill(`#joint-${joint}-number`, String(degrees));
  await page.locator(`#joint-${joint}-number`).press("Enter");
}

test("a proof of a motion is not told of a posture beside it", async () => {
  const { page, wrong, close } = await open(browser, viewer.link);
  await until(page, (s) => s.proof?.verdict === "free" && !s.off);
  assert.match((await chip(page))[1], /^proven free, least gap /);
  await turn(page, 1, 90);
  await until(page, (s) => s.off && s.fresh && s.seen.hits.length > 0);
  assert.deepEqual(await chip(page), ["touches", "beside the motion: touches in this posture"]);
  await picture(page, "truth-beside");
  await turn(page, 1, 0);
  await until(page, (s) => s.off && s.fresh && s.seen.hits.length === 0);
  assert.deepEqual(await chip(page), ["free", "beside the motion: free in this posture"]);
  await page.fill("#time", "0.5");
  await until(page, (s) => !s.off && s.fresh);
  assert.match((await chip(page))[1], /^proven free, least gap /);
  assert.deepEqual(wrong, []);
  await close();
});

test("an answer that comes late is not taken for the posture that is shown", async () => {
  const { page, close } = await open(browser, viewer.link);
  await until(page, (s) => s.proof && s.fresh);
  await turn(page, 1, 0);
  await until(page, (s) => s.off && s.fresh);
  assert.equal((await chip(page))[0], "free");
  let release = null;
  const gate = new Promise((go) => (release = go));
  await page.route("**/look", async (route) => {
    await gate;
    await route.continue();
  });
  await turn(page, 1, 90);
  // Nothing is known of it yet, and nothing else is said, neither above nor in the list.
  await until(page, (s) => s.seen === null && !s.fresh);
  assert.deepEqual(await chip(page), ["", "beside the motion: looking…"]);
  assert.equal(await page.textContent("#pairs-summary"), "Measuring…");
  assert.equal(await page.locator(".pair:visible").count(), 0);
  assert.ok(!(await page.locator("#gap-label").isVisible()));
  release();
  await until(page, (s) => s.fresh && s.seen.hits.length > 0);
  assert.equal((await chip(page))[0], "touches");
  await close();
});

test("a proof that comes late is not taken for the motion that is shown", async () => {
  const { page, close } = await open(browser, viewer.link);
  await until(page, (s) => s.proof);
  let release = null;
  const gate = new Promise((go) => (release = go));
  await page.route("**/motion/0", async (route) => {
    await gate;
    await route.continue();
  });
  await page.selectOption("#motion", "1");
  await until(page, (s) => s.proof?.verdict === "touches");
  await page.selectOption("#motion", "0");
  await until(page, (s) => s.motion === 0);
  assert.deepEqual(await chip(page), ["", "proving…"]);
  assert.equal(await page.locator(".mark").count(), 0);
  await page.selectOption("#motion", "1");
  const now = await until(page, (s) => s.motion === 1 && s.proof);
  assert.equal(now.proof.verdict, "touches");
  const late = page.waitForResponse("**/motion/0");
  release();
  await (await late).finished();
  await page.waitForTimeout(300);
  assert.equal((await state(page)).proof.verdict, "touches");
  assert.equal((await chip(page))[0], "touches");
  await close();
});

test("undecided is said as such, and where", async () => {
  const { page, close } = await open(browser, viewer.link);
  await until(page, (s) => s.proof?.verdict === "free");
  await page.route("**/motion/1", async (route) => {
    const proof = await (await route.fetch()).json();
    delete proof.clearance;
    delete proof.nearest;
    await route.fulfill({ json: { ...proof, verdict: "undecided", marks: [], open: [[0.4, 0.6]] } });
  });
  await page.selectOption("#motion", "1");
  await until(page, (s) => s.motion === 1 && s.proof);
  assert.deepEqual(await chip(page), ["undecided", "undecided"]);
  assert.equal(await page.locator(".mark[data-kind=open]").getAttribute("aria-label"), "Undecided from 40.0 % to 60.0 %");
  await picture(page, "truth-undecided");
  await close();
});

test("where another window reads the files again, this one follows", async () => {
  const [one, two] = [await open(browser, viewer.link), await open(browser, viewer.link)];
  await until(one.page, (s) => s.proof && s.fresh);
  // The shortcut goes; what was the second motion is no motion now, and the first is what it was not.
  const shortcut = fs.readFileSync(path.join(files, "motion_shortcut.csv"));
  const aside = fs.readFileSync(path.join(files, "motion_aside.csv"));
  fs.writeFileSync(path.join(files, "motion_aside.csv"), shortcut);
  fs.rmSync(path.join(files, "motion_shortcut.csv"));
  await two.page.click("#reload");
  const edition = (await until(two.page, (s) => s.proof?.verdict === "touches")).edition;
  // The first window still shows the old ones, until it asks.
  await one.page.fill("#time", "0.3");
  const now = await until(one.page, (s) => s.edition === edition && s.proof);
  assert.deepEqual([now.motions, now.proof.verdict], [["motion_aside"], "touches"]);
  assert.equal((await chip(one.page))[0], "touches");
  fs.writeFileSync(path.join(files, "motion_aside.csv"), aside);
  fs.writeFileSync(path.join(files, "motion_shortcut.csv"), shortcut);
  await one.page.click("#reload");
  await until(one.page, (s) => s.edition > edition && s.proof?.verdict === "free");
  await one.close();
  await two.close();
});

test("where the server is gone, nothing is said", async () => {
  const other = await view(files);
  const { page, close } = await open(browser, other.link);
  await until(page, (s) => s.proof && s.fresh);
  other.stop();
  await turn(page, 1, 90);
  await until(page, (s) => s.seen === null && s.lost);
  assert.deepEqual(await chip(page), ["undecided", "beside the motion: not known: the viewer does not answer"]);
  assert.equal(await page.textContent("#pairs-summary"), "Not known: the viewer does not answer.");
  // A motion that nobody proves any more is not being proven.
  await page.selectOption("#motion", "1");
  await until(page, (s) => s.unproven !== null);
  assert.deepEqual(await chip(page), ["undecided", "not proven: the viewer does not answer"]);
  await close();
});
