// The demo as people see it: load, play, scrub to the collision, look at the models, use keys.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { count, demo, kansho, launch, open, picture, state, until, view } from "./harness.mjs";

let [browser, viewer, files, page, wrong] = [];

before(async () => {
  files = demo();
  viewer = await view(files);
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
  fs.rmSync(path.dirname(files), { recursive: true, force: true });
});

test("the demo is there: bodies, motions, and a verdict of each", async () => {
  const now = await until(page, (s) => s.proof && s.fresh);
  assert.deepEqual(now.motions, ["motion_aside", "motion_shortcut"]);
  assert.ok(now.bodies.includes("arm/tool") && now.bodies.includes("sheet"), now.bodies);
  assert.equal(now.proof.verdict, "free");
  assert.ok(now.proof.clearance > 0.01);
  assert.match(await page.textContent("#verdict"), /^proven free, least gap [0-9.]+ to [0-9.]+ mm$/);
  assert.ok(now.drawn > 10_000, `${now.drawn} triangles are drawn`);
  await picture(page, "demo-dark");
  await page.selectOption("#motion", { label: "motion_shortcut (2 pieces)" });
  const then = await until(page, (s) => s.proof && s.motion === 1 && s.fresh);
  assert.equal(then.proof.verdict, "touches");
  assert.equal(then.proof.marks.length, 1);
  assert.match(await page.textContent("#verdict"), /touches, first at 4\d\.\d %/);
});

test("forward kinematics on the page is that of the prover", async () => {
  for (const t of [0, 0.2, 0.37, 0.5, 0.81, 1]) {
    await page.fill("#time", String(t));
    const now = await until(page, (s) => s.fresh);
    assert.ok(Math.abs(now.t - t) < 1e-9);
    now.seen.tips[0].forEach((value, k) => assert.ok(Math.abs(value - now.tips[0][k]) < 1e-12, `${value} ${now.tips[0][k]}`));
  }
});

test("it plays, pauses, and has a speed", async () => {
  await page.fill("#time", "0");
  await page.selectOption("#speed", "4");
  await page.click("#play");
  await until(page, (s) => s.playing && s.t > 0.05);
  await page.click("#play");
  const paused = await until(page, (s) => !s.playing);
  await page.waitForTimeout(200);
  assert.equal((await state(page)).t, paused.t);
  await page.selectOption("#speed", "1");
  // Without the loop it ends at the end.
  await page.uncheck("#loop");
  await page.fill("#time", "0.97");
  await page.click("#play");
  const ended = await until(page, (s) => !s.playing);
  assert.equal(ended.t, 1);
  await page.check("#loop");
});

test("scrubbed to the collision, it is marked: links, triangles, points, time", async () => {
  await page.fill("#time", "0.2");
  const free = await until(page, (s) => s.fresh);
  assert.equal(free.seen.hits.length, 0);
  assert.equal(free.coloured, 0);
  assert.ok(free.seen.pairs[0].gap > 0);
  const before = await picture(page, "demo-free");
  await page.fill("#time", "0.5");
  const now = await until(page, (s) => s.fresh && s.seen.hits.length > 0);
  const names = now.seen.hits[0].bodies.map((body) => now.bodies[body]);
  assert.deepEqual(names, ["arm/tool", "sheet"]);
  assert.ok(now.coloured > 2, `${now.coloured} triangles`);
  assert.equal(await page.locator(".mark[aria-current=true]").count(), 1);
  assert.match(await page.textContent("#pairs-summary"), /touch/);
  assert.equal(await page.locator(".pair[data-touches=true]").first().getAttribute("aria-label"), "arm/tool | sheet: touches");
  assert.equal(await page.textContent("#gap-label"), "touches");
  const shot = await picture(page, "demo-collision");
  const { fitting: calm } = await count(page, before, "red");
  const { fitting: red } = await count(page, shot, "red");
  const { fitting: yellow } = await count(page, shot, "yellow");
  assert.ok(calm < 200 && red > 5000, `${calm} red points without a collision, ${red} with`);
  assert.ok(yellow > 20, `${yellow} points of triangles`);
});

