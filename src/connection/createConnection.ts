import { type Settings, settingsFor } from '../config/settings.ts';
import { Connection } from '../service/connection.ts';
import type { Credentials, SourceId } from '../service/credentials.ts';
import type { Service } from '../service/service.ts';
import type { ServiceRuntime } from '../service/serviceRuntime.ts';
import { type Choice, chooseEditor, type SourceSelection } from './sourceSelection.ts';
import { programOf } from './sources.ts';
import type { SourceSnapshot } from './sourceTypes.ts';
import { reasonText } from './sourceView.ts';

/** Creates connections from usable credentials and their service's settings. */

/** Turns selected credentials into a connection. Returns an obstacle unchanged. */
export function choiceOf(
  found: SourceSnapshot,
  selection: SourceSelection,
  runtime: ServiceRuntime,
): Choice {
  if (selection.kind !== 'ready') return selection;
  const { source, credentials } = selection;
  const reason = reasonText(source, found);
  const connection = connectionTo(credentials, found.settings, runtime, { source, reason });
  return { kind: 'ready', connection };
}

/**
 * For the service in the settings and every other service with a stored key, returns the editor
 * source's connection, or the obstacle if there's no connection. Leaves out the service passed as
 * `except`.
 */
export function editorChoices(
  found: SourceSnapshot,
  except: Service,
  runtime: ServiceRuntime,
): Promise<Choice[]> {
  // If the setting is invalid, the user may have wanted a source other than the editor.
  const others = (found.settings.credentialSource === 'invalid' ? [] : [found, ...found.others])
    .filter(({ settings }) => settings.service.word !== except.word)
    .map(async (source) => {
      const program = await programOf(source.settings.service);
      const ofService = { ...found, ...source, program, external: [] };
      return choiceOf(ofService, chooseEditor(ofService), runtime);
    });
  return Promise.all(others);
}

/** Returns the chosen connection; undefined if there is an obstacle or if nothing was chosen. */
export function readyConnection(choice: Choice | undefined): Connection | undefined {
  return choice?.kind === 'ready' ? choice.connection : undefined;
}

/**
 * @param from the source of the credentials, and why it's used; omitted during setup
 */
export function connectionTo(
  credentials: Credentials,
  settings: Settings,
  runtime: ServiceRuntime,
  from: { readonly source: SourceId; readonly reason: string } = { source: 'editor', reason: '' },
): Connection {
  const ofService = settingsFor(credentials.service, settings);
  const { modelId, operation, parameters, limits } = ofService;
  return new Connection({ credentials, modelId, operation, parameters, limits, ...from }, runtime);
}
