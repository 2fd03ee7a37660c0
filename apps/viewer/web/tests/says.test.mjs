// What the page says is so: of the motion, the side, the cell, the path and the time that it says it of.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { count, launch, open, picture, planned, state, until, view } from "./harness.mjs";

let [out, browser, viewer, page, wrong, cells] = [];

before(async () => {
  out = await planned();
  // Deep into what stands there: one pair touches first, and then others.
  const header = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n")[0];
  const home = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n")[1];
  const deep = [0, 60, 40, 0, 60, 180].map((degrees) => (degrees * Math.PI) / 180);
  fs.writeFileSync(path.join(out, "motion_deep.csv"), `${header}\n${home}\n${deep.join(",")}\n`);
  viewer = await view(out);
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
  const rows = fs
    .readFileSync(path.join(out, "plan/map.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(","));
  cells = rows.map(([point, rotation, state]) => ({ point: Number(point), rotation: Number(rotation), state }));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
});

const chip = () => page.evaluate(() => [document.getElementById("verdict").dataset.verdict, document.getElementById("verdict").textContent]);

async function choose(name) {
  const index = (await state(page)).motions.indexOf(name);
  assert.ok(index >= 0, name);
  await page.selectOption("#motion", String(index));
  return until(page, (s) => s.motions[s.motion] === name && s.proof !== null && s.fresh);
}

async function jump(t) {
  await page.fill("#time", String(t));
  return until(page, (s) => Math.abs(s.t - t) < 1e-9 && s.fresh);
}

/** The middle of a cell of the map on the page. */
async function middle(point, degrees) {
  const box = await page.locator("#map").boundingBox();
  const { map } = await state(page);
  return [box.x + 40 + ((point + 0.5) / map.points) * (box.width - 48), box.y + 6 + (1 - (degrees / 2 + 0.5) / map.rotations) * (box.height - 24)];
}

const rotations = () =>
  fs
    .readFileSync(path.join(out, "plan/path.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => Number(row.split(",")[3]));

async function pull(point, degrees) {
  const from = rotations()[point];
  await page.mouse.move(...(await middle(point, from)));
  await page.mouse.down();
  await page.mouse.move(...(await middle(point, from + degrees / 2)), { steps: 3 });
  await page.mouse.move(...(await middle(point, from + degrees)), { steps: 3 });
}

test("the least gap of a motion is one enclosure: in the chip, at the mark and in the report", async () => {
  const now = await until(page, (s) => s.proof?.verdict === "free" && s.fresh);
  assert.equal(now.motions[now.motion], "plan/motion");
  const [, told] = await chip();
  const [, between, low, high] = /^proven free, least gap (([0-9.]+) to ([0-9.]+) mm)$/.exec(told);
  assert.ok(Number(low) < Number(high) && Number(low) > 0.98 * Number(high), told);
  // It holds what was measured, there and everywhere.
  assert.ok(1e3 * now.proof.clearance >= Number(low) && 1e3 * now.proof.nearest.gap <= Number(high));
  const mark = page.locator(".mark[data-kind=nearest]");
  assert.equal(await mark.textContent(), `least gap ${between}`);
  assert.match(
    await mark.getAttribute("aria-label"),
    new RegExp(`^Least gap of the motion: ${between} \\(proven at every instant, and measured at [0-9.]+ %\\), `),
  );
  // What is told of the posture says that it is of the posture, and at the mark it is what was measured.
  await mark.click();
  const there = await until(page, (s) => s.fresh && Math.abs(s.t - s.proof.nearest.t) < 1e-12);
  assert.ok(Math.abs(there.seen.pairs[0].gap - there.proof.nearest.gap) < 1e-9);
  assert.match(await page.textContent("#gap-here"), /^here: [0-9.]+.mm · /);
  assert.match(await page.textContent("#pairs-summary"), /in this posture/);
  await picture(page, "says-gap");
  const context = await browser.newContext();
  const report = await context.newPage();
  await report.goto(pathToFileURL(path.join(out, "plan/report.html")).href);
  assert.match(await report.textContent(".least-gap"), new RegExp(`^Least gap of path: ${between}, `));
  assert.equal(await report.locator(".pairs td:nth-child(2)").first().textContent(), between);
  assert.match(await report.locator("figcaption").last().textContent(), new RegExp(`^Where path comes nearest: ${between} at `));
  const text = await report.evaluate(() => document.body.innerText);
  assert.ok(!/more than [0-9.e-]+ mm/.test(text), "no other bound is told");
  await context.close();
});

test("seconds are those of the job's speed, and there are none where nobody knows", async () => {
  await choose("plan/motion");
  await jump(0.5);
  const told = await page.textContent("#time-told");
  const [, half, all] = /^([0-9.]+) s of ([0-9.]+) s, at 100 mm\/s$/.exec(told);
  // The way of the tool along the edge, at 0.1 m/s.
  const motion = fs
    .readFileSync(path.join(out, "plan/motion.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(",").map(Number));
  const answer = await fetch(`${viewer.link}api/cell`).then((response) => response.json());
  const tips = [];
  for (const posture of motion.filter((_, k) => k % 4 === 0)) {
    const look = await fetch(`${viewer.link}api/${answer.edition}/look`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ posture }),
    });
    tips.push((await look.json()).tips[0]);
  }
  const length = tips.slice(1).reduce((sum, tip, k) => sum + Math.hypot(...tip.map((value, axis) => value - tips[k][axis])), 0);
  assert.ok(Math.abs(length / 0.1 - Number(all)) < 0.02 * Number(all), `${length} m in ${all} s`);
  assert.ok(Number(half) > 0.3 * Number(all) && Number(half) < 0.7 * Number(all));
  await choose("motion_aside");
  await jump(0.25);
  assert.equal(await page.textContent("#time-told"), "25.0\u00a0% · no time base");
});

test("a contact names all pairs that touch in its span", async () => {
  const now = await choose("motion_deep");
  assert.equal(now.proof.verdict, "touches");
  const mark = now.proof.marks.find((one) => one.pairs.length > 1);
  assert.ok(mark, JSON.stringify(now.proof.marks));
  const k = now.proof.marks.indexOf(mark);
  const title = await page.locator(".mark[data-kind=contact]").nth(k).getAttribute("aria-label");
  const name = ([a, b]) => `${now.bodies[a]} | ${now.bodies[b]}`;
  // Wherever one looks in the span, what touches there is named.
  for (const part of [0.02, 0.25, 0.5, 0.75, 1]) {
    const there = await jump(mark.jump + part * (mark.to - mark.jump));
    const touching = there.seen.pairs.filter((pair) => pair.gap === 0);
    assert.ok(touching.length > 0, `${part}`);
    for (const pair of touching)
      assert.ok(
        mark.pairs.some((one) => one.bodies.join() === pair.bodies.join()),
        `${name(pair.bodies)} at ${there.t}`,
      );
  }
  assert.ok(title.includes(name(mark.bodies)), title);
  const others = mark.pairs.filter((pair) => pair.bodies.join() !== mark.bodies.join());
  assert.ok(title.includes("; also ") && title.includes(name(others[0].bodies)), title);
  await picture(page, "says-contact");
});

test("side by side, each side is painted with its own contacts", async () => {
  const touching = await choose("motion_shortcut");
  const { jump: at } = touching.proof.marks[0];
  const free = touching.motions.indexOf("plan/motion");
  await page.selectOption("#beside", String(free));
  await jump(at + 1e-4);
  await until(page, (s) => s.beside === free && s.besideHits !== null && s.seen?.pairs[0]?.gap === 0 && s.sharp);
  const left = await picture(page, "says-beside-left");
  assert.ok((await count(page, left, "red", undefined, [0, 0.5])).fitting > 200, "the left side touches");
  assert.equal((await count(page, left, "red", undefined, [0.5, 1])).fitting, 0, "the right side does not");
  // The other way round.
  await choose("plan/motion");
  await page.selectOption("#beside", String(touching.motion));
  await jump(at + 1e-4);
  await until(page, (s) => s.beside === touching.motion && s.besideHits !== null && s.seen?.pairs[0]?.gap > 0 && s.sharp);
  const right = await picture(page, "says-beside-right");
  assert.equal((await count(page, right, "red", undefined, [0, 0.5])).fitting, 0, "the left side does not");
  assert.ok((await count(page, right, "red", undefined, [0.5, 1])).fitting > 200, "the right side touches");
  await page.selectOption("#beside", "-1");
  await until(page, (s) => s.beside === -1);
});

test("a cell of the map without a posture does not show that of the cell before", async () => {
  await choose("plan/motion");
  const motion = await jump(0.3);
  const [hit, none] = [cells.find((cell) => cell.state === "collides"), cells.find((cell) => cell.state === "out_of_reach")];
  await page.mouse.move(...(await middle(hit.point, hit.rotation)));
  await until(page, (s) => s.map.cell?.ms !== null && s.map.cell?.now === "collides" && s.seen?.pairs[0]?.gap === 0);
  await page.mouse.move(...(await middle(none.point, none.rotation)));
  await until(page, (s) => s.map.cell?.point === none.point && s.map.cell.now === "out_of_reach" && s.fresh);
  const now = await state(page);
  assert.deepEqual(now.posture, motion.posture, "the motion is shown again");
  assert.ok(now.seen.pairs[0].gap > 0 && !now.off);
  assert.equal((await chip())[0], "free");
  assert.match(await page.textContent("#map-told"), /out of reach.*; the robot is shown elsewhere, for there is no posture$/);
  await picture(page, "says-no-posture");
  await page.mouse.move(600, 200);
  await until(page, (s) => s.map.cell === null);
});

test("what is told beside the map is about its path, whatever is shown and before it is known", async () => {
  await until(page, (s) => s.map.path?.isNewest && s.map.path.waiting === 0);
  await choose("motion_shortcut");
  assert.equal((await chip())[0], "touches");
  assert.match(await page.textContent("#map-proven"), /^planned path: proven free: all 280 motions/);
  // The robot is not on the path now, so the map shows it nowhere on it.
  const { proof } = await state(page);
  await jump(proof.marks[0].jump);
  assert.equal((await state(page)).map.now, null);
  // A path that was moved is not proven until it is.
  let release = null;
  const gate = new Promise((go) => (release = go));
  await page.route("**/path", async (route) => {
    await gate;
    await route.continue();
  });
  await pull(230, 16);
  assert.match(await page.textContent("#map-proven"), /^dragged path: proving…$/);
  assert.notEqual(await page.getAttribute("#map-proven", "data-verdict"), "free");
  release();
  await page.mouse.up();
  await until(page, (s) => s.map.held === -1 && s.map.path.isNewest && s.map.path.waiting === 0 && s.motions.includes("dragged path"));
  assert.match(await page.textContent("#map-proven"), /^dragged path: proven free: all 280 motions/);
  await page.unroute("**/path");
});

test("a dragged path is not green where nothing was measured", async () => {
  await page.click("#map-reset:enabled", { timeout: 2000 }).catch(() => undefined);
  await until(page, (s) => s.map.path?.isNewest && s.map.path.waiting === 0 && s.map.path.changed === 0);
  await pull(230, 16);
  await page.mouse.up();
  await until(page, (s) => s.motions[s.motion] === "dragged path" && s.fresh && s.sharp);
  assert.deepEqual(await chip(), ["free", "proven free"]);
  const shown = await picture(page, "says-dragged");
  await page.locator("body").press("w");
  await until(page, (s) => !s.show.trace && s.sharp);
  const without = await picture(page, "says-dragged-without");
  await page.locator("body").press("w");
  const [green, blue] = [await count(page, shown, "green", without), await count(page, shown, "blue", without)];
  assert.ok(green.different > 100, `${green.different} points of the way of the tool`);
  assert.ok(green.changed < 0.05 * green.different, `${green.changed} of ${green.different} are green`);
  assert.ok(blue.changed > 0.4 * blue.different, `${blue.changed} of ${blue.different} are blue`);
  assert.match(await page.textContent("#time-told"), /no time base$/);
  await page.click("#map-reset");
  await until(page, (s) => s.map.path.changed === 0 && s.map.path.verdict === "free" && s.motion === 0);
});

test("nearer than the clearance is not called a contact", async () => {
  // An answer as the server gives it where bodies come nearer than the job wants, but do not touch.
  await page.route("**/path", async (route) => {
    const answer = await (await route.fetch()).json();
    const mark = {
      kind: "touches",
      point: 3,
      to: 4,
      part: 0.5,
      bodies: [0, 1],
      pair: "a|b",
      points: [
        [0, 0, 0],
        [0, 0, 0.0005],
      ],
      gap: 0.0005,
    };
    await route.fulfill({ json: { ...answer, verdict: "touches", waiting: 0, broken: 1, marks: [mark] } });
  });
  await pull(230, 6);
  await page.mouse.up();
  await until(page, (s) => s.motions.includes("dragged path") && s.proof?.marks.length === 1);
  assert.match(await page.textContent("#map-proven"), /^dragged path: nearer than the clearance at point 3: 0\.50.mm between a \| b$/);
  assert.match(await page.textContent("#verdict"), /^nearer than the clearance, first at /);
  assert.match(await page.locator(".mark[data-kind=contact]").getAttribute("aria-label"), /^Nearer than the clearance 1 of 1, /);
  await page.unroute("**/path");
  await page.click("#map-reset");
  await until(page, (s) => s.map.path.changed === 0 && s.map.path.verdict === "free" && s.motion === 0);
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
