import type { ErrorDetails } from '../service/errors.ts';
import { services } from '../service/services.ts';
import type { Action, Message } from './actions.ts';
import type { LabelContext } from './settingLabels.ts';

/** Where the cause of a failure can be mended, as far as the failure itself does not say. Pure. */

/** Where settings came from; `answers` are those of a set-up that goes on. */
export type SettingsPlace = 'editor' | 'envFile' | 'environment' | 'answers';

/** What is known about the request that failed. */
export interface MessageContext extends LabelContext {
  /** Where key, project and service URL came from; the editor unless something else is known. */
  readonly source?: SettingsPlace | undefined;
  /** The host of the identity service. */
  readonly authHost?: string | undefined;
  /** It was a check of a diagnosis or a set-up: nothing was to be generated. */
  readonly isCheck?: boolean;
}

/** A place that holds settings, and the ways to it. */
export interface FixActions {
  /** "the settings", within a sentence. */
  readonly name: string;
  /** "set it here", within a sentence. */
  readonly newKey: string;
  readonly value: Action;
  /** The action for the key, or for several values at once. */
  readonly all: Action;
}

export interface FailureContext {
  /** Holds key, project and service URL. */
  readonly place: FixActions;
  /** Holds the address of the host that failed. */
  readonly address: FixActions;
  /** The address of this host stands in our own list of services, so that nobody has misspelt it. */
  readonly isOfService: boolean;
  readonly isIdentity: boolean;
  /** Nothing was to be generated, so that nothing is lost or paid twice. */
  readonly isSafeToRepeat: boolean;
  /** What the settings of the service are called. */
  readonly labels: LabelContext;
}

/** What is said about a failure. */
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
  // No editor changes the environment of a running program: the way out is to need it no more.
  environment: {
    name: 'the environment',
    newKey: 'set it in the environment and restart VS Code',
    value: 'setUp',
    all: 'setUp',
  },
  // Those of a set-up that goes on: nothing of them is saved yet.
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
    // The identity address is the user's own, whichever source the three settings come from.
    address: isIdentity ? PLACES.editor : PLACES[source],
    isOfService: isServiceIdentity || isRegion,
    isIdentity,
    isSafeToRepeat: isCheck || isIdentity,
    labels: context,
  };
}
