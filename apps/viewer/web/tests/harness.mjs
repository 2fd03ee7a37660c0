// Starts the real program and a real browser. KANSHO_BIN and CHROMIUM name them where they are not found.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, "../../../..");

/** The program under test: the one that `cargo build` made, or what KANSHO_BIN names. */
export const binary = process.env.KANSHO_BIN || path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), "debug/kansho");

/** Pictures for people to look at. */
export const pictures = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, "target"), "viewer");

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser without a window that draws in software and asks nobody on the network for anything. */
export async function launch() {
  const executablePath = process.env.CHROMIUM ?? places.find((place) => fs.existsSync(place));
  assert.ok(executablePath, "Chromium is needed: apt-get install chromium, or name it by CHROMIUM");
  const args = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--enable-precise-memory-info",
  ];
  return chromium.launch({ executablePath, args });
}

/** Runs the command to its end. */
export function kansho(...args) {
  const run = spawnSync(binary, args, { encoding: "utf8" });
  assert.ok(!run.error, `${binary}: ${run.error}`);
  return run;
}

/** A new folder, which is there until the process ends. */
export function folder() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "kansho-viewer-"));
  folders.push(made);
  return made;
}

const folders = [];
process.on("exit", () => {
  for (const made of folders) fs.rmSync(made, { recursive: true, force: true });
});

/** The demo's files with two motions: one aside, which is free, and the shortcut, which touches. Options are those of `kansho demo`. */
export function demo(...options) {
  const out = path.join(folder(), "demo");
  const run = kansho("demo", "--no-plan", ...options, "--out", out);
  assert.equal(run.status, 0, run.stderr);
  const [header, home] = fs.readFileSync(path.join(out, "postures.csv"), "utf8").split("\n");
  const aside = home.split(",").map((value, joint) => (joint === 0 ? Number(value) + 0.6 : value));
  fs.writeFileSync(path.join(out, "motion_aside.csv"), `${header}\n${home}\n${aside}\n`);
  return out;
}

/** A copy of the demo's files with its plan. The plan is made once: by `run.mjs` for all files of tests, or here where one of them runs alone. */
export async function planned() {
  const out = path.join(folder(), "demo");
  plan ??= process.env.KANSHO_PLANNED ? waitFor(process.env.KANSHO_PLANNED) : makePlan();
  fs.cpSync(await plan, out, { recursive: true });
  return out;
}

let plan = null;

/** Plans the demo; the folder of its files. */
export async function makePlan() {
  const out = demo();
  const child = spawn(binary, ["plan", path.join(out, "job.toml"), "--no-certificate", "--out", path.join(out, "plan")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let wrong = "";
  child.stderr.on("data", (data) => (wrong += data));
  const status = await new Promise((ended) => child.on("close", ended));
  assert.equal(status, 0, wrong);
  return out;
}

/** Waits for a folder that another process makes; where it cannot, it leaves a file with the reason. */
async function waitFor(made) {
  const deadline = Date.now() + 300_000;
  while (!fs.existsSync(made)) {
    if (fs.existsSync(`${made}.failed`)) throw new Error(fs.readFileSync(`${made}.failed`, "utf8"));
    assert.ok(Date.now() < deadline, `nobody made ${made}`);
    await new Promise((later) => setTimeout(later, 100));
  }
  return made;
}

/** A viewer of something, and how to end it. */
export const view = (...args) => served("view", "--no-open", ...args);

/** A command that shows something until it is ended. */
export async function served(...args) {
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [said, wrong] = ["", ""];
  child.stderr.on("data", (data) => (wrong += data));
  const link = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      said += data;
      const found = /http:\/\/\S+\//.exec(said);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`the viewer ended with ${code}: ${wrong}`)));
  });
  return { link, stop: () => child.kill() };
}

/** A monitor of a cell that is shown, with all that it says. */
export async function monitor(...args) {
  const child = spawn(binary, ["monitor", "--view", "--no-open", ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const said = { answers: "", told: "" };
  child.stdout.on("data", (data) => (said.answers += data));
  const link = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said.told += data;
      const found = /shown at (http:\/\/\S+\/)/.exec(said.told);
      if (found) resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${said.told}`)));
  });
  const send = (posture, t) => child.stdin.write(`${JSON.stringify({ q: posture, t })}\n`);
  return { child, link, said, send };
}

/** A page, and a list of all that went wrong on it. */
export async function open(browser, link, size = { width: 1280, height: 800 }) {
  const context = await browser.newContext({ viewport: size, colorScheme: "dark" });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(link) && !request.url().startsWith("data:")) wrong.push(`asks for ${request.url()}`);
  });
  await page.goto(link);
  await until(page, (state) => state.ready);
  return { page, wrong, close: () => context.close() };
}

/** What the page shows. */
export const state = (page) => page.evaluate(() => window.kansho.state());

/** Waits until the state is as wanted. (The page forbids text as program, so it is asked again and again.) */
export async function until(page, condition, timeout = 60_000) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const now = await page.evaluate(() => window.kansho?.state() ?? null);
    if (now && condition(now)) return now;
    if (Date.now() > deadline) {
      const { seen, ...rest } = now ?? {};
      throw new Error(`never ${condition}; it is ${JSON.stringify(rest).slice(0, 1500)}, ${seen?.pairs.length} pairs`);
    }
    await new Promise((later) => setTimeout(later, 30));
  }
}

/** Waits until the picture is drawn with all its points; while something moves, for two pictures only. */
export async function sharp(page) {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await until(page, (s) => s.sharp || s.playing || (s.generator >= 0 && s.drag === null));
}

/** A picture of the page, kept for people; and of its scene, how many points have a colour that fits. */
export async function picture(page, name) {
  fs.mkdirSync(pictures, { recursive: true });
  await sharp(page);
  return page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** Counts points of the scene in a picture, or of a part of its width: those that `fits` (red, green, blue from 0 to 255), those that differ from another
 * picture, and those that do both. */
export async function count(page, shot, fits, other, [from, to] = [0, 1]) {
  const whole = await page.locator("#stage").boundingBox();
  const box = { ...whole, x: whole.x + Math.round(from * whole.width), width: Math.round((to - from) * whole.width) };
  return page.evaluate(
    async ([shot, other, box, fits]) => {
      const pixels = async (text) => {
        const image = new Image();
        image.src = `data:image/png;base64,${text}`;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width: box.width, height: box.height });
        const pen = canvas.getContext("2d");
        pen.drawImage(image, -box.x, -box.y);
        return pen.getImageData(0, 0, box.width, box.height).data;
      };
      const own = await pixels(shot);
      const before = other && (await pixels(other));
      let [fitting, different, changed] = [0, 0, 0];
      for (let k = 0; k < own.length; k += 4) {
        const [r, g, b] = [own[k], own[k + 1], own[k + 2]];
        const isFitting =
          (fits === "red" && r > 130 && r - g > 70 && Math.abs(g - b) < 28) ||
          (fits === "yellow" && r > 200 && g > 150 && b < 100) ||
          (fits === "green" && g > 110 && g - r > 40 && g - b > 25) ||
          (fits === "blue" && b > 150 && b - r > 60);
        const isDifferent = before && Math.abs(r - before[k]) + Math.abs(g - before[k + 1]) + Math.abs(b - before[k + 2]) > 60;
        if (isFitting) fitting += 1;
        if (isDifferent) different += 1;
        if (isFitting && isDifferent) changed += 1;
      }
      return { fitting, different, changed };
    },
    [shot.toString("base64"), other?.toString("base64"), box, fits],
  );
}
