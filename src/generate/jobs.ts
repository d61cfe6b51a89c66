import { type Disposable, type TextDocument, window } from 'vscode';
import { Previews } from '../editor/previews.ts';
import type { Undone } from '../editor/streamWriter.ts';
import type { Target } from '../editor/target.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import { Announcements } from '../ui/notify.ts';
import type { Job } from './job.ts';

/** How many generations are kept; each one follows the changes of its document. */
const KEPT = 20;

/** The generations of this window: those that run, and the last ones. */
export class Jobs implements Disposable {
  readonly previews = new Previews();
  readonly announcements = new Announcements();
  readonly #listener = window.onDidChangeActiveTextEditor(() => this.#sayWhetherRunning());
  /** The last one at the end. */
  readonly #kept: Job[] = [];
  #result: Job | undefined;

  /**
   * Keeps a job. Forgets idle ones that are older than the last 20, except the one that Show Last
   * Result opens.
   */
  add(job: Job): void {
    this.#kept.push(job);
    setContextKey('hasJobs');
    for (const old of this.#kept.slice(0, -KEPT)) {
      if (old.isIdle && old !== this.#result) this.forget(old);
    }
  }

  forget(job: Job): void {
    const place = this.#kept.indexOf(job);
    if (place >= 0) this.#kept.splice(place, 1);
    job.dispose();
  }

  /** The last one about the document in use. */
  get latest(): Job | undefined {
    return this.#here.at(-1);
  }

  /** The last one that any text came for. */
  get result(): Job | undefined {
    return this.#result;
  }

  /** Text came for this one: now it is what *Show Last Response* shows. */
  keepResult(job: Job): void {
    this.#result = job;
  }

  isAtWorkOn(targets: readonly Target[]): boolean {
    return this.#kept.some((job) => job.isAtWorkOn(targets));
  }

  /** Lets keybindings know that a job is running. @returns ends that, and lets others run its answers */
  markRunning(job: Job, controller: AbortController): () => void {
    this.#sayWhetherRunning();
    return () => {
      job.activeRuns.release(controller);
      this.#sayWhetherRunning();
    };
  }

  /** Stops what is generated for the document in use. */
  cancel(): void {
    for (const job of this.#here) job.cancel();
  }

  /** Takes back the last generation in the document in use of which anything is left. */
  async undo(): Promise<Undone> {
    for (const job of this.#here.toReversed()) {
      const wasRunning = job.isRunning;
      const undone = await job.undo();
      if (undone !== 'nothing') return undone;
      // One that had written nothing yet is stopped, and that was what was meant.
      if (wasRunning) return 'undone';
    }
    return 'nothing';
  }

  dispose(): void {
    this.#listener.dispose();
    for (const job of this.#kept) job.dispose();
    this.previews.dispose();
    this.announcements.dispose();
  }

  /** Those about the document in use; a preview stands for the document that it would change. */
  get #here(): readonly Job[] {
    const inUse: TextDocument | undefined =
      this.previews.documentInUse ?? window.activeTextEditor?.document;
    return this.#kept.filter((job) => job.isAbout(inUse));
  }

  #sayWhetherRunning(): void {
    const isGenerating = this.#here.some(({ isRunning }) => isRunning);
    setContextKey('isGenerating', isGenerating);
  }
}
