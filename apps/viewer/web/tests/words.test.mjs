// A script of movements in words: its steps, its poses, its text.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { count, folder, kansho, launch, open, picture, root, state, until, view } from "./harness.mjs";

let [browser, viewer, files, script, page, wrong, told] = [];

before(async () => {
  files = folder();
  for (const name of ["block_in_slot.toml", "slot.stl"]) fs.copyFileSync(path.join(root, "examples/words", name), path.join(files, name));
  script = path.join(files, "block_in_slot.toml");
  told = JSON.parse(kansho("move", script, "--json").stdout);
  viewer = await view(script);
  browser = await launch();
  ({ page, wrong } = await open(browser, viewer.link));
});

after(async () => {
  await browser?.close();
  viewer?.stop();
  fs.rmSync(files, { recursive: true, force: true });
});

/** Where the moved body is, in millimetres. */
const place = (s) => s.movedAt.slice(12, 15).map((value) => 1000 * value);

const near = (a, b, within = 1e-6) => a.forEach((value, k) => assert.ok(Math.abs(value - b[k]) < within, `${a} and ${b}`));

/** Changes the text as somebody who types would. */
async function edit(change) {
  const text = await page.inputValue("#script");
  const next = change(text);
  assert.notEqual(next, text);
  await page.fill("#script", next);
  return next;
}

test("steps are listed with what came of them, and each shows its pose", async () => {
  const now = await until(page, (s) => s.words?.steps);
  assert.equal(now.words.status, told.status);
  assert.equal(await page.locator(".step").count(), told.steps.length);
  assert.equal(await page.textContent("#verdict"), "proven: all 4 moves are reached");
  assert.equal(await page.inputValue("#script"), fs.readFileSync(script, "utf8"));
  near(place(now), told.start.xyz);
  const shots = [await picture(page, "words-start")];
  for (const [k, step] of told.steps.entries()) {
    await page.locator(".step").nth(k).click();
    const s = await until(page, (s) => s.step === k);
    near(place(s), step.pose.xyz);
    assert.equal(await page.locator(".step").nth(k).getAttribute("aria-pressed"), "true");
    for (const { contact } of step.contacts) assert.ok((await page.textContent("#step-told")).includes(contact));
    assert.equal(await page.locator(".lines span[data-current]").textContent(), String(step.line));
    shots.push(await picture(page, `words-step-${k + 1}`));
    assert.ok((await count(page, shots[k + 1], "red", shots[k])).different > 300);
  }
});

test("the way between is shown, and keys step through it", async () => {
  await page.fill("#way", "0");
  await until(page, (s) => s.step === -1);
  await page.evaluate(() => document.activeElement?.blur());
  for (let k = 0; k < 4; k++) {
    await page.keyboard.press("]");
    near(place(await until(page, (s) => s.step === k)), told.steps[k].pose.xyz);
  }
  await page.keyboard.press("[");
  await until(page, (s) => s.step === 2);
  // Half of a straight way is half way.
  const { words } = await state(page);
  const before = words.steps.slice(0, 1).flatMap((step) => step.ways).length;
  const way = words.steps[1].ways[0];
  await page.fill("#way", String(before + 0.5));
  const half = await until(page, (s) => s.step === 1);
  near(
    place(half),
    way.from.slice(9).map((value, k) => 1000 * (value + way.by[k] / 2)),
  );
  // On a turn the distance to the axis stays.
  const turn = words.steps[3].ways.find((one) => one.axis);
  const index = words.steps.slice(0, 3).flatMap((step) => step.ways).length + words.steps[3].ways.indexOf(turn);
  const away = (p) => {
    const own = p.map((value, k) => value / 1000 - turn.point[k]);
    const along = own.reduce((sum, value, k) => sum + value * turn.axis[k], 0);
    return Math.hypot(...own.map((value, k) => value - along * turn.axis[k]));
  };
  await page.fill("#way", String(index + 0.37));
  const turned = await until(page, (s) => s.step === 3);
  assert.ok(Math.abs(away(place(turned)) - away(turn.from.slice(9).map((value) => 1000 * value))) < 1e-9);
});

