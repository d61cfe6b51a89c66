import { env, type QuickPick, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Fix } from '../messages/actions.ts';
import type { MessageContext } from '../messages/fixLocation.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import { shownCheck } from './checkSentences.ts';
import {
  type Copying,
  conclusionOf,
  finalRows,
  type Row,
  reportText,
  runningRows,
  type ShownCheck,
} from './diagnosisView.ts';
import { versions } from './versions.ts';

/** The live list of *Diagnose Connection*. */

export interface DiagnosisOptions {
  /** What is known before anything is sent; shown first. */
  readonly preliminary: readonly ShownCheck[];
  /** The same for the report, which strangers read: without the names of this machine. */
  readonly reported: readonly ShownCheck[];
  readonly context: MessageContext;
  /** Runs the checks on the network; undefined where the settings allow none. */
  readonly run:
    | ((onResult: (result: CheckResult) => void, signal: AbortSignal) => Promise<unknown>)
    | undefined;
  /** Masks secrets in the report, though none should be in it. */
  readonly redact: (text: string) => string;
}

type RowItem = QuickPickItem & { readonly row: Row };

/**
 * Shows each check with its result as it goes, then the cause and its fix. Closing the list ends
 * what runs.
 * @returns the fix that was picked; undefined if the list was closed
 * @throws what the run throws, unless the list was closed
 */
export function showDiagnosis({
  preliminary,
  reported,
  context,
  run,
  redact,
}: DiagnosisOptions): Promise<Fix | undefined> {
  const pick = busyList();
  const closed = new AbortController();
  const checks = new Map(preliminary.map((check) => [check.title, check]));

  const paintRunning = () => {
    pick.items = runningRows([...checks.values()]).map(itemOf);
  };
  const paintEnd = (copying: Copying) => {
    const all = [...checks.values()];
    pick.busy = false;
    // In the part that wraps: a row cuts long sentences.
    pick.prompt = conclusionOf(all).text;
    pick.placeholder = 'Enter runs the marked line';
    const items = finalRows(all, copying).map(itemOf);
    pick.items = items;
    const wanted = copying === 'not-tried' ? 'fix' : 'copy';
    const marked =
      items.find(({ row }) => row.does === wanted) ?? items.find(({ row }) => row.does === 'copy');
    pick.activeItems = marked ? [marked] : [];
  };
  const namelessChecks = () => {
    const nameless = new Map(reported.map((check) => [check.title, check]));
    return [...checks].map(([title, check]) => nameless.get(title) ?? check);
  };
  const work = async () => {
    paintRunning();
    await run?.((result) => {
      const shown = shownCheck(result, context);
      checks.set(shown.title, shown);
      paintRunning();
    }, closed.signal);
    if (!closed.signal.aborted) paintEnd('not-tried');
  };
  const copyReport = async (): Promise<Copying> => {
    try {
      const header = { versions: versions(), date: new Date() };
      await env.clipboard.writeText(redact(reportText(namelessChecks(), header)));
      return 'done';
    } catch {
      return 'failed';
    }
  };

  return new Promise((resolve, reject) => {
    pick.onDidAccept(() => {
      const row = pick.selectedItems[0]?.row;
      if (row?.does === 'copy') {
        void copyReport().then((copying) => {
          if (!closed.signal.aborted) paintEnd(copying);
        });
      } else if (row?.does === 'fix') {
        resolve(row.fix);
        pick.hide();
      }
    });
    pick.onDidHide(() => {
      closed.abort();
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
    work().catch((error: unknown) => {
      if (!closed.signal.aborted) reject(error);
      pick.hide();
    });
  });
}

function busyList(): QuickPick<RowItem> {
  const pick = window.createQuickPick<RowItem>();
  pick.title = 'Diagnose Connection';
  pick.placeholder = 'Each check with its result';
  pick.prompt = 'Checking. Only the word hello is sent, and nothing is generated.';
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  return pick;
}

function itemOf(row: Row): RowItem {
  const { label, description, detail, isHeading } = row;
  return {
    row,
    label,
    ...(description !== undefined && { description }),
    ...(detail !== undefined && { detail }),
    ...(isHeading && { kind: QuickPickItemKind.Separator }),
  };
}
