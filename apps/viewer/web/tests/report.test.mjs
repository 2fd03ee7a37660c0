// The report of a plan: one file that a browser shows from disk, without asking anybody for anything.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { demo, folder, kansho, launch, pictures, planned, state, until } from "./harness.mjs";

let [out, file, browser, page] = [];
const [asked, wrong] = [[], []];

before(async () => {
  // Moved elsewhere: nothing beside it is needed.
  out = await planned();
  file = path.join(folder(), "report.html");
  fs.copyFileSync(path.join(out, "plan/report.html"), file);
  browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, offline: true });
  page = await context.newPage();
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  await page.goto(pathToFileURL(file).href);
});

after(() => browser?.close());

/** Whether a picture was read, and its size. */
const images = () =>
  page.evaluate(async () => {
    await Promise.all([...document.images].map((image) => image.decode()));
    return [...document.images].map((image) => [image.naturalWidth, image.naturalHeight]);
  });

test("it is small, and tells verdict, pairs, plots, map and pictures", async () => {
  assert.ok(fs.statSync(file).size < 5_000_000, `${fs.statSync(file).size} bytes`);
  assert.match(await page.textContent(".verdict.good"), /^a closed path, proven free: 280 points, 280 motions$/);
  const headings = await page.locator("h2").allTextContents();
  for (const wanted of ["Path", "Map", "Pairs and clearances", "The least gap over the motion", "Joints between their limits", "Path map", "Pictures"])
    assert.ok(headings.includes(wanted), `${wanted} in ${headings}`);
  const rows = await page.locator(".pairs tr").allTextContents();
  assert.equal(rows.length, 13);
  // Each between what is proven and what was measured; the nearest first.
  const told = await page.locator(".pairs td:nth-child(2)").allTextContents();
  const gaps = told.map((text) => /^([0-9.]+) to ([0-9.]+) mm$/.exec(text).slice(1).map(Number));
  assert.ok(
    gaps.every(([low, high], k) => low > 0 && low < high && (k === 0 || high >= gaps[k - 1][1])),
    `${told}`,
  );
  assert.ok(gaps[0][0] > 1.5 && gaps[0][1] < 3.2, `${told[0]}`);
  const [map, ...others] = await images();
  assert.ok(map[0] > 700 && map[1] > 700);
  assert.deepEqual(others, [
    [840, 520],
    [840, 520],
    [840, 520],
  ]);
  assert.equal(await page.locator("svg polyline").count(), 7);
});

test("its view shows the cell, and plays the motion", async () => {
  const first = await until(page, (s) => s.ready && s.sharp);
  assert.equal(first.bodies, 11);
  assert.ok(first.triangles > 10_000 && !first.playing && first.t === 0);
  await page.click("#play");
  const later = await until(page, (s) => s.t > 0.1);
  assert.notDeepEqual(later.posture, first.posture);
  await page.click("#play");
  assert.equal((await until(page, (s) => !s.playing)).playing, false);
  await page.evaluate(() => {
    const slider = document.querySelector("#time");
    slider.value = "0.53";
    slider.dispatchEvent(new Event("input"));
  });
  assert.equal((await state(page)).t, 0.53);
  assert.match(await page.textContent("#bar .told"), /^53\.0 %, gap at 53\.0 %: [0-9.]+.mm$/);
  await page.selectOption("#views", "left");
  await until(page, (s) => s.sharp);
  fs.mkdirSync(pictures, { recursive: true });
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(pictures, "report.png") });
  await page.screenshot({ path: path.join(pictures, "report-whole.png"), fullPage: true });
});

test("the posture of the view is the one that was planned", async () => {
  const motion = fs.readFileSync(path.join(out, "plan/motion.csv"), "utf8").trim().split("\n");
  const wanted = motion[1 + 140].split(",").map(Number);
  await page.evaluate(() => {
    const slider = document.querySelector("#time");
    slider.value = "0.5";
    slider.dispatchEvent(new Event("input"));
  });
  const { posture } = await state(page);
  assert.equal(posture.length, wanted.length);
  posture.forEach((value, joint) => assert.ok(Math.abs(value - wanted[joint]) < 1e-5, `${value} instead of ${wanted[joint]}`));
});

test("it asks nobody, and nothing goes wrong", () => {
  assert.deepEqual(
    asked.filter((url) => !url.startsWith("data:")),
    [pathToFileURL(file).href],
  );
  assert.deepEqual(wrong, []);
});

test("where there is no path, the report says why", async () => {
  // With few points and rotations: it is as blocked, and planned soon.
  const blocked = demo("--every", "40", "8");
  const job = path.join(blocked, "job.toml");
  fs.writeFileSync(job, `clearance = 0.05\n${fs.readFileSync(job, "utf8")}`);
  const run = kansho("plan", job, "--no-certificate", "--out", path.join(blocked, "plan"));
  assert.equal(run.status, 1, run.stderr);
  await page.goto(pathToFileURL(path.join(blocked, "plan/report.html")).href);
  await until(page, (s) => s.ready);
  assert.match(await page.textContent(".verdict.bad"), /^no path: /);
  assert.match(await page.textContent("#bar"), /at zero/);
});
