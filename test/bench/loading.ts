import { Child } from './child.ts';

/**
 * What loading takes in a model of the extension host, each time in a new process, in turn.
 * @returns milliseconds by name, one for each round
 */
export async function loadInTurn<Name extends string>(
  how: 'activate' | 'load',
  paths: Readonly<Record<Name, string>>,
  rounds: number,
): Promise<Map<Name, number[]>> {
  const names = Object.keys(paths) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  // The first round brings the files into memory.
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
