/** No test is judged by how fast the machine is: none reads a clock, or waits for one. */

export interface ClockRule {
  readonly name: string;
  /** Where a text breaks the rule, as places in it. */
  readonly breaks: (text: string) => readonly number[];
  /** What must be caught. */
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

/** Calls of setTimeout, whatever a file calls it, with a number of four digits or more. */
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

/** The arguments of a call whose bracket has been opened just before. */
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

/** Files that may, each with what it needs a clock for. Nothing in them passes or fails by it. */
export const MAY_READ_CLOCKS: Readonly<Record<string, string>> = {
  'test/unit/clockRules.ts': 'names what the others may not',
  'test/fuzz/fuzz.ts': 'a seed that differs with each run',
  'test/unit/service/fixtures.ts': 'the same, and a clock that tests move',
  'test/vscode/deadline.ts': 'ends a wait that hangs',
  'test/vscode/screen.ts': 'the name of a picture of what failed',
  'test/emulator/emulator.ts': 'the clock of the emulated service, which tests move',
  'test/emulator/requests.ts': 'says of which clock its times are',
};

/** Where a file breaks a rule, as `path:line rule`. */
export function clockReads(path: string, text: string): string[] {
  return clockRules.flatMap(({ name, breaks }) =>
    breaks(text).map((at) => `${path}:${text.slice(0, at).split('\n').length} ${name}`),
  );
}
