// What the server answers about cells of the map and about its path, in words.

import type { Cell, MapCell, PathAnswer } from "../api";
import { metres } from "../dom";
import { pairName } from "../panel/pairs";
import { TOUCHES } from "./dragged";

/** Whether a cell is free, and what it collides with or why it has no posture. */
export function cellText(cell: Cell, answer: MapCell): string {
  if (answer.now === "free") {
    const nearest = answer.seen?.pairs[0];
    return nearest ? `free, ${metres(nearest.gap)} between ${pairName(cell, nearest.bodies)}` : "free";
  }
  if (answer.now === "collides") {
    const hits = answer.seen?.pairs.filter((pair) => pair.gap === 0) ?? [];
    const nearest = answer.seen?.pairs[0];
    if (hits.length === 0) return `nearer than the clearance${nearest ? `: ${metres(nearest.gap)} between ${pairName(cell, nearest.bodies)}` : ""}`;
    const first = hits.slice(0, 2).map((pair) => pairName(cell, pair.bodies));
    const others = hits.length > 2 ? ` and ${hits.length - 2}${answer.seen?.more ? " or more others" : " more"}` : "";
    return `collides: ${first.join("; ")}${others}`;
  }
  return `${word(answer.now)}${answer.why ? `: ${answer.why}` : ""}`;
}

/** What is proven of a path of so many strokes, in an answer that took so many milliseconds. */
export function pathText(answer: PathAnswer, strokes: number, ms: number): string {
  const first = answer.marks[0];
  const hit = answer.marks.find((mark) => mark.kind === "touches" && (mark.gap ?? 0) <= TOUCHES) ?? answer.marks.find((mark) => mark.kind === "touches");
  const isHit = (hit?.gap ?? 0) <= TOUCHES;
  const names = hit?.pair?.replace("|", " | ") ?? "";
  const took = `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`;
  const texts: Record<PathAnswer["verdict"], string> = {
    free: `proven free: all ${answer.motions} motions${strokes > 1 ? " of the strokes" : ""}${answer.asked > 0 ? ` (${answer.asked} anew in ${took})` : ""}`,
    proving: `proving: ${answer.proven} of ${answer.motions} motions`,
    touches: hit
      ? isHit
        ? `touches at point ${hit.point}: ${names}`
        : `nearer than the clearance at point ${hit.point}: ${metres(hit.gap ?? 0)} between ${names}`
      : "touches",
    unreached: first ? `not reached at point ${first.point}${first.why ? `: ${first.why}` : ""}` : "not reached",
    undecided: answer.loose
      ? "undecided: the way to the next stroke begins elsewhere now"
      : `undecided: ${answer.proven} of ${answer.motions} motions are proven`,
  };
  return texts[answer.verdict];
}

/** A state of a cell as people read it. */
export function word(state: string): string {
  return state.replaceAll("_", " ");
}
