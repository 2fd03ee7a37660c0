// Asks what is near or touches: one question at a time, always about the newest posture.

import type { Seen, Source } from "./api";

/** What was seen of a posture that is older than this is forgotten, in milliseconds. */
const LATE = 1000;

export class Looker {
  private isBusy = false;
  private wanted: number[] | null = null;
  private isOver = false;
  private late = 0;
  /** Whether the answer that is under way is about something that is not shown any more. */
  private skipped = false;

  /** `seen` is told an answer and what it is about; none where there is none in time, or, which `lost` says, none to come. */
  constructor(
    private readonly source: Source,
    private readonly seen: (seen: Seen | null, posture: number[], lost: boolean) => void,
  ) {}

  ask(posture: ArrayLike<number>): void {
    this.wanted = Array.from(posture);
    if (this.late === 0) this.late = window.setTimeout(() => this.forget(), LATE);
    if (!this.isBusy) void this.run();
  }

  /** What was asked before is not wanted any more: the answer is known from elsewhere. */
  skip(): void {
    this.wanted = null;
    this.skipped = this.isBusy;
    window.clearTimeout(this.late);
    this.late = 0;
  }

  private forget(lost = false): void {
    window.clearTimeout(this.late);
    this.late = 0;
    if (!this.isOver) this.seen(null, [], lost);
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.wanted && !this.isOver) {
      const posture: number[] = this.wanted;
      this.wanted = null;
      this.skipped = false;
      try {
        const seen = await this.source.post<Seen>("look", { posture });
        window.clearTimeout(this.late);
        // What was asked meanwhile has its own time.
        this.late = this.wanted ? window.setTimeout(() => this.forget(), LATE) : 0;
        if (!this.isOver && !this.skipped) this.seen(seen, posture, false);
      } catch {
        // The server has gone, or shows other files: nothing is known of this posture.
        this.forget(true);
        break;
      }
    }
    this.isBusy = false;
  }

  stop(): void {
    this.isOver = true;
    window.clearTimeout(this.late);
  }
}
