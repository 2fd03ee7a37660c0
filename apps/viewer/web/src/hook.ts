// What tests may look at: copies of the state, nothing to change it with.

import type { Stage } from "./scene/stage";
import type { Store } from "./store";

/** What is asked of what is open. */
interface Open {
  scene: {
    tips(): number[][];
    marks: { coloured: number };
    models: { ranks(kind: "spheres" | "boxes"): number; count(kind: "spheres" | "boxes" | "faces", rank: number): number };
    contactView: { phase: number };
    sweep: { instants: number };
  };
  playback: { motions: { name: string }[] };
  cell: { bodies: { name: string }[] };
}

export function hook(store: Store, stage: Stage, open: () => Open | null): void {
  const state = (): unknown => {
    const { posture, hidden, proof, ...rest } = store.state;
    const shown = open();
    return structuredClone({
      ...rest,
      posture: Array.from(posture),
      hidden: [...hidden],
      proof: proof && { ...proof, samples: { count: proof.samples.t.length } },
      bodies: shown?.cell.bodies.map((body) => body.name) ?? [],
      motions: shown?.playback.motions.map((motion) => motion.name) ?? [],
      tips: shown?.scene.tips() ?? [],
      coloured: shown?.scene.marks.coloured ?? 0,
      ranks: shown?.scene.models.ranks("spheres") ?? 0,
      levels: shown?.scene.models.ranks("boxes") ?? 0,
      spheres: shown?.scene.models.count("spheres", rest.show.rank) ?? 0,
      faces: shown?.scene.models.count("faces", 0) ?? 0,
      swept: shown?.scene.sweep.instants ?? 0,
      ghost: shown?.scene.contactView.phase ?? 0,
      view: stage.view,
      camera: stage.camera.position.toArray(),
      target: stage.controls.target.toArray(),
      pictures: stage.pictures,
      firstPicture: stage.firstPicture,
      quality: stage.quality,
      sharp: stage.isSharp,
      drawn: stage.triangles,
      pictureMs: stage.lastMs,
      memory: stage.memory,
    });
  };
  Object.defineProperty(window, "kansho", { value: Object.freeze({ state }), writable: false });
}
