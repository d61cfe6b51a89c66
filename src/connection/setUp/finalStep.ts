import type { QuickPickItem } from 'vscode';
import { serviceEntries, writeServiceEntries } from '../../config/configuration.ts';
import { messageFor } from '../../messages/messages.ts';
import { isKind } from '../../service/errors.ts';
import { headerSecretsOf, neededSettings, type Service } from '../../service/service.ts';
import { askPick, back, type Question } from '../../ui/steps.ts';
import { compareWithApproved, type Destination, parseDestination } from '../approvedDestination.ts';
import { askDestination, askReplacement } from '../connectionDialogs.ts';
import { isSameRecord, type KeyRecord, type KeyStore, recordFor } from '../keyStore.ts';
import {
  keepProject,
  readSettingsInUse,
  rememberServiceSettings,
  writeServiceSettings,
} from '../serviceSettingsWriter.ts';
import { keyLeakProblem, sentValues } from './answerChecks.ts';
import { askHeaders } from './headerSteps.ts';
import { withEntry } from './serviceEntry.ts';
import { approvalText, MANAGE, SET_UP } from './setUpMessages.ts';
import { chooseModel, describe } from './setUpModel.ts';
import { type AskStep, canKeep, keyOf, type SetUp, type StepProblem } from './setUpState.ts';
import { testCredentials } from './setUpTest.ts';

/** The last step of setup: approval, an optional test, and saving. */

interface SaveItem extends QuickPickItem {
  readonly test: boolean;
  readonly asksHeaders?: boolean;
}

/**
 * Shows everything that the user approves, tests the credentials if the user chooses to, prompts
 * for a new service's model, and saves the answers.
 */
export const askToSave: AskStep = async (setUp, position) => {
  const { settings, stored } = setUp;
  const target = parseDestination(settings.authUrl, setUp.url, settings.service);
  if ('setting' in target) return { step: 'url', text: SET_UP.noAddress };
  const key = keyOf(setUp);
  let found: StepProblem | undefined;
  const picked = await askPick<SaveItem>({
    ...position,
    placeholder: SET_UP.hostsHint,
    // Unlike the placeholder, this text wraps, so the end of a long host name stays visible.
    text: approvalText(target, setUp) + (setUp.imported ? SET_UP.ofAllFolders : ''),
    items: [
      {
        label: SET_UP.test,
        detail: SET_UP.testDetail({ service: settings.service, resource: setUp.resource }),
        test: true,
      },
      { label: SET_UP.noTest, test: false },
      ...(setUp.added ? [{ label: MANAGE.addHeader, test: false, asksHeaders: true }] : []),
    ],
    accept: async ({ test, asksHeaders = false }, signal, showStatus) => {
      if (asksHeaders) return undefined;
      const pasted = keyLeakProblem(sentValues(setUp, target), key);
      if (pasted) return pasted;
      if (!(await mayUseStoredKey(setUp, target))) return SET_UP.unapprovedKey;
      // Don't test stored secrets that changed during setup. `save` reports the change.
      const isStale =
        keepsRecord(setUp) && !isSameRecord(await setUp.keys.read(settings.service.word), stored);
      found = undefined;
      if (!test || isStale) return undefined;
      showStatus(SET_UP.testing);
      found = await testCredentials(setUp, target, signal);
      return found?.step === 'save' ? found.text : undefined;
    },
  });
  if (picked === undefined || picked === back) return picked;
  if (picked.asksHeaders) return changeHeaders(setUp, position);
  if (found) return found;
  const model = setUp.added && (await chooseModel(setUp, position, picked.test));
  if (model !== 'chosen' && setUp.added) return model;
  const { authUrl, service } = setUp.settings;
  const final = parseDestination(authUrl, setUp.url, service);
  if ('setting' in final) return { step: 'save', text: SET_UP.noAddress };
  return save(setUp, final).catch((error: unknown): StepProblem => {
    // Keep the answers so that the user can fix the settings file and save again.
    if (!isKind(error, 'settings-not-written')) throw error;
    return { step: 'save', text: messageFor(error)?.text ?? '' };
  });
};

/**
 * Prompts for the headers of the service that setup adds or changes. The next step prompts for the
 * headers' secret values or, if there are none, for the approval.
 */
async function changeHeaders(setUp: SetUp, position: Question): ReturnType<AskStep> {
  const changed = setUp.added && (await askHeaders(setUp.added, position));
  if (changed === undefined) return undefined;
  if (changed !== back) describe(setUp, changed);
  const step = setUp.steps.includes('headerSecrets') ? 'headerSecrets' : 'save';
  return { step, text: '' };
}

