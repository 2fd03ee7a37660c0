// Asks what is near or touches: one question at a time, always about the newest posture.

import { post, type Seen } from "./api";

export class Looker {
  private isBusy = false;
  private wanted: number[] | null = null;
  private isOver = false;

  constructor(private readonly seen: (seen: Seen, posture: number[]) => void) {}

  ask(posture: ArrayLike<number>): void {
    this.wanted = Array.from(posture);
    if (!this.isBusy) void this.run();
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.wanted && !this.isOver) {
      const posture = this.wanted;
      this.wanted = null;
      try {
        const seen = await post<Seen>("/api/look", { posture });
        if (!this.isOver) this.seen(seen, posture);
      } catch {
        // The server has gone, or is ending: what was seen last stays.
        break;
      }
    }
    this.isBusy = false;
  }

  stop(): void {
    this.isOver = true;
  }
}
