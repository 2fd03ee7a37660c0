// Draws the frames of front.gif in the real viewer: a sampled check passes, kansho finds the contact between two samples, and the
// repaired motion is proven free. Every number on it comes from a run of kansho. Called by `make` with the folder for the frames.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { kansho, launch, open, root, sharp, until, view } from "../../apps/viewer/web/tests/harness.mjs";

const frames = process.argv[2];
const cell = path.join(root, "examples/cells/arm-at-table/cell.toml");
const [collides, free] = ["collides", "free"].map((name) => path.join(root, `examples/cells/arm-at-table/${name}.csv`));
const STEP_DEG = 5;
const size = { width: 800, height: 520 };

/** A table of joint values in degrees. */
function waypoints(file) {
  const [header, ...rows] = fs.readFileSync(file, "utf8").trim().split("\n");
  return { header, rows: rows.map((row) => row.split(",").map(Number)) };
}

/** What a sampled check looks at: postures on the way, no joint moving by more than `step` degrees from one to the next. */
function samples({ rows }, step) {
  const found = [{ t: 0, posture: rows[0] }];
  for (let k = 1; k < rows.length; k++) {
    const [from, to] = [rows[k - 1], rows[k]];
    const parts = Math.ceil(Math.max(...to.map((value, joint) => Math.abs(value - from[joint]))) / step);
    for (let part = 1; part <= parts; part++) {
      const share = part / parts;
      found.push({ t: (k - 1 + share) / (rows.length - 1), posture: to.map((value, joint) => from[joint] + share * (value - from[joint])) });
    }
  }
  return found;
}

const motion = waypoints(collides);
const sampled = samples(motion, STEP_DEG);
const table = path.join(frames, "samples.csv");
fs.writeFileSync(table, `${motion.header}\n${sampled.map(({ posture }) => posture.join(",")).join("\n")}\n`);
const postures = kansho("postures", cell, "--postures", table, "--json");
assert.equal(postures.status, 0, `a sample touches: ${postures.stdout}${postures.stderr}`);
const contact = JSON.parse(kansho("check", cell, collides, "--json").stdout);
assert.equal(contact.verdict, "touches");
const touch = contact.t[1];
const before = sampled.findLastIndex(({ t }) => t < touch);
const certificate = path.join(frames, "certificate.json");
const proven = JSON.parse(kansho("check", cell, free, "--json", "--certificate", certificate).stdout);
assert.equal(proven.verdict, "free");
const verified = kansho("verify", certificate, cell, free);
assert.equal(verified.status, 0, verified.stdout);

const browser = await launch();
const viewer = await view(cell, collides, free);
const { page } = await open(browser, viewer.link, size);

