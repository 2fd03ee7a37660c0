// The path map: what its cells hold, where the robot is on it, and a path that is dragged.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { count, kansho, launch, open, picture, planned, state, until, view } from "./harness.mjs";

let [out, browser, viewer, page, wrong, cells] = [];

before(async () => {
  out = await planned();
  viewer = await view(path.join(out, "plan"));
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
  const rows = fs
    .readFileSync(path.join(out, "plan/map.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(","));
  cells = new Map(rows.map(([point, rotation, state, , pair]) => [`${point},${rotation}`, { state, pair }]));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
});

/** The middle of a cell on the page. */
async function middle(point, degrees) {
  const box = await page.locator("#map").boundingBox();
  const { map } = await state(page);
  const [left, right, top, bottom] = [40, 8, 6, 18];
  const x = box.x + left + ((point + 0.5) / map.points) * (box.width - left - right);
  const y = box.y + top + (1 - (degrees / 2 + 0.5) / map.rotations) * (box.height - top - bottom);
  return [x, y];
}

const rotations = () =>
  fs
    .readFileSync(path.join(out, "plan/path.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => Number(row.split(",")[3]));

/** Takes the path at a point and pulls it by some degrees, and does something before it is let go. */
async function drag(point, degrees, from = rotations()[point], held = async () => undefined) {
  await page.mouse.move(...(await middle(point, from)));
  await page.mouse.down();
  const end = await middle(point, from + degrees);
  await page.mouse.move(...(await middle(point, from + degrees / 2)), { steps: 3 });
  await page.mouse.move(...end, { steps: 3 });
  const told = await held();
  await page.mouse.up();
  return told;
}

test("the folder of a plan is shown with its job: all motions are proven", async () => {
  const now = await until(page, (s) => s.map?.path?.waiting === 0 && s.map.path.isNewest);
  assert.equal(now.map.points, 280);
  assert.equal(now.map.rotations, 180);
  assert.equal(now.map.path.verdict, "free");
  assert.equal(now.map.path.proven, 280);
  assert.deepEqual(now.map.path.marks, []);
  assert.match(await page.textContent("#map-proven"), /^planned path: proven free: all 280 motions/);
  const legend = await page.textContent(".legend");
  assert.match(legend, /free [0-9.]+ %/);
  assert.match(legend, /collides: arm\/link_4\|fixture/);
  await picture(page, "map");
});

test("cells say what the map says, and the scene shows their posture and what it hits", async () => {
  const kinds = new Set();
  let n = 0;
  // Where joints are near their limits numbers of two programs may differ in the last digit: no such cell is looked at twice.
  for (const [point, degrees] of [
    [140, 40],
    [155, 150],
    [20, 100],
    [8, 320],
    [100, 180],
    [200, 320],
    [279, 66],
    [60, 84],
    [250, 200],
    [0, 0],
    [165, 20],
  ]) {
    await page.mouse.move(...(await middle(point, degrees)));
    const now = await until(page, (s) => s.map.cell?.point === point && s.map.cell.ms !== null);
    const wanted = cells.get(`${point},${degrees}`);
    assert.equal(now.map.cell.rotation, degrees / 2);
    assert.equal(now.map.cell.state, wanted.state);
    assert.equal(now.map.cell.now, wanted.state, `${point}, ${degrees}`);
    kinds.add(wanted.state);
    n += 1;
    if (wanted.state === "free" || wanted.state === "collides") {
      assert.deepEqual(now.posture, now.map.cell.posture);
      assert.equal(now.off, true);
      const hits = now.seen.pairs.filter((pair) => pair.gap === 0);
      assert.equal(hits.length > 0, wanted.state === "collides");
    } else assert.ok(now.map.cell.why, JSON.stringify(now.map.cell));
    assert.match(await page.textContent("#map-told"), new RegExp(`^point ${point}, ${degrees}°: ${wanted.state.replaceAll("_", " ")}`));
  }
  assert.equal(n, 11);
  assert.deepEqual([...kinds].sort(), ["collides", "free", "limit", "out_of_reach"]);
});

test("the posture of a cell is one that the command line finds to be as the map says", async () => {
  const found = [];
  for (const [point, degrees] of [
    [20, 100],
    [155, 150],
    [100, 180],
    [250, 200],
  ]) {
    await page.mouse.move(...(await middle(point, degrees)));
    const now = await until(page, (s) => s.map.cell?.point === point && s.map.cell.ms !== null);
    found.push([now.map.cell.posture, now.map.cell.now]);
  }
  const header = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n")[0];
  const file = path.join(out, "cells.csv");
  fs.writeFileSync(file, `${header}\n${found.map(([posture]) => posture.join(",")).join("\n")}\n`);
  const run = kansho("postures", path.join(out, "cell.toml"), "--postures", file);
  const hits = run.stdout
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.split(",")[0] === "1");
  assert.deepEqual(
    hits,
    found.map(([, now]) => now === "collides"),
  );
});

test("a click keeps a cell when the mouse has gone, and Escape gives it up", async () => {
  const [x, y] = await middle(155, 150);
  await page.mouse.click(x, y);
  await until(page, (s) => s.map.pinned && s.map.cell?.ms !== null && s.seen?.pairs[0]?.gap === 0);
  await page.mouse.move(600, 200);
  const kept = await state(page);
  assert.deepEqual([kept.map.pinned, kept.map.cell.point, kept.map.cell.rotation, kept.map.cell.now], [true, 155, 75, "collides"]);
  const shot = await picture(page, "map-cell");
  assert.ok((await count(page, shot, "red")).fitting > 200, "what touches is red");
  await page.focus("#map");
  await page.keyboard.press("ArrowRight");
  await until(page, (s) => s.map.cell.point === 156);
  await page.keyboard.press("Shift+ArrowUp");
  await until(page, (s) => s.map.cell.rotation === 85 && s.map.cell.ms !== null);
  await page.keyboard.press("Escape");
  const gone = await until(page, (s) => s.map.cell === null);
  assert.equal(gone.off, false);
});

test("while the path plays, the robot is on it", async () => {
  await page.locator("body").press(" ");
  const early = await until(page, (s) => s.playing && s.map.now !== null && s.map.now.point > 3);
  const late = await until(page, (s) => s.map.now !== null && s.map.now.point > early.map.now.point + 10);
  await page.locator("body").press(" ");
  assert.ok(Math.abs(late.map.now.point / 280 - late.t) < 0.02, `${late.map.now.point} at ${late.t}`);
  assert.ok(Math.abs(2 * late.map.now.rotation - rotations()[late.map.now.point]) < 1e-6);
});

test("a path that is dragged a little is proven anew, only where it has changed", async () => {
  const before = await state(page);
  const held = await drag(230, 16, undefined, () => until(page, (s) => s.map.held === 230 && s.map.path.changed > 0));
  assert.ok(held.map.path.asked < 100);
  const now = await until(page, (s) => s.map.held === -1 && s.map.path.isNewest && s.map.path.waiting === 0 && s.motions.includes("dragged path"));
  assert.equal(now.map.path.verdict, "free", JSON.stringify(now.map.path));
  assert.equal(now.map.path.proven, 280);
  assert.ok(now.map.path.changed >= 20 && now.map.path.changed < 40, `${now.map.path.changed}`);
  assert.ok(now.map.path.asked <= now.map.path.changed + 1, `${now.map.path.asked}`);
  assert.equal(now.motion, now.motions.indexOf("dragged path"));
  assert.equal(now.proof.verdict, "free");
  assert.equal(await page.textContent("#verdict"), "proven free");
  assert.notDeepEqual(now.posture, before.posture);
  await picture(page, "map-dragged");
});

test("dragged into what collides, it says so and shows where; put back, it is free again", async () => {
  await page.click("#map-reset");
  await until(page, (s) => s.map.path.changed === 0 && s.map.path.verdict === "free" && !s.motions.includes("dragged path"));
  await drag(150, -30);
  const now = await until(page, (s) => s.map.held === -1 && s.map.path.isNewest && s.map.path.waiting === 0 && s.map.path.changed > 0);
  assert.equal(now.map.path.verdict, "touches", JSON.stringify(now.map.path));
  assert.ok(now.map.path.broken > 0 && now.map.path.proven + now.map.path.broken === 280);
  const marks = now.map.path.marks.filter((mark) => mark.kind === "touches");
  assert.ok(marks.length > 0 && marks.every((mark) => mark.point >= 136 && mark.point <= 164 && mark.pair.includes("|")), JSON.stringify(marks));
  const shown = await until(page, (s) => s.proof?.verdict === "touches" && s.fresh && s.seen.pairs[0].gap < 1e-5);
  assert.equal(shown.motion, shown.motions.indexOf("dragged path"));
  assert.match(await page.textContent("#map-proven"), /^dragged path: touches at point \d+: arm\/\S+ \| /);
  await picture(page, "map-collides");
  await page.click("#map-reset");
  await until(page, (s) => s.map.path.changed === 0 && s.map.path.verdict === "free" && s.motion === 0);
});

test("dragged beyond what the robot reaches, it says so", async () => {
  await page.evaluate(() => Object.assign(document.querySelector("#map-reach"), { value: "6" }));
  await drag(165, 20 - rotations()[165]);
  const now = await until(page, (s) => s.map.held === -1 && s.map.path.isNewest && s.map.path.waiting === 0 && s.map.path.changed > 0);
  assert.ok(["unreached", "touches"].includes(now.map.path.verdict), JSON.stringify(now.map.path));
  assert.ok(
    now.map.path.marks.some((mark) => mark.kind === "unreached" && mark.why),
    JSON.stringify(now.map.path.marks),
  );
  assert.notEqual(now.proof?.verdict, "free");
  assert.ok((await page.locator(".mark[data-kind=open]").first().textContent()) === "not reached");
  await picture(page, "map-unreached");
  await page.click("#map-reset");
  await until(page, (s) => s.map.path.changed === 0 && s.map.path.verdict === "free");
});

test("a job with its plan beside it, and one without", async () => {
  const other = await view(path.join(out, "job.toml"));
  const second = await open(browser, other.link);
  assert.equal((await state(second.page)).map.points, 280);
  await second.close();
  other.stop();
  fs.renameSync(path.join(out, "plan"), path.join(out, "gone"));
  const run = kansho("view", "--no-open", path.join(out, "job.toml"));
  assert.equal(run.status, 3);
  assert.match(run.stderr, /this job has no plan beside it.*\n(.*\n)*.*kansho plan/);
  fs.renameSync(path.join(out, "gone"), path.join(out, "plan"));
  // The plan of another job is refused.
  const job = path.join(out, "job.toml");
  const text = fs.readFileSync(job, "utf8");
  fs.writeFileSync(job, text.replace("step = 2", "step = 4"));
  const refused = kansho("view", "--no-open", job);
  fs.writeFileSync(job, text);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /the map has 280 points in 180 stances, the job 280 in 90: plan it again/);
});

test("nothing went wrong on the page", () => {
  assert.deepEqual(wrong, []);
});
