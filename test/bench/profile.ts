import { Session } from 'node:inspector/promises';

/** Microseconds between two samples. */
const SAMPLE_US = 200;

/**
 * Profiles the CPU time of an operation.
 * @returns the milliseconds spent in each origin, such as a package or a source file
 */
export async function profiled(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await inspector.post('Profiler.start');
  await work();
  const { profile } = await inspector.post('Profiler.stop');
  inspector.disconnect();
  const origins = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, originOf(callFrame.url, callFrame.functionName)]),
  );
  const spent: Record<string, number> = {};
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const origin = origins.get(id) ?? '';
    spent[origin] = (spent[origin] ?? 0) + (profile.timeDeltas?.[index] ?? 0) / 1_000;
  }
  return spent;
}

function originOf(url: string, functionName: string): string {
  const path = url.split('/node_modules/')[1];
  if (path) return path.split('/', 1)[0] ?? '';
  const own = /src\/service\/[\w/]+\.ts$/.exec(url);
  if (own) return own[0];
  if (functionName === '(idle)' || functionName === '(garbage collector)') return functionName;
  return 'Node and everything else';
}