test("an edit has its result at once", async () => {
  const [from, to] = ['along = "-y",  keep = ["block.A on slot.B"], until = "block.S on slot.D"', 'along = "-y",  keep = ["block.A on slot.B"], by = 1'];
  await edit((text) => text.replace(from, to));
  // Nothing is claimed of a text that was not looked at.
  assert.equal((await state(page)).words, null);
  const now = await until(page, (s) => s.words !== null);
  const file = path.join(files, "other.toml");
  fs.writeFileSync(file, await page.inputValue("#script"));
  const other = kansho("move", file, "--json");
  const answer = JSON.parse(other.stdout);
  assert.equal(now.words.status, answer.status);
  assert.deepEqual(
    now.words.steps.map((step) => step.status),
    answer.steps.map((step) => step.status),
  );
  assert.notEqual(answer.status, "reached");
  // The fault stands at its line, in the words of the command.
  const line = answer.errors[0].line ?? answer.steps.at(-1).line;
  assert.equal(await page.locator(".fault").first().getAttribute("data-line"), String(line));
  assert.equal(await page.locator(".lines span[data-faulty]").first().textContent(), String(line));
  assert.ok(other.stderr.includes(now.words.errors[0].what), other.stderr);
  assert.notEqual(await page.locator("#verdict").getAttribute("data-verdict"), "free");
  await picture(page, "words-fault");
  await edit((text) => text.replace(to, from));
  await until(page, (s) => s.words?.status === "reached");
});

test("a mistake is told at its line", async () => {
  const good = await page.inputValue("#script");
  await edit((text) => text.replace('do = "rotate"', 'do = "rotat"'));
  const now = await until(page, (s) => s.words?.errors.length === 1);
  assert.equal(now.words.steps, undefined);
  assert.equal(now.words.errors[0].line, 7);
  assert.match(now.words.errors[0].what, /rotat/);
  assert.equal(await page.textContent("#verdict"), "the script has a fault");
  assert.equal(await page.locator(".lines span[data-faulty]").textContent(), "7");
  await page.locator(".fault").click();
  const selected = await page.evaluate(() => {
    const text = document.getElementById("script");
    return text.value.slice(text.selectionStart, text.selectionEnd);
  });
  assert.match(selected, /rotat"/);
  await picture(page, "words-mistake");
  await page.fill("#script", good);
  await until(page, (s) => s.words?.status === "reached");
});

test("other bodies are drawn, other files are not read", async () => {
  const before = await state(page);
  const good = await page.inputValue("#script");
  await page.locator(".step").nth(3).click();
  const shot = await picture(page, "words-step-4");
  const remarks = wrong.length;
  await page.fill("#script", good.replace("box   = [40, 20, 10]", "box   = [40, 20, 14]"));
  const now = await until(page, (s) => s.edition > before.edition && s.words?.steps);
  assert.equal(await page.inputValue("#script"), good.replace("box   = [40, 20, 10]", "box   = [40, 20, 14]"));
  assert.equal(now.words.status, "reached");
  await page.locator(".step").nth(3).click();
  assert.ok((await count(page, await picture(page, "words-thicker"), "red", shot)).different > 300);
  // The browser remarks that it was told to begin anew.
  assert.ok(wrong.splice(remarks).every((text) => text.includes("409")));
  await page.fill("#script", good.replace("slot.stl", "/etc/passwd"));
  const refused = await until(page, (s) => s.words?.errors.length > 0);
  assert.equal(refused.words.errors[0].what, "this file is not read while a script is edited");
  assert.equal(refused.words.errors[0].line, 10);
  // The file itself was never written, and is what is shown after it is read again.
  assert.equal(fs.readFileSync(script, "utf8"), good);
  await page.click("#reload");
  await until(page, (s) => s.words?.status === "reached" && s.script === good);
});

test("everything has a name, and nothing went wrong on the page", async () => {
  const nameless = await page.evaluate(() => {
    const name = (e) => e.getAttribute("aria-label") || e.textContent.trim() || [...(e.labels ?? [])].map((l) => l.textContent).join("") || e.title;
    return [...document.querySelectorAll("button, input, select, textarea, summary, canvas[tabindex]")]
      .filter((e) => !e.closest("[hidden]") && !name(e))
      .map((e) => e.outerHTML);
  });
  assert.deepEqual(nameless, []);
  assert.deepEqual(wrong, []);
});
