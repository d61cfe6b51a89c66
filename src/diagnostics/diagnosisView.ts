import { ACTION_LABELS, type Fix } from '../messages/actions.ts';

/** What *Diagnose Connection* shows, as a pure function of its checks: rows, cause and report. */

export interface ShownCheck {
  /** What is checked. */
  readonly title: string;
  readonly state: 'running' | 'passed' | 'warning' | 'failed' | 'not-run';
  /** What was found, a sentence; empty while nothing is known. */
  readonly text: string;
  /** The one way out of what was found. */
  readonly fix?: Fix | undefined;
  /** Kind, status, code and number of the request; for the report. */
  readonly facts?: string;
}

export interface Row {
  /** What picking the row does; `none` for a row that only tells. */
  readonly does: 'fix' | 'copy' | 'none';
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly fix?: Fix;
  /** A heading above rows, which cannot be picked. */
  readonly isHeading?: boolean;
}

export interface Conclusion {
  /** Every check is over, and this is what they come to. */
  readonly text: string;
  readonly title: string;
  readonly state: 'passed' | 'warning' | 'failed';
  readonly fix: Fix | undefined;
}

const ICONS: Readonly<Record<ShownCheck['state'], string>> = {
  running: 'loading~spin',
  passed: 'pass-filled',
  warning: 'warning',
  failed: 'error',
  'not-run': 'circle-slash',
};

/** For those who do not see the icons. */
const WORDS: Readonly<Record<ShownCheck['state'], string>> = {
  running: 'checking',
  passed: 'passed',
  warning: 'warning',
  failed: 'failed',
  'not-run': 'not run',
};

/** The label of a fix: after it is another diagnosis, where a generation would be tried again. */
export function fixLabel(fix: Fix): string {
  return fix === 'retry' ? 'Check Again' : ACTION_LABELS[fix];
}

/** What all checks come to: the first failure, else the first warning, else that all is well. */
export function conclusionOf(checks: readonly ShownCheck[]): Conclusion {
  for (const state of ['failed', 'warning'] as const) {
    const found = checks.find((check) => check.state === state);
    if (found) return { text: found.text, title: found.title, state, fix: found.fix };
  }
  return {
    text: 'All checks passed. What only a generation can show was not tried.',
    title: 'All checks passed',
    state: 'passed',
    fix: undefined,
  };
}

/** What became of the report. */
export type Copying = 'not-tried' | 'done' | 'failed';

const COPY_LABELS: Readonly<Record<Copying, string>> = {
  'not-tried': '$(copy) Copy Report',
  done: '$(check) Report Copied',
  // As in a browser that does not allow it.
  failed: '$(warning) The Report Could Not Be Copied. Try Again',
};

/** One row for each check while they run. */
export function runningRows(checks: readonly ShownCheck[]): Row[] {
  return checks.map(rowOf);
}

/** What is the cause, its fix and the report above the checks. */
export function finalRows(checks: readonly ShownCheck[], copying: Copying): Row[] {
  const { text, title, state, fix } = conclusionOf(checks);
  const icon = `$(${ICONS[state]})`;
  const cause = state === 'passed' ? title : `${causeWord(state)}: ${title}`;
  // Below the row that is marked at the end: a screen reader reads that one, and no other.
  const detail = text;
  return [
    { does: 'none', label: `${icon} ${cause}` },
    ...(fix ? [{ does: 'fix', label: `$(wand) ${fixLabel(fix)}`, detail, fix } as const] : []),
    { does: 'copy', label: COPY_LABELS[copying], ...(!fix && { detail }) },
    { does: 'none', label: 'Checks', isHeading: true },
    // What is the cause stands above; it need not be read twice.
    ...checks.map((check) => rowOf(check.text === text ? { ...check, text: '' } : check)),
  ];
}

export interface ReportHeader {
  /** Name and version of this extension and of the editor, and the system. */
  readonly versions: readonly string[];
  readonly date: Date;
}

/** The report as plain text: what the list shows, and the facts that support asks for. */
export function reportText(
  checks: readonly ShownCheck[],
  { versions, date }: ReportHeader,
): string {
  const lines = checks.map(({ title, state, text, facts }) => {
    const found = [text, facts && `[${facts}]`].filter(Boolean).join(' ');
    return `${title}: ${WORDS[state]}${found && `. ${found}`}`;
  });
  const { text, fix } = conclusionOf(checks);
  const conclusion = fix ? `${text} Fix: ${fixLabel(fix)}` : text;
  return [...versions, date.toISOString(), '', ...lines, '', conclusion, ''].join('\n');
}

/** What was found stands beside a check that passed, and below one that needs more words. */
function rowOf({ title, state, text }: ShownCheck): Row {
  const label = `$(${ICONS[state]}) ${title}: ${WORDS[state]}`;
  if (text === '') return { does: 'none', label };
  const isShort = state === 'passed' || state === 'running';
  return { does: 'none', label, ...(isShort ? { description: text } : { detail: text }) };
}

function causeWord(state: 'warning' | 'failed'): string {
  return state === 'failed' ? 'Cause' : 'Worth knowing';
}
