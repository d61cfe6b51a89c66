import { commands, window } from 'vscode';
import type { App } from './app.ts';
import { credentialsToDiagnose } from './credentials/diagnosed.ts';
import { openEnvFile } from './credentials/outside.ts';
import type { Used } from './editor/generate.ts';
import type { CheckResult } from './service/diagnose.ts';
import { isKind, isOutOfReach, redact, type ServiceError } from './service/errors.ts';
import { readSettings } from './settings.ts';
import { showDiagnosis } from './ui/diagnosis.ts';
import { messageFor } from './ui/messages.ts';
import { cancellable } from './ui/progress.ts';

/** Finds the cause of a failure: when the user asks for it, and after a refusal that tells none. */

/** Runs all checks in a list that stays open, and then the fix that the user picks. */
export async function diagnoseConnection(app: App): Promise<void> {
  for (;;) {
    const { preliminary, credentials } = await credentialsToDiagnose(await app.access());
    const settings = readSettings(window.activeTextEditor?.document.uri);
    const session = credentials && (await app.session());
    const run = async (onResult: (result: CheckResult) => void, signal: AbortSignal) => {
      if (!credentials) return;
      const failure = await runChecks(app, { credentials, settings }, onResult, signal);
      app.status.update({
        unreachable: isOutOfReach(failure),
        lastFailure: failure && messageFor(failure),
      });
    };
    const fix = await showDiagnosis({
      preliminary,
      run: credentials && run,
      redact: (text) => (session ? session.redact(text) : redact(text)),
    });
    if (fix === undefined) return;
    if (fix === 'approve') await (await app.access()).require();
    else if (fix === 'openEnvFile') return openEnvFile();
    else if (fix !== 'retry') {
      await commands.executeCommand(`hostedModel.${fix}`);
      return;
    }
  }
}

/**
 * What a generation failed with, or where the service only refused the token or the rights, what
 * the same checks find to be the cause. Generates nothing; at most one run for each failure.
 */
export async function explained(app: App, error: unknown, used: Used): Promise<unknown> {
  if (!isKind(error, 'unauthorized', 'forbidden')) return error;
  app.log.info(`finding the cause of: ${error.message}`);
  const { explain } = await import('./service/explain.ts');
  try {
    const failure = await cancellable('finding the cause…', (signal) =>
      runChecks(app, used, () => {}, signal),
    );
    return explain(error, failure);
  } catch (cause) {
    if (isKind(cause, 'cancelled')) return error;
    throw cause;
  }
}

/** @returns the first failure; undefined if all checks passed */
async function runChecks(
  app: App,
  { credentials, settings }: Used,
  onResult: (result: CheckResult) => void,
  signal: AbortSignal,
): Promise<ServiceError | undefined> {
  const { diagnose } = await import('./service/diagnose.ts');
  const session = await app.session();
  const note = (result: CheckResult) => {
    if (result.state !== 'running') app.log.info(`check ${result.check}: ${outcome(result)}`);
    onResult(result);
  };
  const ends = AbortSignal.any([signal, app.signOutSignal]);
  const { failure } = await diagnose({ session, credentials, settings }, note, ends);
  return failure;
}

function outcome(result: CheckResult): string {
  return result.state === 'failed' ? result.error.message : result.state;
}
