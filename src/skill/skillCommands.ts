import { commands, Uri, type WorkspaceFolder, window, workspace } from 'vscode';
import { addressText } from '../credentials/credentialMessages.ts';
import type { LookupResult } from '../credentials/sourceSelection.ts';
import type { skillTarget } from '../credentials/sourceView.ts';
import type { ACTION_LABELS, Action } from '../messages/actions.ts';
import { settingNames } from '../messages/settingLabels.ts';
import { parameterProblem } from '../service/generation/parameters.ts';
import type * as service from '../service/serviceRuntime.ts';
import type { Settings } from '../settings.ts';
import { inform } from '../ui/notify.ts';
import { explanationOf, type FailureParsers, MOST_READ } from './pastedError.ts';
import { skillDocument } from './skillDocument.ts';
import { EXPLAIN_TEXTS, EXPORT_TEXTS } from './skillMessages.ts';

/** The two commands about skills. Neither sends anything. */

const FILE_NAME = 'hosted-model-skill.json';

type Labels = typeof ACTION_LABELS;

/** What is found and set, and what else `handlers.ts` hands over. */
export interface ExportDeps {
  readonly looked: LookupResult;
  readonly target: ReturnType<typeof skillTarget>;
  readonly settings: Pick<Settings, 'operation' | 'modelId' | 'parameters'>;
  /** Where the file is offered to be written; null for wherever VS Code saved last. */
  readonly folder: WorkspaceFolder | null;
  readonly service: Pick<typeof service, 'mapParameters' | 'dialectOf' | 'wayOf' | 'redact'>;
  readonly labels: Labels;
}

/**
 * *Export as Skill…*: writes the document where the user says, and shows it.
 * @throws {ServiceError} `parameter-refused`, as a generation would be
 */
export async function exportSkill(deps: ExportDeps): Promise<void> {
  const { target, settings, labels, service } = deps;
  const refuse = async (text: string, fix: Action) =>
    run(fix, await window.showWarningMessage(text, labels[fix]));
  if ('kind' in target) {
    return target.kind === 'missing'
      ? refuse(EXPORT_TEXTS.missing(settingNames(target.names)), 'setUp')
      : refuse(addressText(target), 'openSettings');
  }
  const { operation, modelId, parameters } = settings;
  const problem = parameterProblem(operation, parameters);
  if (problem) throw problem;
  const { vendor, serviceUrl, authUrl } = target;
  const dialect = service.dialectOf(vendor);
  const { tokenEndpoint } = service.wayOf(vendor);
  if (!vendor.skill || !tokenEndpoint)
    return refuse(EXPORT_TEXTS.unsupported(vendor.name), 'openSettings');
  const { fields } = service.mapParameters(operation, parameters, dialect.chatParameters);
  const document = skillDocument({
    ...vendor.skill,
    ...{ serviceUrl, operation, fields },
    endpoint: dialect.url(operation, target),
    tokenUrl: authUrl + tokenEndpoint.path,
    modelFields: dialect.modelFields(modelId, target),
  });
  const text = `${JSON.stringify(document, null, 2)}\n`;
  // People paste keys into the wrong setting, and this file is made to be handed on.
  if (service.redact(text, deps.looked.found.keys) !== text)
    return refuse(EXPORT_TEXTS.holdsSecret, 'openSettings');
  await save(text, deps.folder, new URL(target.serviceUrl).host);
}

async function save(text: string, folder: WorkspaceFolder | null, host: string): Promise<void> {
  const place = await window.showSaveDialog({
    title: EXPORT_TEXTS.title,
    filters: { JSON: ['json'] },
    ...(folder && { defaultUri: Uri.joinPath(folder.uri, FILE_NAME) }),
  });
  if (!place) return;
  try {
    await workspace.fs.writeFile(place, new TextEncoder().encode(text));
  } catch {
    // The reason names the path, and belongs to the file system.
    return void window.showErrorMessage(EXPORT_TEXTS.notWritten);
  }
  inform(EXPORT_TEXTS.done(host));
  await window.showTextDocument(place);
}

/**
 * *Explain Error Details…*: says what pasted details mean, and shows and keeps nothing of them. Takes
 * the selected text where that tells of a failure, and asks otherwise.
 */
export async function explainError(rules: FailureParsers, labels: Labels): Promise<void> {
  const { title, prompt, placeHolder, unknown, exportSkill: exporting } = EXPLAIN_TEXTS;
  const editor = window.activeTextEditor;
  const selected = editor?.selections.map((one) => editor.document.getText(one)).join('\n') ?? '';
  // A selection that tells of no failure is of something else.
  const value = explanationOf(selected, rules) ? selected.slice(0, MOST_READ) : '';
  const box = { title, prompt, placeHolder, value, ignoreFocusOut: true };
  // A pasted line break becomes a blank there, which changes nothing here.
  const pasted = await window.showInputBox(box);
  if (!pasted?.trim()) return;
  const { text, fix } = explanationOf(pasted, rules) ?? { text: unknown, fix: undefined };
  if (!fix) return inform(text);
  const label = fix === 'exportSkill' ? exporting : labels[fix];
  await run(fix, await window.showInformationMessage(`Hosted Model: ${text}`, label));
}

/** @param pressed the button; undefined if the message was closed */
async function run(command: string, pressed: string | undefined): Promise<void> {
  if (pressed) await commands.executeCommand(`hostedModel.${command}`);
}
