import type { QuickPickItem } from 'vscode';
import type { Connection } from '../service/connection.ts';
import type { Service } from '../service/services.ts';
import { oneLine } from '../ui/oneLine.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';

/** A menu row that switches selections to another service. */
export interface ServiceRow extends QuickPickItem {
  readonly service: Service;
}

/** Lists the services that are set up, except the one in use. Empty if there are no others. */
export function serviceRows(
  connections: readonly Connection[],
  { word: used }: Service,
): ServiceRow[] {
  const others = connections.filter(({ service }) => service.word !== used);
  return others.map(({ service, serviceUrl, modelId }) => ({
    service,
    label: COMMAND_MESSAGES.useService(oneLine(service.name)),
    description: new URL(serviceUrl).host,
    detail: oneLine(modelId),
  }));
}