test("marks lead to the collision, by mouse and by key", async () => {
  await page.fill("#time", "0");
  await page.click(".mark[data-kind=contact]");
  const now = await until(page, (s) => s.fresh && s.seen.hits.length > 0);
  assert.equal(now.t, now.proof.marks[0].jump);
  await page.locator("body").press("Home");
  await until(page, (s) => s.t === 0);
  await page.locator("body").press("]");
  assert.equal((await until(page, (s) => s.t > 0)).t, now.t);
  // Keys of the slider go on from there, not from where it was touched last.
  await page.fill("#time", "0.1");
  await page.keyboard.press("]");
  assert.equal((await state(page)).t, now.t);
  await page.keyboard.press("ArrowRight");
  const next = await until(page, (s) => s.t !== now.t);
  assert.ok(next.t > now.t && next.t < now.t + 0.02, `${next.t} after ${now.t}`);
  // And the plot is a place to scrub.
  const plot = await page.locator(".plot").boundingBox();
  await page.mouse.click(plot.x + 0.25 * plot.width, plot.y + 20);
  assert.ok(Math.abs((await state(page)).t - 0.25) < 0.005);
});

test("joints can be moved, and the answer follows", async () => {
  await page.locator("body").press("Home");
  await page.fill("#joint-0-number", "30");
  await page.locator("#joint-0-number").press("Enter");
  const now = await until(page, (s) => s.fresh && Math.abs(s.posture[0] - Math.PI / 6) < 1e-12);
  assert.ok(now.seen.pairs.length > 5);
  await page.focus("#joint-1");
  await page.keyboard.press("ArrowRight");
  await until(page, (s) => s.fresh);
  assert.notEqual((await state(page)).posture[1], now.posture[1]);
  // Outside its limits a joint is marked.
  await page.fill("#joint-1-number", "3000");
  await page.locator("#joint-1-number").press("Enter");
  await until(page, (s) => s.fresh && s.seen.outside.includes(1));
  assert.equal(await page.locator(".joint").nth(1).getAttribute("data-outside"), "true");
  await page.fill("#time", "0.1");
});

test("models are shown: spheres by rank, boxes, merged faces", async () => {
  await page.fill("#time", "0");
  await until(page, (s) => s.fresh);
  const plain = await picture(page, "models-meshes");
  await page.check("#show-spheres");
  const spheres = await until(page, (s) => s.ranks > 1 && s.spheres > 50);
  await page.uncheck("#show-meshes");
  const shown = await picture(page, "models-spheres");
  assert.ok((await count(page, shown, "red", plain)).different > 3000);
  await page.focus("#show-rank");
  await page.keyboard.press("End");
  const fine = await until(page, (s) => s.show.rank === s.ranks - 1);
  assert.ok(fine.spheres > spheres.spheres, `${fine.spheres} and ${spheres.spheres}`);
  const finest = await picture(page, "models-spheres-fine");
  assert.ok((await count(page, finest, "red", shown)).different > 1000);
  await page.keyboard.press("Home");
  await until(page, (s) => s.show.rank === 0 && s.spheres < 100);
  await page.uncheck("#show-spheres");
  await page.check("#show-boxes");
  await until(page, (s) => s.levels > 1);
  await page.check("#show-meshes");
  const boxes = await picture(page, "models-boxes");
  assert.ok((await count(page, boxes, "red", plain)).different > 500);
  await page.uncheck("#show-boxes");
  await page.check("#show-faces");
  const faces = await until(page, (s) => s.faces > 100);
  const merged = await picture(page, "models-faces");
  assert.ok((await count(page, merged, "red", plain)).different > 5000, `${faces.faces} faces`);
  await page.uncheck("#show-faces");
  const again = await picture(page, "models-meshes");
  assert.ok((await count(page, again, "red", plain)).different < 50, "all is as before");
});

