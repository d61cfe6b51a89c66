/**
 * Rules against tests that read clocks, wait for a second or longer, or are retried. Such tests
 * depend on the machine's speed.
 */

export interface ClockRule {
  readonly name: string;
  /** Returns the offset of each violation in the text. */
  readonly breaks: (text: string) => readonly number[];
  /** Code samples that break the rule, to prove that the rule catches them. */
  readonly planted: readonly string[];
}

const found =
  (expression: RegExp) =>
  (text: string): number[] =>
    Array.from(text.matchAll(expression), ({ index }) => index);

export const clockRules: readonly ClockRule[] = [
  {
    name: 'reads the time',
    breaks: found(/\bperformance\.now\b|\bDate\.now\b|\bnew Date\(\)/g),
    planted: ['const from = performance.now();', 'call(Date.now);', 'const now = new Date();'],
  },
  {
    name: 'reads CPU or wait times',
    breaks: found(/\bprocess\.(?:cpuUsage|threadCpuUsage|hrtime|resourceUsage)\b|\bschedstat\b/g),
    planted: ['process.cpuUsage();', 'process.hrtime.bigint();', "'/proc/self/schedstat'"],
  },
  {
    name: 'is retried after a failure',
    breaks: found(/\bthis\.retries\(/g),
    planted: ['    this.retries(2);'],
  },
  {
    name: 'waits for a second or longer',
    breaks: longWaits,
    planted: [
      'setTimeout(resolve, 1_000);',
      'setTimeout(() => {\n  end(one, 2);\n}, 60_000);',
      "import { setTimeout as pause } from 'node:timers/promises';\nawait pause(2500);",
    ],
  },
];

/**
 * Returns the offsets of setTimeout calls that wait 1,000 ms or longer, even if setTimeout was
 * imported under another name.
 */
function longWaits(text: string): number[] {
  const imported = /\bsetTimeout(?: as (\w+))?[^;]*from 'node:timers\/promises'/.exec(text);
  const isPromised = imported !== null;
  const name = imported?.[1] ?? 'setTimeout';
  const calls = new RegExp(String.raw`(?<!\.)\b(?:${name}|setTimeout)\(`, 'g');
  return Array.from(text.matchAll(calls)).flatMap(({ 0: call, index }) => {
    const given = argumentsFrom(text, index + call.length);
    const ms = isPromised && call === `${name}(` ? given[0] : given[1];
    return /^[1-9][\d_]*\d$/.test(ms ?? '') && Number(ms?.replaceAll('_', '')) >= 1_000
      ? [index]
      : [];
  });
}

/** Returns the arguments of a call. `start` is the offset after the opening parenthesis. */
function argumentsFrom(text: string, start: number): string[] {
  const given = [''];
  let depth = 0;
  for (const character of text.slice(start)) {
    if (/[([{]/.test(character)) depth += 1;
    if (/[)\]}]/.test(character)) depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) given.push('');
    else given[given.length - 1] += character;
  }
  return given.map((each) => each.trim());
}

/** Files that are allowed to read the clock, and why. */
export const MAY_READ_CLOCKS: Readonly<Record<string, string>> = {
  'test/unit/clockRules.ts': 'contains the patterns of the rules',
  'test/fuzz/fuzz.ts': 'uses the time as a seed that differs in each run',
  'test/unit/service/fixtures.ts':
    'uses the time as a seed, and contains a clock that tests control',
  'test/vscode/deadline.ts': 'ends waits that take too long',
  'test/vscode/screen.ts': 'puts the time into the name of a screenshot',
  'test/emulator/emulator.ts': 'contains the clock of the emulated service',
  'test/emulator/requests.ts': 'mentions a clock in a comment',
};

/** Returns the lines on which a file breaks a rule, as `path:line rule`. */
export function clockReads(path: string, text: string): string[] {
  return clockRules.flatMap(({ name, breaks }) =>
    breaks(text).map((at) => `${path}:${text.slice(0, at).split('\n').length} ${name}`),
  );
}
