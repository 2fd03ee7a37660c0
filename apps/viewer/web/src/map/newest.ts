// Asks one question at a time, always the newest.

export class Newest<Q, A> {
  private isBusy = false;
  private wanted: { question: Q } | null = null;
  private isOver = false;

  /** `told` gets an answer, its question, and how long it took in milliseconds; `failed` what went wrong. */
  constructor(
    private readonly ask: (question: Q) => Promise<A>,
    private readonly told: (answer: A, question: Q, milliseconds: number) => void,
    private readonly failed: (error: Error) => void,
  ) {}

  want(question: Q): void {
    this.wanted = { question };
    if (!this.isBusy) void this.run();
  }

  /** Whether an answer is waited for. */
  get waits(): boolean {
    return this.isBusy;
  }

  /** What is not asked yet is not asked. */
  forget(): void {
    this.wanted = null;
  }

  stop(): void {
    this.isOver = true;
    this.wanted = null;
  }

  private async run(): Promise<void> {
    this.isBusy = true;
    while (this.wanted && !this.isOver) {
      const { question } = this.wanted;
      this.wanted = null;
      const began = performance.now();
      try {
        const answer = await this.ask(question);
        if (!this.isOver) this.told(answer, question, performance.now() - began);
      } catch (error) {
        if (!this.isOver) this.failed(error as Error);
      }
    }
    this.isBusy = false;
  }
}
