import { type Disposable, EventEmitter, type TextDocument, window } from 'vscode';
import type { Target } from '../editor/capturedSelection.ts';
import { Previews } from '../editor/previews.ts';
import type { Undone } from '../editor/streamWriter.ts';
import { Announcements } from '../ui/announcements.ts';
import { setContextKey } from '../ui/contextKeys.ts';
import type { Job } from './job.ts';

/**
 * Number of recent jobs to keep. The number is limited because each job tracks changes to its
 * document.
 */
const KEPT = 20;

/** The running and most recent jobs in this window. */
export class RecentJobs implements Disposable {
  readonly previews = new Previews();
  readonly announcements = new Announcements();
  readonly #changed = new EventEmitter<void>();
  /** Fires when the result of `isActive` changes. May also fire at other times. */
  readonly onDidChangeActive = this.#changed.event;
  readonly #listener = window.onDidChangeActiveTextEditor(() => this.#updateContextKey());
  /** Oldest first. */
  readonly #kept: Job[] = [];
  /** The jobs that are generating, keyed by the controllers that cancel their runs. */
  readonly #generating = new Map<AbortController, Job>();
  #result: Job | undefined;

  /**
   * Adds a job. Forgets idle jobs, except the 20 most recent ones and the job for *Show Last
   * Response*.
   */
  add(job: Job): void {
    this.#kept.push(job);
    setContextKey('hasJobs');
    // After a rename, the new editor becomes active before the job switches to the renamed
    // document, so update the context key again.
    job.onDidFollow(() => this.#updateContextKey());
    for (const old of this.#kept.slice(0, -KEPT)) {
      if (old.isIdle && old !== this.#result) this.forget(old);
    }
  }

  forget(job: Job): void {
    const place = this.#kept.indexOf(job);
    if (place >= 0) this.#kept.splice(place, 1);
    job.dispose();
  }

  /** The most recent job for the active document. */
  get latest(): Job | undefined {
    return this.#here.at(-1);
  }

  /** The active document's most recent job with a truncated response that can be continued. */
  get latestTruncated(): Job | undefined {
    return this.#here.findLast((job) =>
      job.truncated.some((index) => job.canInsert(index, 'continue')),
    );
  }

  /** The job that most recently received text. */
  get result(): Job | undefined {
    return this.#result;
  }

  /**
   * Makes *Show Last Response* open this job's text. Called whenever the job receives text.
   */
  keepResult(job: Job): void {
    if (!this.#result) setContextKey('hasResult');
    this.#result = job;
  }

  isGeneratingFor(targets: readonly Target[]): boolean {
    return this.#kept.some((job) => job.isGeneratingFor(targets));
  }

  /**
   * Marks a run as generating so that `cancel` aborts it. Updates the `isGenerating` context key,
   * which enables the Escape keybinding.
   * @param controller cancels the run
   * @returns a function to call when the run ends
   */
  markGenerating(job: Job, controller: AbortController): () => void {
    this.#generating.set(controller, job);
    this.#updateContextKey();
    return () => {
      this.#generating.delete(controller);
      this.#updateContextKey();
    };
  }

  /**
   * True if the job's document is active. A preview counts as the document that it would change.
   */
  isActive(job: Job): boolean {
    return this.#here.includes(job);
  }

  /**
   * True if a message about this job has to name the job's document, because another document is
   * active, or because a message about another document is open. A new message replaces an open one
   * with the same text, so without the name, the user could no longer retry the other document's
   * job.
   */
  needsName(job: Job): boolean {
    const isOpenElsewhere = this.#kept.some(
      ({ document, openReports }) => document !== job.document && openReports > 0,
    );
    return isOpenElsewhere || !this.isActive(job);
  }

  /** Cancels all runs that are generating for the active document. */
  cancel(): void {
    for (const [controller, job] of this.#generating) if (this.isActive(job)) controller.abort();
  }

  /** True if a run is generating, for any document. */
  get isGenerating(): boolean {
    return this.#generating.size > 0;
  }

  /** Cancels all runs that are generating, for any document. */
  cancelAll(): void {
    for (const controller of this.#generating.keys()) controller.abort();
  }

  /** Undoes the active document's most recent job that still has something to undo. */
  async undo(): Promise<Undone> {
    for (const job of this.#here.toReversed()) {
      // While the user is still entering the prompt, there's nothing to undo.
      if (job.text === '' && !this.#isGenerating(job)) continue;
      const wasRunning = job.isRunning;
      const undone = await job.undo();
      if (undone !== 'nothing') return undone;
      // Canceling a job that hasn't written anything yet counts as an undo.
      if (wasRunning) return 'undone';
    }
    return 'nothing';
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
    for (const job of this.#kept) job.dispose();
    this.previews.dispose();
    this.announcements.dispose();
  }

  /** The jobs for the active document. */
  get #here(): readonly Job[] {
    const inUse: TextDocument | undefined =
      this.previews.activeDocument ?? window.activeTextEditor?.document;
    return this.#kept.filter((job) => job.usesDocument(inUse));
  }

  #updateContextKey(): void {
    const isGenerating = this.#here.some((job) => this.#isGenerating(job));
    setContextKey('isGenerating', isGenerating);
    this.#changed.fire();
  }

  #isGenerating(job: Job): boolean {
    return [...this.#generating.values()].includes(job);
  }
}
