// One line over the scene: what to try first.

import type { Cell } from "../api";
import { by, say } from "../dom";

export function tellHint(cell: Cell, motions: number): void {
  say(by("hint"), `${firstThing(cell, motions)}? lists all keys.`);
}

function firstThing(cell: Cell, motions: number): string {
  if (cell.live) return "The robot as it moves now; ";
  if (cell.script !== null) return "] goes to the next step, ";
  if (motions > 0) return "Space plays, ] goes to the next mark, ";
  if (cell.coordinates.length > 0) return "Move the joints; ";
  const objects = cell.bodies.filter((body) => body.stands).length;
  return objects > 1 ? "Choose what may move, under Contacts; " : "";
}
