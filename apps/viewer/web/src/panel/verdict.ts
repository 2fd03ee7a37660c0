// What is known, in a few words: of the motion, or of a posture that is not on it.

import { by, metres, say } from "../dom";
import type { State } from "../store";

type Told = [verdict: "" | "free" | "touches" | "undecided", text: string];

export function tellVerdict(state: State): void {
  const chip = by("verdict");
  const [verdict, text] = state.live ? ofLive(state) : state.script !== null ? ofScript(state) : state.motion >= 0 && !state.off ? ofMotion(state) : ofPosture(state);
  chip.dataset.verdict = verdict;
  say(chip, text);
  chip.hidden = text === "";
}

function ofLive({ live }: State): Told {
  if (!live || live.count === 0) return ["", "waiting for the robot…"];
  if (live.ended) return ["undecided", "ended"];
  if (live.gap === 0) return ["touches", "touches now"];
  return ["free", "live: free now"];
}

function ofScript({ words }: State): Told {
  if (!words) return ["", "working it out…"];
  if (!words.steps) return ["undecided", words.errors.length === 1 ? "the script has a fault" : `the script has ${words.errors.length} faults`];
  if (words.status === "reached") return ["free", `proven: ${words.moves === 1 ? "the move is" : `all ${words.moves} moves are`} reached`];
  const kind = words.status === "blocked" || words.status === "slips" ? "touches" : "undecided";
  return [kind, `step ${words.steps.length} of ${words.moves}: ${words.status}`];
}

function ofMotion({ proof }: State): Told {
  if (!proof) return ["", "proving…"];
  if (proof.verdict === "free") {
    const apart = proof.clearance ? `, at least ${metres(proof.clearance)} apart` : "";
    return ["free", `proven free${apart}`];
  }
  if (proof.verdict === "undecided" && proof.unreached) return ["touches", "not reached"];
  if (proof.verdict === "undecided") return ["undecided", "undecided"];
  const count = proof.marks.length;
  return ["touches", `touches${count > 1 ? ` ${count} times` : ""}, first at ${(100 * (proof.marks[0]?.from ?? 0)).toFixed(1)} %`];
}

/** What is proven of a motion says nothing about a posture beside it. */
function ofPosture({ seen, motion }: State): Told {
  const beside = motion >= 0 ? "beside the motion: " : "";
  if (!seen) return ["", `${beside}looking…`];
  if (seen.pairs.length === 0) return ["", ""];
  return seen.pairs[0]?.gap === 0 ? ["touches", `${beside}touches in this posture`] : ["free", `${beside}free in this posture`];
}
