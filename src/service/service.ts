import { APIS, type ApiConfig, type ResourceKind } from './apiCapabilities.ts';
import type { Authentication } from './authentication.ts';
import { AUTH_INPUTS } from './authInputs.ts';
import type { StatedModel } from './statedModels.ts';

/** The description of a service, and functions that derive facts from it. Pure. */

/** A hosted model service that the extension can call. */
export interface Service {
  /**
   * The service's ID in the settings, in lowercase. In uppercase, it's the prefix of names such as
   * `IBM_API_KEY`. Added services can't use a built-in service's ID, so don't choose one that an
   * example in the docs, tests, or `package.json` already uses.
   */
  readonly word: string;
  /** The name in lists and messages. */
  readonly name: string;
  /**
   * The service address from a user-defined service's entry. Empty if the address is a separate
   * setting.
   */
  readonly url: string;
  /** Origin of the separate identity service. Empty if there is none. */
  readonly authUrl: string;
  readonly authentication: Authentication;
  readonly api: ApiConfig;
  /**
   * HTTPS address of the web page where users create a key. Setup links to it. Empty if it isn't
   * known.
   */
  readonly keyPage: string;
  /**
   * All addresses that users can enter. Any other address in a `.env` file triggers a warning. For
   * a service with only one address, add a single region. A `.env` file must contain the address
   * even then. If each company has its own address, the list is empty, and setup asks for the
   * address.
   */
  readonly regions: readonly Region[];
  /**
   * On the service's private network, each region's host name starts with this prefix, such as
   * `private.`. Empty if there is no private network.
   */
  readonly privatePrefix: string;
  /**
   * Setting names that other clients for this service use. This extension reads them, too.
   * docs/credentials.md lists them.
   */
  readonly aliases: NameSet;
  /**
   * The model that's used unless the settings name another one. For a built-in service, it must be
   * available to every account. No test checks this.
   */
  readonly defaultModelId: string;
  /**
   * Facts about models, from a user-defined service's entry. They take precedence over the
   * service's model list.
   */
  readonly models: readonly StatedModel[];
  /** Headers to add to every request to the service. They're never sent to an identity service. */
  readonly headers: readonly FixedHeader[];
  /**
   * A user-defined service's entry, as JSON. An approval is valid only for this exact text.
   * Undefined for a built-in service.
   */
  readonly definition?: string;
  /** True if the settings don't name a service, and this is the first service with a stored key. */
  readonly isFirstSetUp?: boolean;
}

/**
 * A header with a fixed value or with a secret value that setup prompts for. `secret` is the label
 * of the secret value, not the value itself.
 */
export type FixedHeader =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly secret: string };

export interface Region {
  /** The location, or `Worldwide` for a service with only one address. */
  readonly place: string;
  /** The origin, without the API's prefix. */
  readonly url: string;
}

/**
 * The settings that a service may need, in the order in which setup prompts for them. Their
 * names in a `.env` file depend on the service. `account` is a client ID or user name. `projectId`
 * can also be the ID of a space or deployment.
 */
export const SETTING_NAMES = ['account', 'apiKey', 'projectId', 'url'] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

/**
 * The alternative names of each setting in a `.env` file or the environment. Values found under
 * names from different sets are never combined.
 */
export type NameSet = Readonly<Record<SettingName, readonly string[]>>;

/**
 * True for a built-in service whose identity service has its own address. `hostedModel.authUrl` can
 * override that address.
 */
export function canOverrideAuthUrl({ authUrl, definition }: Service): boolean {
  return authUrl !== '' && definition === undefined;
}

/** Returns the names of all settings that a service needs, in the order of the prompts. */
export function neededSettings({ authentication, api, url }: Service): SettingName[] {
  const { account, secret } = AUTH_INPUTS[authentication.kind];
  const needs: Readonly<Record<SettingName, boolean>> = {
    account: account !== undefined,
    apiKey: secret !== undefined,
    projectId: APIS[api.kind].resources.length > 0,
    url: url === '',
  };
  return SETTING_NAMES.filter((setting) => needs[setting]);
}

/**
 * True if the target is a deployment. The model of a deployment was chosen when the deployment was
 * created, so the model in the settings doesn't apply.
 */
export function hasOwnModel(target: {
  readonly service: Service;
  readonly resource?: ResourceKind | undefined;
}): boolean {
  // The settings can still contain the deployment ID of a previously used service.
  return target.resource === 'deployment' && neededSettings(target.service).includes('projectId');
}

/**
 * True if requests to the service contain an access token, which expires, instead of the key
 * itself.
 */
export function getsTokens({ authentication }: Service): boolean {
  return AUTH_INPUTS[authentication.kind].getsToken === true;
}

/**
 * Returns the command that prints the token: a program and its arguments. Undefined if the service
 * doesn't use a command.
 */
export function commandOf({ authentication }: Service): readonly string[] | undefined {
  return 'command' in authentication ? authentication.command : undefined;
}

/** Returns the service with an empty command so that messages don't contain the command. */
export function withoutCommand(service: Service): Service {
  const { authentication } = service;
  if (!('command' in authentication)) return service;
  return { ...service, authentication: { ...authentication, command: [] } };
}

/** Returns the labels of the secrets in the service's headers, without duplicates. */
export function headerSecretsOf({ headers }: Service): readonly string[] {
  return [...new Set(headers.flatMap((one) => ('secret' in one ? [one.secret] : [])))];
}

/**
 * True if the user may approve an unencrypted address for this service. The user must have added
 * the service, and no secret may be exchanged for a token at that address.
 */
export function mayBeUnencrypted({ authentication, authUrl, definition }: Service): boolean {
  const { getsToken, secret } = AUTH_INPUTS[authentication.kind];
  return definition !== undefined && (!getsToken || !secret || authUrl !== '');
}
