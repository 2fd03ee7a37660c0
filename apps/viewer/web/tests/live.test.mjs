// A cell that is watched while it moves: `kansho watch --view`.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { demo, launch, monitor, open, picture, until } from "./harness.mjs";

let [out, browser, watched, page, wrong, link, home] = [];

before(async () => {
  out = demo();
  home = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n")[1].split(",").map(Number);
  watched = await monitor("--every", path.join(out, "cell.toml"));
  link = watched.link;
  browser = await launch();
  ({ page, wrong } = await open(browser, link));
});

after(async () => {
  await browser?.close();
  watched?.child.kill();
});

const chip = () => page.evaluate(() => [document.getElementById("verdict").dataset.verdict, document.getElementById("verdict").textContent]);

/** Waits until the chip says something, which it may not for long. */
async function said(text) {
  const deadline = Date.now() + 60_000;
  while ((await chip())[1] !== text) assert.ok(Date.now() < deadline, `never ${text}; it is ${await chip()}`);
}

/** Home, swinging, and in the end into the sheet. */
const dive = [0, 20, 10, 0, 60, 180].map((degrees) => (degrees * Math.PI) / 180);
function posture(k) {
  const part = k < 800 ? 0 : ((k - 800) / 200) ** 2;
  return home.map((value, joint) => value + (joint === 0 ? 0.3 * Math.sin(k / 60) : 0) * (1 - part) + part * (dive[joint] - value));
}

test("it waits for the first posture", async () => {
  const now = await until(page, (s) => s.live !== null);
  assert.deepEqual([now.live.count, now.live.gap], [0, null]);
  assert.equal(await page.textContent("#verdict"), "waiting for the robot…");
});

test("a stream of 1,000 postures is followed to its last one, and all are answered", async () => {
  const seen = new Set();
  let isDone = false;
  const watch = (async () => {
    while (!isDone) {
      const { live } = await page.evaluate(() => window.kansho.state());
      seen.add(live.count);
      await new Promise((later) => setTimeout(later, 25));
    }
  })();
  for (let k = 0; k < 1000; k++) {
    watched.send(posture(k), k * 0.01);
    await new Promise((later) => setTimeout(later, 4));
    if (k === 500) await picture(page, "live");
  }
  const now = await until(page, (s) => s.live.line === 1000);
  isDone = true;
  await watch;
  await until(page, () => watched.said.answers.trim().split("\n").length === 1000);
  const rows = watched.said.answers
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = rows.at(-1);
  assert.ok(rows.every((row) => row.gap !== null && row.dropped === undefined));
  assert.ok(seen.size > 15, `${seen.size} different moments were seen`);
  assert.deepEqual(now.posture, posture(999));
  assert.equal(now.live.gap, last.gap);
  assert.equal(last.hit, true);
  assert.equal(now.live.hits, rows.filter((row) => row.hit).length);
  assert.equal(now.live.timeToContact, last.time_to_contact);
  assert.equal(await page.textContent("#live-gap"), "touches");
  assert.match(await page.textContent("#live-pair"), /\|/);
  assert.match(await page.textContent("#live-status"), /posture 1,000, \d+ touched/);
  assert.equal(await page.textContent("#verdict"), "touches now");
  await picture(page, "live-touches");
});

test("a free posture shows its gap and the time that is proven", async () => {
  watched.send(home, 20);
  const now = await until(page, (s) => s.live.line === 1001);
  assert.ok(now.live.gap > 0.01 && now.live.timeToContact > 0, JSON.stringify(now.live));
  assert.match(await page.textContent("#live-gap"), /mm$/);
  assert.match(await page.textContent("#live-time"), /s$/);
});

test("what was moved by hand is not live, and what came long ago is not now", async () => {
  // The stream has stopped, but nobody has ended.
  const quiet = await until(page, (s) => s.live.quiet);
  assert.equal(quiet.live.ended, false);
  assert.deepEqual(await chip(), ["undecided", "no new posture: at the last one nothing touched"]);
  assert.equal(await page.textContent("#live-time"), "—");
  watched.send(home, 21);
  await said("live: free now");
  assert.equal((await until(page, (s) => s.live.line === 1002)).live.gap > 0, true);
  // A slider takes the robot elsewhere, into the sheet.
  await page.fill("#joint-1-number", "90");
  await page.locator("#joint-1-number").press("Enter");
  await until(page, (s) => s.fresh && s.seen.pairs[0].gap === 0);
  assert.deepEqual(await chip(), ["touches", "not the live posture: touches in this posture"]);
  await picture(page, "live-moved");
  watched.send(home, 22);
  await said("live: free now");
  const back = await until(page, (s) => s.live.line === 1003);
  assert.deepEqual(back.posture, back.live.posture);
});

test("pages that go away, or take nothing, do no harm", async () => {
  const second = await open(browser, link);
  await until(second.page, (s) => s.live.line === 1003);
  await second.close();
  // Asks, and never takes the answers.
  const { connect } = await import("node:net");
  const { host, port } = new URL(link);
  const deaf = Array.from({ length: 20 }, () => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.pause();
    socket.write(`GET /api/1/live/0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(40));
    return socket;
  });
  watched.said.answers = "";
  for (let k = 0; k < 200; k++) watched.send(posture(k), 30 + k * 0.01);
  await until(page, () => watched.said.answers.trim().split("\n").length === 200);
  await until(page, (s) => s.live.line === 1203);
  for (const socket of deaf) socket.destroy();
});

test("what comes from elsewhere is not answered", async () => {
  const asked = await fetch(`${link}api/1/live/0`, { headers: { origin: "http://evil.example" } });
  assert.equal(asked.status, 403);
  assert.equal((await fetch(`${link}api/1/live/x`)).status, 404);
  assert.equal((await fetch(`${link}api/7/live/0`)).status, 409);
});

test("when the stream ends, the monitor ends as always, and the page says so", async () => {
  const ended = new Promise((resolve) => watched.child.on("exit", resolve));
  watched.child.stdin.end();
  assert.equal(await ended, 1, watched.said.told);
  assert.match(watched.said.told, /1203 postures/);
  const now = await until(page, (s) => s.live.ended);
  assert.equal(now.live.line, 1203);
  // What was so at the last posture is not so now, and nothing is known of the time to come.
  assert.match(await page.textContent("#verdict"), /^ended: at the last posture /);
  assert.equal(await page.getAttribute("#verdict", "data-verdict"), "undecided");
  assert.deepEqual([await page.textContent("#live-time"), await page.textContent("#live-estimate")], ["—", "—"]);
  assert.match(await page.textContent("#live-status"), /has ended/);
  // That nobody answers any more is told by the browser, too.
  assert.deepEqual(
    wrong.filter((text) => !/ERR_(CONNECTION_(REFUSED|RESET)|EMPTY_RESPONSE)/.test(text)),
    [],
  );
});