/** The scene fills the page; a caption above it, a line of time below. */
await page.evaluate(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    body { display: block; }
    header, aside, footer, #map-section, #hint { display: none !important; }
    main { position: fixed; inset: 82px 0 46px 0; }
    #stage { outline: none !important; width: 100%; height: 100%; }
    #gap-label { font-size: 19px !important; padding: 3px 14px !important; }
    #caption { position: fixed; left: 0; right: 0; top: 0; height: 82px; padding: 11px 20px 0 78px; background: #fff; border-bottom: 1px solid #d3dce6; color: #17202b; font-family: system-ui, "Noto Sans", sans-serif; }
    #caption b { display: block; font-size: 26px; line-height: 31px; font-weight: 700; white-space: nowrap; }
    #caption span { display: block; font-size: 19px; line-height: 27px; white-space: nowrap; }
    #caption i { position: absolute; left: 18px; top: 19px; width: 44px; height: 44px; border-radius: 50%; font: 700 25px/44px system-ui, sans-serif; text-align: center; color: #fff; background: #54657a; }
    #caption[data-tone=bad] i { background: #d1242f; } #caption[data-tone=bad] b { color: #d1242f; }
    #caption[data-tone=good] i { background: #1a7f37; } #caption[data-tone=good] b { color: #1a7f37; }
    #line { position: fixed; left: 0; right: 0; bottom: 0; height: 46px; background: #fff; border-top: 1px solid #d3dce6; }
    #line div { position: absolute; }
    #line .track { left: 24px; right: 24px; top: 21px; height: 4px; border-radius: 2px; background: #d3dce6; }
    #line .done { left: 24px; top: 17px; height: 12px; border-radius: 6px; background: #1a7f37; }
    #line .dot { width: 12px; height: 12px; margin-left: -6px; top: 17px; border-radius: 50%; background: #fff; border: 2px solid #94a3b5; }
    #line .dot.free { background: #3fa45b; border-color: #1a7f37; }
    #line .dot.now { transform: scale(1.5); }
    #line .needle { width: 4px; margin-left: -2px; top: 6px; height: 34px; background: #17202b; border-radius: 2px; }
    #line .needle.bad { background: #d1242f; width: 6px; margin-left: -3px; }
  `);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const make = (id) => document.body.append(Object.assign(document.createElement("div"), { id }));
  make("caption");
  make("line");
  window.dispatchEvent(new Event("resize"));
});

/** Words above the scene. */
const caption = (number, title, text, tone = "") =>
  page.evaluate(
    ([number, title, text, tone]) => {
      const box = document.getElementById("caption");
      box.dataset.tone = tone;
      const part = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
      box.replaceChildren(part("i", number), part("b", title), part("span", text));
    },
    [String(number), title, text, tone],
  );

/** The line of time: samples as dots, the first `passed` of them found free; a needle; what is proven as a bar. */
const line = ({ dots = [], passed = 0, now = -1, needle = null, bad = false, done = null }) =>
  page.evaluate(
    ([dots, passed, now, needle, bad, done]) => {
      const box = document.getElementById("line");
      const at = (t) => `${24 + t * (box.clientWidth - 48)}px`;
      const part = (name, left) => {
        const one = Object.assign(document.createElement("div"), { className: name });
        if (left !== undefined) one.style.left = left;
        return one;
      };
      const parts = [part("track")];
      if (done !== null) {
        const bar = part("done");
        bar.style.width = `${done * (box.clientWidth - 48)}px`;
        parts.push(bar);
      }
      dots.forEach((t, k) => parts.push(part(`dot${k < passed ? " free" : ""}${k === now ? " now" : ""}`, at(t))));
      if (needle !== null) parts.push(part(`needle${bad ? " bad" : ""}`, at(needle)));
      box.replaceChildren(...parts);
    },
    [dots, passed, now, needle, bad, done],
  );

const goTo = async (t) => {
  await page.evaluate((t) => {
    const slider = document.getElementById("time");
    slider.value = String(t);
    slider.dispatchEvent(new Event("input"));
  }, t);
  await until(page, (s) => s.fresh);
};

const keys = async (...names) => {
  await page.focus("#stage");
  for (const name of names) {
    const [key, times] = name.split("*");
    for (let k = 0; k < Number(times ?? 1); k++) await page.keyboard.press(key);
  }
};

/** All of the cell, seen from beside the table. */
const wide = () => keys("1", "ArrowRight*4", "+*4", "Shift+ArrowUp*3");

/** Zooms in on the nearest points of an instant: the wheel keeps in place what the mouse points at. */
async function closeUp(t) {
  await goTo(t);
  await sharp(page);
  const { x, y } = await page.locator("#gap-label").boundingBox();
  await page.mouse.move(x, y);
  for (let k = 0; k < 14; k++) await page.mouse.wheel(0, -100);
  await page.mouse.move(2, 2);
}

const list = [];
/** One frame, shown for so many milliseconds. */
async function frame(milliseconds) {
  await sharp(page);
  const name = `${String(list.length).padStart(3, "0")}.png`;
  await page.screenshot({ path: path.join(frames, name) });
  list.push([name, milliseconds]);
}

const dots = sampled.map((_, k) => k / (sampled.length - 1));
/** Where an instant is on the line, on which samples are evenly spread. */
const onLine = (t) => {
  const k = sampled.findLastIndex((sample) => sample.t < t);
  if (k < 0) return 0;
  return dots[k] + ((t - sampled[k].t) / (sampled[k + 1].t - sampled[k].t)) * (dots[k + 1] - dots[k]);
};
const [a, b] = contact.pair.split("|");

// Nothing but the scene, in light colours, without the path of the tool and the gap in words.
const { proof } = await until(page, (s) => s.proof !== null);
if ((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark") await page.locator("body").press("t");
await keys("w");
await wide();

// 1: samples.
await page.evaluate(() => (document.getElementById("gap-label").style.visibility = "hidden"));
for (let k = 0; k < dots.length; k++) {
  await caption(1, `Sampled every ${STEP_DEG}°`, `${k + 1} of ${dots.length} postures, no collision`);
  await line({ dots, passed: k + 1, now: k });
  await goTo(sampled[k].t);
  await frame(k === dots.length - 1 ? 1200 : 80);
}

// 2: what is between two of them.
await closeUp(proof.marks[0].jump);
await goTo(sampled[before].t);
await caption(2, `Between samples ${before + 1} and ${before + 2} …`, `${dots.length} postures, no collision`);
await line({ dots, passed: dots.length, needle: dots[before] });
await frame(900);
const slow = 10;
for (let k = 1; k < slow; k++) {
  const t = sampled[before].t + (k / slow) * (touch - sampled[before].t);
  await goTo(t);
  await line({ dots, passed: dots.length, needle: onLine(t) });
  await frame(90);
}
// The first instant at which the exact answer is "touches", less than a micrometre on.
await goTo(proof.marks[0].jump);
await page.evaluate(() => (document.getElementById("gap-label").style.visibility = ""));
await caption(2, `kansho finds the contact: ${a} and ${b}`, `first at ${(100 * touch).toFixed(2)} % of the motion, between samples ${before + 1} and ${before + 2}`, "bad");
await line({ dots, passed: dots.length, needle: onLine(touch), bad: true });
await until(page, (s) => s.seen.hits.length > 0);
await frame(2800);

// 3: the repair.
await page.evaluate(() => (document.getElementById("gap-label").style.visibility = "hidden"));
await wide();
await page.evaluate(() => {
  const motions = document.getElementById("motion");
  motions.value = "1";
  motions.dispatchEvent(new Event("change"));
});
await until(page, (s) => s.motion === 1 && s.proof?.verdict === "free");
const { t: nearest, pair } = proven.nearest;
const shown = samples(waypoints(free), 6).map(({ t }) => t);
for (let k = 0; k < shown.length; k++) {
  const t = shown[k];
  await caption(3, "Repaired: higher over the guard", "proven free at every instant", "good");
  await line({ done: k / (shown.length - 1), needle: k / (shown.length - 1) });
  await goTo(t);
  await frame(k === 0 ? 400 : 70);
}
await closeUp(nearest);
await page.evaluate(() => (document.getElementById("gap-label").style.visibility = ""));
const verdict = await page.locator("#verdict").textContent();
await caption(3, verdict[0].toUpperCase() + verdict.slice(1), `${pair.replace("|", " and ")}; the certificate is verified`, "good");
const after = shown.findLastIndex((t) => t < nearest);
await line({ done: 1, needle: (after + (nearest - shown[after]) / (shown[after + 1] - shown[after])) / (shown.length - 1) });
await frame(2800);

fs.writeFileSync(path.join(frames, "frames.json"), JSON.stringify(list));
await browser.close();
viewer.stop();
console.log(`${list.length} frames: ${dots.length} samples, contact at ${touch}, ${verdict}`);
