// Everything that belongs to one reading of the files: the scene, what is played in it, and the panels around it.

import type { Cell, GeometryHeader, MapHeader, Pack, Proof, Source } from "./api";
import { MapPanel, type Viewer } from "./map/panel";
import { Motion } from "./motion";
import { bodyList } from "./panel/bodies";
import { Busy } from "./panel/busy";
import { ContactPanel } from "./panel/contacts";
import { tellHint } from "./panel/hint";
import { joints } from "./panel/joints";
import { LivePanel } from "./panel/live";
import { modelPanel } from "./panel/models";
import { pairList } from "./panel/pairs";
import { Timeline } from "./panel/timeline";
import { Tour } from "./panel/tour";
import { tellVerdict } from "./panel/verdict";
import { WordsPanel } from "./panel/words";
import { Playback } from "./playback";
import { ShownPosture } from "./posture";
import { Beside } from "./scene/beside";
import { CellScene } from "./scene/cell";
import type { Stage, View } from "./scene/stage";
import type { Store } from "./store";

/** What it asks of the page around it. */
export interface Page {
  store: Store;
  stage: Stage;
  complain: (message: string, heading: string) => void;
  /** The camera was placed. */
  viewed: () => void;
}

export class Opened {
  readonly scene: CellScene;
  readonly playback: Playback;
  readonly contactPanel: ContactPanel;
  readonly timeline: Timeline;
  private readonly posture: ShownPosture;
  private readonly beside: Beside;
  private tour: Tour | null = null;
  private busy: Busy | null = null;
  private live: LivePanel | null = null;
  /** Of a script of movements in words. */
  readonly words: WordsPanel | null;
  /** Of a job that was planned. */
  private map: MapPanel | null = null;
  private isOver = false;

  constructor(
    private readonly page: Page,
    private readonly source: Source,
    readonly cell: Cell,
    pack: Pack<GeometryHeader>,
  ) {
    const { store, stage } = page;
    const { state } = store;
    state.posture = Float64Array.from(cell.posture);
    const scene = new CellScene(source, cell, pack, store, stage);
    const posture = new ShownPosture(source, store, stage, scene);
    const motions = pack.header.motions.map(
      ({ name, pieces, controls, times }) => new Motion(name, pieces, pack.doubles(controls), cell.coordinates.length, times),
    );
    // What was proven of the motion first is not proven a second time at the same moment.
    const playback = new Playback(page, source, cell, motions, scene, posture, () => this.map?.begin());
    [this.scene, this.posture, this.playback] = [scene, posture, playback];
    this.beside = new Beside(source, cell, scene.bodies.size, scene.kinematics, stage, store, {
      motions,
      own: (motion) => playback.proofOfDragged(motion),
      left: [scene.marks.group, scene.trace.group, scene.sweep.group],
      paint: (seen) => scene.paintBodies(seen),
    });
    stage.scene.add(this.beside.trace.group);
    joints(cell, store, (joint, value) => playback.moveJoint(joint, value));
    bodyList(cell, scene.bodies, store);
    pairList(cell, scene.bodies.size, store);
    modelPanel(() => scene.models, store);
    this.contactPanel = new ContactPanel(source, cell, store, () => scene.dragView.back());
    this.timeline = new Timeline(cell, store, {
      motions,
      motion: () => playback.motion,
      play: (playing) => playback.play(playing),
      jump: (t) => playback.jump(t),
      choose: (motion) => playback.choose(motion),
      beside: (motion) => {
        this.beside.show(motion);
        this.fit();
      },
    });
    store.on(["show"], () => void scene.show(playback.motion, page.complain));
    store.on(["chosen", "seen"], () => scene.paint());
    store.on(["contacts"], () => scene.showContacts());
    store.on(["words"], () => tellVerdict(state));
    store.on(["step"], () => stage.invalidate());
    document.body.toggleAttribute("data-script", cell.script !== null);
    if (cell.script === null) state.script = null;
    this.words = cell.script === null ? null : new WordsPanel(source, store, scene.movedView, cell.script);
    if (cell.live) {
      this.live = new LivePanel(source, cell, store, (posture, seen) => {
        playback.pose(posture, seen);
        // Where it stands now was not known before.
        if (state.live?.pictures === 1) this.fit("iso");
      });
    }
    tellHint(cell, motions.length);
  }

  /** After the first picture: what goes on meanwhile, and what is told to newcomers. `next` goes to the next mark, `reload` reads the files again. */
  begin(next: () => void, reload: () => void): void {
    if (this.cell.busy) this.busy = new Busy(this.source, this.page.store, reload);
    const { playback } = this;
    if (!this.cell.tour || playback.motions.length === 0) return;
    this.tour = new Tour(this.cell, this.page.store, {
      motions: playback.motions,
      choose: (motion) => playback.choose(motion),
      play: (playing) => playback.play(playing),
      next,
    });
  }

  /** Shows the map of a job. */
  async readMap(): Promise<void> {
    if (!this.cell.job) return;
    const pack = await this.source.pack<MapHeader>("map");
    if (this.isOver) return;
    const viewer: Viewer = {
      pose: (posture, seen) => this.playback.pose(posture, seen),
      back: () => this.playback.back(),
      dragged: (motion, proof, t) => this.setDragged(motion, proof, t),
      complain: this.page.complain,
    };
    this.map = new MapPanel(this.source, this.cell, this.page.store, viewer, pack);
    if (this.playback.motions.length === 0) this.map.begin();
  }

  /** A path that was dragged is one more motion, and is shown at an instant. */
  private setDragged(motion: Motion | null, proof: Proof | null, t: number): void {
    if (this.page.store.state.beside >= 0) this.beside.show(-1);
    const { playback } = this;
    playback.setDragged(motion, proof);
    const isShown = motion !== null && proof !== null;
    this.timeline.list();
    playback.choose(isShown ? playback.motions.length - 1 : 0);
    if (isShown) playback.jump(t);
  }

  fit(view?: View): void {
    this.scene.fit(this.playback.motion, view);
    this.page.viewed();
  }

  /** Before each picture; whether another is wanted after it. */
  frame(seconds: number): boolean {
    const plays = this.playback.advance(seconds);
    const ghost = this.scene.beforePicture(seconds);
    return plays || ghost;
  }

  dispose(): void {
    this.isOver = true;
    this.map?.dispose();
    this.tour?.dispose();
    this.busy?.dispose();
    this.live?.dispose();
    this.beside.dispose();
    this.page.stage.scene.remove(this.beside.trace.group);
    this.playback.dispose();
    this.posture.dispose();
    this.scene.dispose();
  }
}
