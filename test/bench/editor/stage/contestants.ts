/**
 * The product and the small extensions that it is compared with. Each contestant reaches the
 * identity and inference services over its own simulated links, so no contestant uses another
 * contestant's connections.
 */
import type { ServiceName } from '../../../emulator/inFlight.ts';
import { extensionId } from '../../../extensionId.ts';
import type { LineEvent, Pace } from '../../lineProcess.ts';
import type { Row } from '../../question.ts';
import type { Driver } from './driver.ts';
import { compared } from './figures.ts';
import { peerIds } from './install.ts';
import type { Addresses, Ran, Run } from './protocol.ts';
import { addressesByLine, onStage, type Stage } from './stage.ts';

export const titles = {
  product: 'Hosted Model',
  onHttp: 'Node’s http with a keep-alive agent',
  onSdk: 'official SDK',
  onFetch: 'fetch',
} as const;
export type Contestant = keyof typeof titles;
export const contestants = Object.keys(titles) as Contestant[];

/**
 * The properties of a link to a service on another continent. The service closes idle connections
 * after 5 s.
 */
export const far = { roundTripMs: 500, handshakes: 2, idleMs: 5_000 } satisfies Pace;

/** The result of a contestant's command. `startedAt` and `endedAt` are times from `clockMs`. */
export interface Generation extends Pick<Ran, 'startedAt' | 'endedAt'> {
  /** Milliseconds from the command to the first character in the document. */
  readonly firstMs: number;
  /**
   * The events that occurred on this contestant's links during the command. `service` is the
   * service at the far end of the link.
   */
  readonly events: readonly (LineEvent & { readonly service: ServiceName })[];
}

export interface Window {
  /** Runs a contestant's command, by default on one selected line. */
  generate(who: Contestant, how?: Partial<Run>): Promise<Generation>;
}

/** @param use receives a function that opens a new window at the given distance from the service */
export function withContestants<Value>(
  use: (open: (distance: 'far' | 'near') => Promise<Window>) => Promise<Value>,
): Promise<Value> {
  return onStage(
    async (stage) => {
      const { lines, emulator, workbench } = stage;
      emulator.settings.answer = () => ['Dear', ' reader', ','];
      const addresses = { product: stage.addresses } as Record<Contestant, Addresses>;
      for (const who of contestants) addresses[who] ??= await addressesByLine(lines, emulator.url);
      const driver = await stage.start();
      await driver.do('activate', []);
      await stage.storeKey();
      return use(async (distance) => {
        const driver = await stage.start();
        await driver.do('activate', [extensionId, ...peerIds]);
        await workbench.statusItem('hostedModel.token').waitFor({ text: /Hosted Model/ });
        await lines.ask('pace', distance === 'far' ? far : { ...far, roundTripMs: 0 });
        return { generate: (who, how) => generate(stage, driver, who, addresses[who], how) };
      });
    },
    { isByLine: true },
  );
}

async function generate(
  { lines }: Stage,
  driver: Driver,
  who: Contestant,
  addresses: Addresses,
  how: Partial<Run> = {},
): Promise<Generation> {
  await lines.ask('events');
  const { startedAt, changedAt, endedAt, text } = await driver.do('run', {
    command: who === 'product' ? 'hostedModel.generateFromSelection' : `bench.${who}`,
    argument: addresses,
    text: 'Write a letter.',
    lines: [0],
    ...how,
  });
  const [firstAt] = changedAt;
  const wanted = how.lines?.length ?? 1;
  if (firstAt === undefined || text.split('Dear reader,').length !== wanted + 1) {
    throw new Error(`${titles[who]} left unexpected text: ${text}`);
  }
  const portOf = (address: string) => Number(new URL(address).port);
  const services = new Map<number, ServiceName>([
    [portOf(addresses.authUrl), 'identity'],
    [portOf(addresses.url), 'inference'],
  ]);
  const events = (await lines.ask<LineEvent[]>('events')).flatMap((each) => {
    const service = services.get(each.port);
    return service ? [{ ...each, service }] : [];
  });
  return { startedAt, endedAt, firstMs: firstAt - startedAt, events };
}

export function rowsByContestant(unit: string, figureOf: (who: Contestant) => number): Row[] {
  const [product, ...peers] = contestants.map((who) => [titles[who], figureOf(who)] as const);
  return product ? compared(unit, product, ...peers) : [];
}