test("standard views, fit, orbit and zoom", async () => {
  await page.click("#views button[data-view=top]");
  const top = await until(page, (s) => s.view === "top");
  assert.ok(top.camera[2] - top.target[2] > 1 && Math.abs(top.camera[0] - top.target[0]) < 0.01);
  await picture(page, "view-top");
  await page.locator("body").press("2");
  const front = await until(page, (s) => s.view === "front");
  assert.ok(front.camera[1] < front.target[1] && Math.abs(front.camera[2] - front.target[2]) < 0.01);
  const box = await page.locator("#stage").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 380, box.y + 330, { steps: 4 });
  await page.mouse.up();
  const turned = await state(page);
  assert.equal(turned.view, null);
  assert.notDeepEqual(turned.camera, front.camera);
  const distance = (s) => Math.hypot(...s.camera.map((value, k) => value - s.target[k]));
  await page.mouse.wheel(0, -400);
  await until(page, (s) => Math.abs(distance(s) - distance(turned)) > 0.05);
  await page.locator("body").press("1");
  await until(page, (s) => s.view === "iso");
});

test("keys do everything, and everything has a name", async () => {
  await page.focus("#stage");
  const was = await state(page);
  await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual((await state(page)).camera, was.camera);
  const turned = await state(page);
  await page.keyboard.press("Shift+ArrowUp");
  assert.notDeepEqual((await state(page)).target, turned.target);
  await page.keyboard.press("1");
  await page.keyboard.press("Space");
  await until(page, (s) => s.playing);
  await page.keyboard.press("Space");
  await until(page, (s) => !s.playing);
  await page.keyboard.press("s");
  await until(page, (s) => s.show.spheres && s.ranks > 0);
  await page.keyboard.press("s");
  await page.keyboard.press("t");
  await until(page, (s) => s.theme === "light");
  await picture(page, "demo-light");
  await page.keyboard.press("t");
  await until(page, (s) => s.theme === "dark");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await picture(page, "keys");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#keys").isVisible()));
  // Tab leads through all of it, and each stop can be told apart by those who cannot see it.
  const nameless = await page.evaluate(() => {
    const name = (e) => e.getAttribute("aria-label") || e.textContent.trim() || [...(e.labels ?? [])].map((l) => l.textContent).join("") || e.title;
    return [...document.querySelectorAll("button, input, select, summary, canvas[tabindex]")].filter((e) => !name(e)).map((e) => e.outerHTML);
  });
  assert.deepEqual(nameless, []);
  const reached = new Set();
  await page.focus("#reload");
  for (let k = 0; k < 80; k++) {
    reached.add(await page.evaluate(() => document.activeElement?.id ?? ""));
    await page.keyboard.press("Tab");
  }
  for (const id of ["reload", "theme", "joint-0", "stage", "show-spheres", "play", "motion", "speed", "time"])
    assert.ok(reached.has(id), `${id} of ${[...reached]}`);
});

test("a fault in a file is told as on the command line, and what is shown stays", async () => {
  const cell = path.join(files, "cell.toml");
  const good = fs.readFileSync(cell, "utf8");
  fs.writeFileSync(cell, good.replace("name = ", "nme = "));
  const told = kansho("pairs", cell);
  assert.equal(told.status, 3);
  const before = wrong.length;
  await page.click("#reload");
  await page.waitForSelector("#message-text");
  assert.equal(await page.textContent("#message-text"), told.stderr);
  await picture(page, "fault");
  assert.ok((await state(page)).bodies.includes("sheet"));
  // The browser itself remarks that an answer was a refusal.
  assert.ok(wrong.splice(before).every((text) => text.includes("422")));
  fs.writeFileSync(cell, good);
  await page.click("#reload");
  await until(page, (s) => s.error === null && s.ready && s.proof);
  assert.ok(!(await page.locator("#message").isVisible()));
});

test("nothing went wrong on the page, and it asked nobody else", () => {
  assert.deepEqual(wrong, []);
});
