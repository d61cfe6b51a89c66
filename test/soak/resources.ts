import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { activeResources } from '../activeResources.ts';

/** The resources that a process uses after garbage collection. */
export interface Resources {
  readonly heapBytes: number;
  readonly sockets: number;
  readonly timers: number;
}

/**
 * Returns the resources in use. Each connection counts as two sockets, because the service runs in
 * the same process.
 */
export async function resources(): Promise<Resources> {
  await collectGarbage();
  return {
    heapBytes: process.memoryUsage().heapUsed,
    sockets: activeResources('TCPSocketWrap', 'TLSWrap'),
    timers: activeResources('Timeout', 'Immediate'),
  };
}

/**
 * Collects garbage several times, because the finalizers of one round create garbage for the next.
 */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('This Node has no gc');
  for (let round = 0; round < 4; round += 1) {
    await turn();
    collect();
  }
}
