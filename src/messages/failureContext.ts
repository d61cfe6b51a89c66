import { services } from '../service/builtInServices.ts';
import type { ErrorDetails } from '../service/errors.ts';
import type { Action, Message } from './actions.ts';
import type { LabelContext } from './settingLabels.ts';

/**
 * The context that a message needs in addition to the error: where the settings are stored and how
 * to fix them. Pure.
 */

/** A source of settings. `answers` stands for the user's input in an unfinished setup. */
export type SettingsPlace = 'editor' | 'envFile' | 'environment' | 'answers';

export interface MessageContext extends LabelContext {
  /** The source of the key, project, and service URL. Defaults to `editor`. */
  readonly source?: SettingsPlace | undefined;
  /** The host of the identity service, if it differs from the service host. */
  readonly authHost?: string | undefined;
  /**
   * True if the request was only a check during a diagnosis or setup. Such a check generates no
   * text.
   */
  readonly isCheck?: boolean;
  /**
   * False if neither the settings nor the template contains any model parameters. Undefined if that
   * isn't known.
   */
  readonly setsParameters?: boolean;
  /** The template of the failed generation, with a name that's safe to show. */
  readonly template?: FailedTemplate | undefined;
}

export interface FailedTemplate {
  readonly name: string;
  readonly modelId?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** A place that settings come from, and the actions that fix them. */
export interface SettingsLocation {
  /** The name of the place for use in a sentence, as in "the settings". */
  readonly name: string;
  /** The name of the place where the user changes the key, as in "setup". */
  readonly keyName: string;
  /** False if the values were entered during setup but aren't stored yet. */
  readonly isStored: boolean;
  /** Returns a phrase that explains how to replace a key, as in "enter it here". */
  readonly newKey: (pronoun: 'it' | 'them') => string;
  /** The action that fixes a single value other than the key or the project. */
  readonly value: Action;
  /** The action that fixes the project, space, or deployment. */
  readonly project: Action;
  /** The action that fixes the key, or several values at once. */
  readonly all: Action;
}

/** Describes where the model is chosen, in phrases for use within a sentence. */
export interface ModelLocation {
  /** Names the model, as in "the selected model". */
  readonly name: string;
  /** Explains how to use another model, as in "select another model". */
  readonly change: string;
  /** The actions that let the user choose another model. */
  readonly actions: readonly Action[];
}

export interface FailureContext {
  /**
   * The place that contains the key, project, and service URL. To let the user change one of these,
   * use the actions in this object. They fit the source of the credentials. To let the user choose
   * another service or region, use `setUp` instead.
   */
  readonly place: SettingsLocation;
  /** The place where the user can change the address of the failed request. */
  readonly address: SettingsLocation;
  /**
   * True if the failed request was sent to a built-in address, which the user couldn't have
   * misspelled.
   */
  readonly isBuiltInHost: boolean;
  /**
   * True if the failed request was sent to the identity service. Most kinds of errors can come from
   * either service, so the text may have to differ.
   */
  readonly isIdentity: boolean;
  /** True if the request is safe to repeat, because it generates no text. */
  readonly isSafeToRepeat: boolean;
  /**
   * Passed to the functions in `settingLabels.ts`, which return the names to use in the text.
   * Mention regions only if `hasRegions(labels)` is true.
   */
  readonly labels: LabelContext;
  /** See `MessageContext.setsParameters`. */
  readonly setsParameters: boolean;
  readonly template: FailedTemplate | undefined;
  /** The model of the failed request, and how to change it. */
  readonly model: ModelLocation;
}

export type MessageBuilder = (details: ErrorDetails, where: FailureContext) => Message;

const PLACES: Readonly<Record<SettingsPlace, SettingsLocation>> = {
  editor: {
    name: 'the settings',
    keyName: 'setup',
    isStored: true,
    newKey: (it) => `enter ${it} during setup`,
    value: 'openSettings',
    project: 'changeProject',
    all: 'changeKey',
  },
  envFile: {
    name: 'the .env file',
    keyName: 'the .env file',
    isStored: true,
    newKey: (it) => `put ${it} in the .env file`,
    value: 'openEnvFile',
    project: 'openEnvFile',
    all: 'openEnvFile',
  },
  // The extension can't change VS Code's environment, but setup can store other values instead.
  environment: {
    name: 'the environment',
    keyName: 'the environment',
    isStored: true,
    newKey: (it) => `set ${it} in the environment and restart VS Code`,
    value: 'setUp',
    project: 'setUp',
    all: 'setUp',
  },
  // Values entered in an unfinished setup aren't stored yet, so the user corrects them in setup.
  answers: {
    name: 'setup',
    keyName: 'setup',
    isStored: false,
    newKey: (it) => `enter ${it} here`,
    value: 'setUp',
    project: 'setUp',
    all: 'setUp',
  },
};

export function failureContext({ host }: ErrorDetails, context: MessageContext): FailureContext {
  const { source = 'editor', authHost, isCheck = false, setsParameters = true, template } = context;
  const isServiceIdentity =
    host !== undefined && services.some(({ authUrl }) => URL.parse(authUrl)?.host === host);
  const isIdentity = isServiceIdentity || (host !== undefined && host === authHost);
  const isRegion = services.some(({ regions }) =>
    regions.some(({ url }) => new URL(url).host === host),
  );
  return {
    place: PLACES[source],
    // The identity address can be changed only in the editor's settings, even if the key comes from
    // another source.
    address: isIdentity ? PLACES.editor : PLACES[source],
    isBuiltInHost: isServiceIdentity || isRegion,
    isIdentity,
    isSafeToRepeat: isCheck || isIdentity,
    labels: context,
    setsParameters,
    template,
    model:
      template?.modelId === undefined
        ? { name: 'the selected model', change: 'select another model', actions: ['selectModel'] }
        : {
            name: 'the template’s model',
            change: `change the model in the template “${template.name}”`,
            actions: [],
          },
  };
}
