// A cell that is watched while it moves: `kansho monitor --view`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { binary, demo, launch, open, picture, until } from "./harness.mjs";

let [out, browser, monitor, page, wrong, link, home] = [];
let [answers, told] = ["", ""];

before(async () => {
  out = demo();
  home = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n")[1].split(",").map(Number);
  monitor = spawn(binary, ["monitor", "--view", "--no-open", "--every", path.join(out, "cell.toml")], { stdio: ["pipe", "pipe", "pipe"] });
  monitor.stdout.on("data", (data) => (answers += data));
  link = await new Promise((resolve, reject) => {
    monitor.stderr.on("data", (data) => {
      told += data;
      const found = /shown at (http:\/\/\S+\/)/.exec(told);
      if (found) resolve(found[1]);
    });
    monitor.on("exit", (code) => reject(new Error(`it ended with ${code}: ${told}`)));
  });
  browser = await launch();
  ({ page, wrong } = await open(browser, link));
});

after(async () => {
  await browser?.close();
  monitor?.kill();
});

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
    monitor.stdin.write(`${JSON.stringify({ q: posture(k), t: k * 0.01 })}\n`);
    await new Promise((later) => setTimeout(later, 4));
    if (k === 500) await picture(page, "live");
  }
  const now = await until(page, (s) => s.live.line === 1000);
  isDone = true;
  await watch;
  await until(page, () => answers.trim().split("\n").length === 1000);
  const rows = answers.trim().split("\n").map((line) => JSON.parse(line));
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
  monitor.stdin.write(`${JSON.stringify({ q: home, t: 20 })}\n`);
  const now = await until(page, (s) => s.live.line === 1001);
  assert.ok(now.live.gap > 0.01 && now.live.timeToContact > 0, JSON.stringify(now.live));
  assert.match(await page.textContent("#live-gap"), /mm$/);
  assert.match(await page.textContent("#live-time"), /s$/);
});

test("pages that go away, or take nothing, do no harm", async () => {
  const second = await open(browser, link);
  await until(second.page, (s) => s.live.line === 1001);
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
  answers = "";
  for (let k = 0; k < 200; k++) monitor.stdin.write(`${JSON.stringify({ q: posture(k), t: 30 + k * 0.01 })}\n`);
  await until(page, () => answers.trim().split("\n").length === 200);
  await until(page, (s) => s.live.line === 1201);
  for (const socket of deaf) socket.destroy();
});

test("what comes from elsewhere is not answered", async () => {
  const asked = await fetch(`${link}api/1/live/0`, { headers: { origin: "http://evil.example" } });
  assert.equal(asked.status, 403);
  assert.equal((await fetch(`${link}api/1/live/x`)).status, 404);
  assert.equal((await fetch(`${link}api/7/live/0`)).status, 409);
});

test("when the stream ends, the monitor ends as always, and the page says so", async () => {
  const ended = new Promise((resolve) => monitor.on("exit", resolve));
  monitor.stdin.end();
  assert.equal(await ended, 1, told);
  assert.match(told, /1201 postures/);
  const now = await until(page, (s) => s.live.ended);
  assert.equal(now.live.line, 1201);
  assert.match(await page.textContent("#live-status"), /has ended/);
  // That nobody answers any more is told by the browser, too.
  assert.deepEqual(wrong.filter((text) => !/ERR_(CONNECTION_(REFUSED|RESET)|EMPTY_RESPONSE)/.test(text)), []);
});
