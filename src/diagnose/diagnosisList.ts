import { type QuickPick, type QuickPickItem, QuickPickItemKind, window } from 'vscode';
import type { Fix } from '../messages/actions.ts';
import { showInput } from '../ui/steps.ts';
import {
  COPY_DETAILS,
  COPY_LABELS,
  type Copied,
  conclusionOf,
  conclusionTitle,
  fixLabel,
  LIST_TEXTS,
  type ShownCheck,
  STATE_WORDS,
} from './checkMessages.ts';

/** The *Diagnose Connection* list, which is updated while the checks run. */

export interface DiagnosisOptions {
  /** Runs all checks in order, and calls `show` each time a check's state changes. */
  readonly run: (show: (check: ShownCheck) => void, signal: AbortSignal) => Promise<void>;
  /** Copies a report with these checks. */
  readonly copy: (checks: readonly ShownCheck[]) => Promise<Copied>;
}

export interface Row extends QuickPickItem {
  /** The effect of picking the row; `none` for a row that only shows information. */
  readonly does: 'fix' | 'copy' | 'none';
  readonly fix?: Fix;
}

/**
 * Shows each check and its result while the checks run, then the conclusion and a fix for the
 * problem. Closing the list aborts the checks.
 * @returns the fix that was picked; undefined if the list was closed
 * @throws any error from `run` or `copy`, unless the list was closed
 */
export function showDiagnosis({ run, copy }: DiagnosisOptions): Promise<Fix | undefined> {
  const pick = busyList();
  const closed = new AbortController();
  // The checks, keyed by title, in the order in which they started.
  const checks = new Map<string, ShownCheck>();
  const paintEnd = (copied: Copied | 'not-tried') => {
    const all = [...checks.values()];
    pick.busy = false;
    // Show the conclusion as the prompt, because long sentences are cut off in rows.
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
    await run((check) => {
      checks.set(check.title, check);
      pick.items = [...checks.values()].map(rowOf);
    }, closed.signal);
    if (!closed.signal.aborted) paintEnd('not-tried');
  };
  return showInput<Fix | undefined>(pick, (answer, fail) => {
    work().catch(fail);
    return [
      { dispose: () => closed.abort() },
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        if (row?.does === 'fix') answer(row.fix);
        if (row?.does !== 'copy') return;
        copy([...checks.values()])
          .then((copied) => {
            if (!closed.signal.aborted) paintEnd(copied);
          })
          .catch(fail);
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

/**
 * Returns the rows to show after all checks have run: the conclusion, its fix, and *Copy Report*,
 * followed by the checks.
 */
export function finalRows(checks: readonly ShownCheck[], copied: Copied | 'not-tried'): Row[] {
  const conclusion = conclusionOf(checks);
  // The conclusion is the active row's detail, because a screen reader reads only that row.
  const { text: detail, state, fix } = conclusion;
  const wasTried = copied !== 'not-tried';
  const copyDetail = wasTried ? { detail: COPY_DETAILS[copied] } : !fix && { detail };
  return [
    { does: 'none', label: `$(${ICONS[state]}) ${conclusionTitle(conclusion)}` },
    ...(fix ? [{ does: 'fix', label: `$(wand) ${fixLabel(fix)}`, detail, fix } as const] : []),
    { does: 'copy', label: COPY_LABELS[copied], ...copyDetail },
    { does: 'none', label: LIST_TEXTS.checks, kind: QuickPickItemKind.Separator },
    // The conclusion is already shown above, so don't repeat its text.
    ...checks.map((check) => rowOf(check.text === detail ? { ...check, text: '' } : check)),
  ];
}

/**
 * Returns the row for a check. The text of a passed or running check is shown next to the title,
 * where VS Code may cut it off. Any other text is shown below the title.
 */
export function rowOf({ title, state, text }: ShownCheck): Row {
  const label = `$(${ICONS[state]}) ${title}: ${STATE_WORDS[state]}`;
  if (text === '') return { does: 'none', label };
  const isShort = state === 'passed' || state === 'running';
  return { does: 'none', label, ...(isShort ? { description: text } : { detail: text }) };
}
