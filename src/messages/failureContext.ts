import type { ErrorDetails } from '../service/errors.ts';
import { services } from '../service/services.ts';
import type { Action, Message } from './actions.ts';
import type { LabelContext } from './settingLabels.ts';

/**
 * The context of a failed request that the error lacks: where its settings are and how to fix them.
 * Pure.
 */

/** The origin of settings. `answers` means a set-up that is still running. */
export type SettingsPlace = 'editor' | 'envFile' | 'environment' | 'answers';

export interface MessageContext extends LabelContext {
  /** The origin of key, project, and service URL; by default the editor. */
  readonly source?: SettingsPlace | undefined;
  /** The host of the identity service. */
  readonly authHost?: string | undefined;
  /** True if the request was a check of a diagnosis or set-up, which generates nothing. */
  readonly isCheck?: boolean;
}

/** A place that contains settings, and the actions that lead to it. */
export interface FixActions {
  /** The name of the place within a sentence, such as "the settings". */
  readonly name: string;
  /** The instruction to replace the key within a sentence, such as "set it here". */
  readonly newKey: string;
  readonly value: Action;
  /** The action for the key, or for several values at once. */
  readonly all: Action;
}

export interface FailureContext {
  /** Contains key, project, and service URL. */
  readonly place: FixActions;
  /** Contains the address of the host that failed. */
  readonly address: FixActions;
  /** True if the host is in the built-in list of services, so the user can't have misspelled it. */
  readonly isOfService: boolean;
  readonly isIdentity: boolean;
  /** True if the request generates nothing, so nothing can be lost or billed twice. */
  readonly isSafeToRepeat: boolean;
  /** Determines the names of the service's settings. */
  readonly labels: LabelContext;
}

/** Builds the message for a failure. */
export type MessageBuilder = (details: ErrorDetails, where: FailureContext) => Message;

const PLACES: Readonly<Record<SettingsPlace, FixActions>> = {
  editor: {
    name: 'the settings',
    newKey: 'set it here',
    value: 'openSettings',
    all: 'setUp',
  },
  envFile: {
    name: 'the .env file',
    newKey: 'put it into the .env file',
    value: 'openEnvFile',
    all: 'openEnvFile',
  },
  // The editor can't change the environment of a running program. Set-up replaces its values.
  environment: {
    name: 'the environment',
    newKey: 'set it in the environment and restart VS Code',
    value: 'setUp',
    all: 'setUp',
  },
  // A set-up that is still running. None of its values are saved yet.
  answers: { name: 'the set-up', newKey: 'set it here', value: 'setUp', all: 'setUp' },
};

export function failureContext({ host }: ErrorDetails, context: MessageContext): FailureContext {
  const { source = 'editor', authHost, isCheck = false } = context;
  const isServiceIdentity =
    host !== undefined && services.some(({ authUrl }) => URL.parse(authUrl)?.host === host);
  const isIdentity = isServiceIdentity || (host !== undefined && host === authHost);
  const isRegion = services.some(({ regions }) =>
    regions.some(({ url }) => new URL(url).host === host),
  );
  return {
    place: PLACES[source],
    // The identity address always comes from the editor's settings, regardless of the source.
    address: isIdentity ? PLACES.editor : PLACES[source],
    isOfService: isServiceIdentity || isRegion,
    isIdentity,
    isSafeToRepeat: isCheck || isIdentity,
    labels: context,
  };
}
