import { env, Range, window } from 'vscode';
import { inLines } from '../diagnostics/reportFailure.ts';
import { editDocument } from '../document/documentEdit.ts';
import { openEmpty } from '../document/openDocument.ts';
import type { Undone } from '../document/streamWriter.ts';
import { announce, inform } from '../ui/notify.ts';
import type { Job, Result } from './job.ts';
import type { RunMode } from './run.ts';

/** What is said about answers that came, and what can be done with them. */

const CONTINUE = 'Continue';
const TRY_AGAIN = 'Try Again';
const UNDO = 'Undo Generation';

/** Generates answers of the job once more. */
export type RunAgain = (answers: readonly number[], runMode: RunMode) => Promise<void>;

/**
 * @param isPlaced whether all of them stand where they should; else something was said already
 */
export async function tellOutcome(job: Job, isPlaced: boolean, runAgain: RunAgain): Promise<void> {
  tellRemoved(job);
  const { cut } = job;
  if (cut.length > 0) await offerMore(job, cut, runAgain);
  else if (job.text === '') {
    inform('the model had nothing to say to this text. Another prompt or model may do better.');
  } else if (isPlaced) {
    const done = job.answers.length > 1 ? 'all answers are complete' : 'the answer is complete';
    announce(job.whenDone ?? done);
  }
}

async function offerMore(job: Job, cut: readonly number[], runAgain: RunAgain): Promise<void> {
  const which =
    job.answers.length === 1 ? 'the answer' : `${cut.length} of ${job.answers.length} answers`;
  const text = `Hosted Model: the service cut ${which}, since a limit of tokens or time was reached.`;
  const picked = await window.showInformationMessage(text, CONTINUE, TRY_AGAIN, UNDO);
  if (picked === CONTINUE) await continueAnswers(job, runAgain);
  if (picked === TRY_AGAIN) await runAgain(cut, 'restart');
  if (picked === UNDO) tellUndone(await job.undo());
}

/** Continues what the service cut. */
export async function continueAnswers(job: Job | undefined, runAgain: RunAgain): Promise<void> {
  if (!job || job.cut.length === 0) return inform('there is no answer here that the service cut.');
  if (job.isTakenBack) return inform('that answer was taken back. Generate a new one.');
  await runAgain(job.cut, 'continue');
}

/** Says why nothing was taken back; that something was is seen. */
export function tellUndone(undone: Undone): void {
  if (undone === 'nothing') inform('there is no generated text here to take back.');
  if (undone === 'refused') {
    inform(
      'the generated text could not be taken back. Most likely the document was closed or is read-only.',
    );
  }
}

function tellRemoved({ removed }: Job): void {
  if (removed === 0) return;
  const what = removed === 1 ? 'One character' : `${removed} characters`;
  inform(
    `${what} that cannot be seen or that control the terminal ${removed === 1 ? 'was' : 'were'} taken out of the answer. Show Last Result has it as it came.`,
  );
}

/** Opens a result in a new document. */
export async function showResult(result: Result | undefined): Promise<void> {
  if (result) {
    const document = await openEmpty(result.languageId);
    await editDocument(document, [[new Range(0, 0, 0, 0), result.text]]);
    await window.showTextDocument(document);
  } else {
    const nothing = 'Hosted Model has generated nothing in this window yet.';
    await window.showInformationMessage(nothing);
  }
}

/**
 * Says that a text could not be placed, and offers it for as long as the message is open.
 * @param lines of the selections that it answers, where there are several
 */
export async function offerResult(result: Result, lines: readonly number[] = []): Promise<void> {
  if (result.text === '') return;
  const openIt = 'Open in New Document';
  const copyIt = 'Copy';
  const picked = await window.showWarningMessage(
    `Hosted Model: ${inLines(lines)}the answer could not be put into the document, since it was closed, read-only or changed at that place. Show Last Result has it until the next one comes.`,
    openIt,
    copyIt,
  );
  if (picked === openIt) await showResult(result);
  if (picked === copyIt) await env.clipboard.writeText(result.text);
}
