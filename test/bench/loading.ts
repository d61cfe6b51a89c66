import { Child } from './child.ts';

/**
 * Measures how long it takes to load code, or to activate an extension, in a process that imitates
 * an extension host. Each round loads every path once, each time in a new process.
 * @returns the times measured in all rounds, in milliseconds, by name
 */
export async function loadInTurn<Name extends string>(
  how: 'activate' | 'load',
  paths: Readonly<Record<Name, string>>,
  rounds: number,
): Promise<Map<Name, number[]>> {
  const names = Object.keys(paths) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  // The first round doesn't count, because it reads the files from disk.
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const host = new Child('test/bench/hostModel.ts');
      const ms = await host.ask<number>(how, paths[name]);
      host.end();
      if (round >= 0) times.get(name)?.push(ms);
    }
  }
  return times;
}
