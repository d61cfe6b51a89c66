import { type QuickPick, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Fix } from '../messages/actions.ts';
import type { CheckResult } from '../service/checks/diagnose.ts';
import { answered } from '../ui/steps.ts';
import {
  COPY_LABELS,
  type Copied,
  conclusionOf,
  conclusionTitle,
  fixLabel,
  LIST_TEXTS,
  type ShownCheck,
  STATE_WORDS,
  shownCheck,
} from './checkMessages.ts';
import type { Diagnosed } from './preliminaryChecks.ts';

/** The live list of *Diagnose Connection*. */

export interface DiagnosisOptions extends Pick<Diagnosed, 'preliminary' | 'context'> {
  /** Runs the checks on the network; undefined where the settings allow none. */
  readonly run:
    | ((onResult: (result: CheckResult) => void, signal: AbortSignal) => Promise<unknown>)
    | undefined;
  /** Copies a report of all checks, of which these are on the network. */
  readonly copy: (onNetwork: readonly ShownCheck[]) => Promise<Copied>;
}

export interface Row extends QuickPickItem {
  /** What picking the row does; `none` for a row that only tells. */
  readonly does: 'fix' | 'copy' | 'none';
  readonly fix?: Fix;
}

/**
 * Shows each check with its result as it goes, then the cause and its fix. Closing the list ends
 * what runs.
 * @returns the fix that was picked; undefined if the list was closed
 * @throws what the run throws, unless the list was closed
 */
export function showDiagnosis({
  preliminary,
  context,
  run,
  copy,
}: DiagnosisOptions): Promise<Fix | undefined> {
  const pick = busyList();
  const closed = new AbortController();
  const onNetwork = new Map<string, ShownCheck>();
  const paintRunning = () => {
    pick.items = [...preliminary, ...onNetwork.values()].map(rowOf);
  };
  const paintEnd = (copied: Copied | 'not-tried') => {
    const all = [...preliminary, ...onNetwork.values()];
    pick.busy = false;
    // In the part that wraps: a row cuts long sentences.
    pick.prompt = conclusionOf(all).text;
    pick.placeholder = LIST_TEXTS.placeholderAtEnd;
    const rows = finalRows(all, copied);
    pick.items = rows;
    const wanted = copied === 'not-tried' ? 'fix' : 'copy';
    const marked =
      rows.find(({ does }) => does === wanted) ?? rows.find(({ does }) => does === 'copy');
    pick.activeItems = marked ? [marked] : [];
  };
  const work = async () => {
    paintRunning();
    await run?.((result) => {
      const shown = shownCheck(result, context);
      onNetwork.set(shown.title, shown);
      paintRunning();
    }, closed.signal);
    if (!closed.signal.aborted) paintEnd('not-tried');
  };
  return answered<Fix | undefined>(pick, (answer, fail) => {
    work().catch(fail);
    return [
      { dispose: () => closed.abort() },
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        if (row?.does === 'fix') answer(row.fix);
        if (row?.does !== 'copy') return;
        void copy([...onNetwork.values()]).then((copied) => {
          if (!closed.signal.aborted) paintEnd(copied);
        });
      }),
    ];
  });
}

function busyList(): QuickPick<Row> {
  const pick = window.createQuickPick<Row>();
  pick.title = LIST_TEXTS.title;
  pick.placeholder = LIST_TEXTS.placeholder;
  pick.prompt = LIST_TEXTS.prompt;
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  return pick;
}

const ICONS: Readonly<Record<ShownCheck['state'], string>> = {
  running: 'loading~spin',
  passed: 'pass-filled',
  warning: 'warning',
  failed: 'error',
  'not-run': 'circle-slash',
};

/** What is the cause, its fix and the report above the checks. */
export function finalRows(checks: readonly ShownCheck[], copied: Copied | 'not-tried'): Row[] {
  const conclusion = conclusionOf(checks);
  // Below the row that is marked at the end: a screen reader reads that one, and no other.
  const { text: detail, state, fix } = conclusion;
  return [
    { does: 'none', label: `$(${ICONS[state]}) ${conclusionTitle(conclusion)}` },
    ...(fix ? [{ does: 'fix', label: `$(wand) ${fixLabel(fix)}`, detail, fix } as const] : []),
    { does: 'copy', label: COPY_LABELS[copied], ...(!fix && { detail }) },
    { does: 'none', label: LIST_TEXTS.checks, kind: QuickPickItemKind.Separator },
    // What is the cause stands above; it need not be read twice.
    ...checks.map((check) => rowOf(check.text === detail ? { ...check, text: '' } : check)),
  ];
}

/** What was found stands beside a check that passed, and below one that needs more words. */
export function rowOf({ title, state, text }: ShownCheck): Row {
  const label = `$(${ICONS[state]}) ${title}: ${STATE_WORDS[state]}`;
  if (text === '') return { does: 'none', label };
  const isShort = state === 'passed' || state === 'running';
  return { does: 'none', label, ...(isShort ? { description: text } : { detail: text }) };
}
