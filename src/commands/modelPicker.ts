import { QuickPickItemKind, window } from 'vscode';
import type { ModelList } from '../service/api/modelTypes.ts';
import type { Service } from '../service/service.ts';
import { oneLine } from '../ui/oneLine.ts';
import { showInput } from '../ui/steps.ts';
import { COMMAND_MESSAGES } from './commandMessages.ts';
import { type ModelRow, modelHint, modelRows, moreModelsHint } from './modelRows.ts';

/** A service whose models can be picked. */
export interface ModelSource {
  readonly service: Service;
  readonly list: Promise<ModelList>;
  /** ID of the model in use; empty for a service that isn't in use. */
  readonly current: string;
}

export interface PickedModel {
  readonly service: Service;
  readonly modelId: string;
}

interface GroupedRow extends ModelRow {
  readonly kind?: QuickPickItemKind;
  readonly service: Service;
}

/**
 * Lets the user pick a model from a list that is grouped by service. The list opens before the
 * models are loaded.
 * @param own the service in use, whose models come first; undefined if a deployment is in use,
 * because its model can't be changed
 * @param others the other services. If a service can't list its models, its group is left out.
 * @returns undefined if the user didn't pick anything
 * @throws if the service in use can't list its models
 */
export function pickModel(
  own: ModelSource | undefined,
  others: readonly ModelSource[],
): Promise<PickedModel | undefined> {
  const pick = window.createQuickPick<GroupedRow>();
  pick.title = COMMAND_MESSAGES.selectModel;
  pick.placeholder = own ? COMMAND_MESSAGES.listingModels : COMMAND_MESSAGES.ownModelHint;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.busy = true;
  return showInput<PickedModel>(pick, (answer, fail) => {
    const sources = own ? [own, ...others] : others;
    const groups = new Map<Service, readonly GroupedRow[]>();
    const show = (source: ModelSource, { models }: ModelList) => {
      groups.set(source.service, rowsOf(source, models, others.length > 0));
      pick.items = sources.flatMap(({ service }) => groups.get(service) ?? []);
    };
    const listed = own?.list.then((list) => {
      pick.placeholder = modelHint(list.models, own.current);
      pick.prompt = list.hasMore ? moreModelsHint(list.models) : undefined;
      show(own, list);
    }, fail);
    const rest = others.map((source) => source.list.then((list) => show(source, list)));
    if (!own) {
      Promise.any(rest).catch(() => {
        pick.placeholder = COMMAND_MESSAGES.ownModel;
      });
    }
    void Promise.allSettled([listed, ...rest]).then(() => {
      pick.busy = false;
    });
    return [
      pick.onDidAccept(() => {
        const [row] = pick.selectedItems;
        // The lists may have just changed, so the selected index may now point to a heading.
        if (!row || row.kind === QuickPickItemKind.Separator) return;
        answer({ service: row.service, modelId: row.id });
      }),
    ];
  });
}

/** @param isGrouped if true, the rows start with a heading that names the service */
function rowsOf(
  { service, current }: ModelSource,
  models: ModelList['models'],
  isGrouped: boolean,
): GroupedRow[] {
  const rows = modelRows(models, current).map((row) => ({ ...row, service }));
  const heading = { id: '', label: oneLine(service.name), description: '', detail: '', service };
  return isGrouped ? [{ ...heading, kind: QuickPickItemKind.Separator }, ...rows] : rows;
}
