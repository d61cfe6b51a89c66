import { type QuickPickItem, window } from 'vscode';
import type { Model } from '../service/wire.ts';

interface ModelItem extends QuickPickItem {
  readonly id: string;
}

/**
 * Lets the user pick from the service's own list. Text of the service is shown as plain items,
 * one short line each.
 * @returns the model's id; undefined if none was picked
 */
export async function pickModel(
  models: Promise<Model[]>,
  current: string,
): Promise<string | undefined> {
  const items = models.then((list) => list.map((model) => itemOf(model, current)));
  const picked = await window.showQuickPick(items, {
    title: 'Select Model',
    placeHolder: `Current: ${current}`,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.id;
}

function itemOf(model: Model, current: string): ModelItem {
  const details = [
    model.provider,
    model.contextLength && `${model.contextLength.toLocaleString('en')} tokens`,
    ...model.lifecycle
      .filter(({ stage }) => stage !== 'available')
      .map(({ stage, from }) => `${stage} from ${from}`),
    model.description,
  ];
  return {
    id: model.id,
    label: oneLine(model.label) + (model.id === current ? ' $(check)' : ''),
    description: model.id,
    detail: oneLine(details.filter(Boolean).join(' · ')),
  };
}

/** No line breaks, no icon markup, no direction marks; at most 120 characters. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('$(', '$ (');
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain;
}
