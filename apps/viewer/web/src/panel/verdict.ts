// What is known, in a few words: of the motion, or of a posture that is not on it.

import { by, say } from "../dom";
import type { State } from "../store";

type Told = [verdict: "" | "free" | "touches" | "undecided", text: string];

export function tellVerdict(state: State): void {
  const chip = by("verdict");
  const [verdict, text] = state.live
    ? ofLive(state)
    : state.script !== null
      ? ofScript(state)
      : state.motion >= 0 && !state.off
        ? ofMotion(state)
        : ofPosture(state);
  chip.dataset.verdict = verdict;
  say(chip, text);
  chip.hidden = text === "";
}

/** What is live is the newest posture that came, if that is shown and is not old. */
function ofLive(state: State): Told {
  const { live, posture } = state;
  if (!live || live.count === 0) return ["", live?.ended ? "ended before a posture came" : "waiting for the robot…"];
  if (live.posture.some((value, k) => value !== posture[k])) return ofPosture(state, "not the live posture: ");
  const was = live.gap === 0 ? (live.rough ? "something may have touched" : "something touched") : live.gap === null ? "no pair is checked" : "nothing touched";
  if (live.ended) return ["undecided", `ended: at the last posture ${was}`];
  if (live.quiet) return ["undecided", `no new posture: at the last one ${was}`];
  if (live.gap === null) return ["", "live: no pair is checked"];
  if (live.gap === 0) return live.rough ? ["undecided", "live: may touch now (by spheres)"] : ["touches", "touches now"];
  return ["free", "live: free now"];
}

function ofScript({ words }: State): Told {
  if (!words) return ["", "working it out…"];
  if (!words.steps) return ["undecided", words.errors.length === 1 ? "the script has a fault" : `the script has ${words.errors.length} faults`];
  if (words.status === "reached") return ["free", `proven: ${words.moves === 1 ? "the move is" : `all ${words.moves} moves are`} reached`];
  const kind = words.status === "blocked" || words.status === "slips" ? "touches" : "undecided";
  return [kind, `step ${words.steps.length} of ${words.moves}: ${words.status}`];
}

function ofMotion({ proof, unproven }: State): Told {
  if (!proof) return unproven === null ? ["", "proving…"] : ["undecided", "not proven: the viewer does not answer"];
  if (proof.verdict === "free") {
    const apart = proof.nearest ? `, least gap ${proof.nearest.between}` : "";
    return ["free", `proven free${apart}`];
  }
  if (proof.verdict === "undecided" && proof.unreached) return ["touches", "not reached"];
  if (proof.verdict === "undecided") return ["undecided", "undecided"];
  const count = proof.marks.length;
  const first = `first at ${(100 * (proof.marks[0]?.from ?? 0)).toFixed(1)} %`;
  const does = proof.marks.every((mark) => mark.near) ? "nearer than the clearance" : "touches";
  return ["touches", `${does}${count > 1 ? ` ${count} times` : ""}, ${first}`];
}

/** What is proven of a motion says nothing about a posture beside it. */
function ofPosture({ seen, motion, lost }: State, beside = motion >= 0 ? "beside the motion: " : ""): Told {
  if (!seen && lost) return ["undecided", `${beside}not known: the viewer does not answer`];
  if (!seen) return ["", `${beside}looking…`];
  if (seen.pairs.length === 0) return ["", ""];
  return seen.pairs[0]?.gap === 0 ? ["touches", `${beside}touches in this posture`] : ["free", `${beside}free in this posture`];
}
