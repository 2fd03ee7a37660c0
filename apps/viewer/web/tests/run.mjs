// Runs the tests in a browser: all of them (`npm test`), or some files (`npm test -- tests/map.test.mjs`).

import fs from "node:fs";
import path from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { folder, makePlan } from "./harness.mjs";

/** Files at once. Each starts its own server and browser; while one waits for a proof or a picture, the other goes on. */
const AT_ONCE = 2;

const here = path.dirname(fileURLToPath(import.meta.url));
const named = process.argv.slice(2).map((name) => path.resolve(name));
const all = fs.readdirSync(here).filter((name) => name.endsWith(".test.mjs"));
const files = named.length > 0 ? named : all.map((name) => path.join(here, name));

// Several files look at the plan of the demo. It takes long, so it is made once, while the others run.
const isWithPlan = (file) => fs.readFileSync(file, "utf8").includes("planned()");
const [withPlan, others] = [files.filter(isWithPlan), files.filter((file) => !isWithPlan(file))];
if (withPlan.length > 0) {
  const made = path.join(folder(), "planned");
  process.env.KANSHO_PLANNED = made;
  makePlan().then(
    (out) => fs.renameSync(out, made),
    (error) => fs.writeFileSync(`${made}.failed`, error.message),
  );
}

const tests = run({ files: [...others, ...withPlan], concurrency: AT_ONCE });
tests.on("test:fail", () => {
  process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);
