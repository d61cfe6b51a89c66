import { window } from 'vscode';
import type { ModelList } from '../service/api/modelList.ts';
import { showInput } from '../ui/steps.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import { type ModelRow, modelHint, modelRows, moreModelsHint } from './modelRows.ts';

/**
 * Lets the user pick a model of the service. The pick list opens before the models are loaded.
 * @returns the model ID; undefined if none was picked
 * @throws the failure of `listing`, unless the pick list was closed first
 */
export function pickModel(
  listing: Promise<ModelList>,
  current: string,
): Promise<string | undefined> {
  const pick = window.createQuickPick<ModelRow>();
  pick.title = COMMAND_MESSAGES.selectModel;
  pick.placeholder = COMMAND_MESSAGES.listingModels;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  return showInput<string>(pick, (answer, fail) => {
    listing.then(({ models, hasMore }) => {
      pick.placeholder = modelHint(models, current);
      pick.prompt = hasMore ? moreModelsHint(models) : undefined;
      pick.items = modelRows(models, current);
      pick.busy = false;
    }, fail);
    return [
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        if (row) answer(row.id);
      }),
    ];
  });
}