/**
 * Saves the settings and the key. Prompts before replacing a stored key that is still usable.
 * @returns a problem if the credentials weren't saved; its `text` is empty if no message is needed
 */
async function save(setUp: SetUp, target: Destination): Promise<'saved' | StepProblem> {
  const changed = await findChange(setUp);
  if (changed) return changed;
  const { keys, settings, stored, ...answers } = setUp;
  const { service } = settings;
  const needsKey = neededSettings(service).includes('apiKey');
  const apiKey = needsKey ? answers.apiKey || (stored?.apiKey ?? '') : '';
  const again: StepProblem = { step: 'save', text: '' };
  if (needsKey && !apiKey) return again;
  const replaces = needsKey && stored?.apiKey && stored.apiKey !== apiKey;
  if (replaces && setUp.canKeepStored && !(await askReplacement(service))) {
    setUp.apiKey = '';
    return again;
  }
  const entries = serviceEntries();
  const restoreSettings = rememberServiceSettings();
  if (setUp.added) await writeServiceEntries(withEntry(entries, setUp.added.entry));
  const record = recordFor(service, { ...answers, apiKey }, target);
  await saveSettings(keys, service, record);
  if (await keys.write(record, service.word, { stored })) {
    // The user may have re-enabled the key since it was rejected.
    setUp.runtime.forgetRejection(apiKey);
    return 'saved';
  }
  // Restore the settings so that the previous service or source can still be used.
  await restoreSettings();
  if (setUp.added) await writeServiceEntries(entries);
  // If the record has changed since it was read, try to save again. Otherwise, secret storage
  // failed.
  return isSameRecord(await keys.read(service.word), stored) ? again : save(setUp, target);
}

/**
 * Reads the stored record again, because the user may have signed out or stored a record in another
 * window.
 * @returns a problem if the record has changed and setup would save values from the old record
 */
async function findChange(setUp: SetUp): Promise<StepProblem | undefined> {
  const { keys, runtime, settings, steps, stored: before } = setUp;
  const { service } = settings;
  const stored = await keys.read(service.word);
  if (isSameRecord(stored, before)) return undefined;
  const isKept = keepsRecord(setUp);
  setUp.stored = stored;
  setUp.canKeepStored = canKeep(stored, service, runtime);
  if (!isKept) return undefined;
  setUp.headerSecrets = stored?.headerSecrets ?? {};
  if (!setUp.apiKey && steps.includes('apiKey')) return { step: 'apiKey', text: SET_UP.changedKey };
  const step = steps.includes('headerSecrets') ? 'headerSecrets' : 'save';
  return { step, text: SET_UP.changedValues };
}

/**
 * Saves the settings. Call this before storing the key. Otherwise, if VS Code couldn't write the
 * settings, the stored key would belong to addresses that aren't in the settings.
 */
async function saveSettings(keys: KeyStore, service: Service, record: KeyRecord): Promise<void> {
  const before = await readSettingsInUse(keys);
  const isOther = before.serviceProblem !== undefined || service.word !== before.service.word;
  if (isOther) await keepProject(keys);
  // If the service changes, reset the model, because the model in the settings belongs to the old
  // service.
  await writeServiceSettings(keys, service, record, isOther ? '' : undefined);
}

/**
 * True if the secrets may be sent to these hosts. Prompts if the user approved a stored secret for
 * different hosts, a different service entry, or a different program.
 */
async function mayUseStoredKey(setUp: SetUp, wanted: Destination): Promise<boolean> {
  const { stored, settings, program } = setUp;
  if (!stored || !usesStoredSecret(setUp, stored)) return true;
  const binding = compareWithApproved(stored, settings.service, wanted, program);
  if (typeof binding === 'string') return binding === 'same';
  return (await askDestination(binding, settings.service)) === 'wanted';
}

/** True if setup uses a secret from the stored record, or if the user didn't enter a key. */
function keepsRecord(setUp: SetUp): boolean {
  const { apiKey, stored } = setUp;
  return apiKey === '' || (stored !== undefined && usesStoredSecret(setUp, stored));
}

/** True if setup uses the stored key or a stored header secret. */
function usesStoredSecret({ apiKey, settings, headerSecrets }: SetUp, stored: KeyRecord): boolean {
  const isOfHeader = (label: string) =>
    headerSecrets[label] !== undefined && headerSecrets[label] === stored.headerSecrets?.[label];
  const isKey = apiKey === '' && stored.apiKey !== '';
  return isKey || headerSecretsOf(settings.service).some(isOfHeader);
}
