import { window } from 'vscode';
import type { Model } from '../service/modelList.ts';
import { type ModelRow, modelHint, modelRows } from './modelRows.ts';

/**
 * Lets the user pick from the service's own list, which is open while the list is on its way.
 * @returns the model's id; undefined if none was picked
 * @throws what getting the list throws, unless the pick list was closed
 */
export function pickModel(models: Promise<Model[]>, current: string): Promise<string | undefined> {
  const pick = window.createQuickPick<ModelRow>();
  pick.title = 'Select Model';
  pick.placeholder = 'Asking the service for its models';
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  return new Promise((resolve, reject) => {
    pick.onDidAccept(() => {
      const [row] = pick.selectedItems;
      if (!row) return;
      resolve(row.id);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
    models.then(
      (list) => {
        pick.placeholder = modelHint(list, current);
        pick.items = modelRows(list, current);
        pick.busy = false;
      },
      (error: unknown) => {
        reject(error);
        pick.hide();
      },
    );
  });
}
