import type { Blemish, SettingName, UrlProblem } from '../service/credentials.ts';

/** What a `.env` text or an environment says about the three settings. */
export interface SourceReading {
  /**
   * The three values of the first set of names that is complete and free of errors, as they stand
   * there; undefined if there is none.
   */
  readonly values: Readonly<Record<SettingName, string>> | undefined;
  /**
   * The names that lack a value, or hold a placeholder, in the set that is nearest to complete.
   * Empty if a set is complete (though it may have errors) and if none of the settings is named.
   */
  readonly missing: readonly string[];
  /** The settings that are named, by a name that is read; in the order of the lines. */
  readonly named: readonly NamedSetting[];
  /** In the order of the lines. */
  readonly findings: readonly Finding[];
}

export interface NamedSetting {
  readonly setting: SettingName;
  readonly name: string;
  /** The place of the name; undefined for the environment. */
  readonly place: FindingPlace | undefined;
}

/** Something wrong with one of the settings, or with its line. Never holds a value. */
export interface Finding {
  readonly flaw: Flaw;
  readonly setting: SettingName;
  /** The name as it is written in the source. */
  readonly name: string;
  /** An error keeps the set of its name from being used; the rest is worth knowing. */
  readonly isError: boolean;
  /**
   * Where it stands: the name for what is wrong with the name or for want of a value, the comment
   * for a comment, else the value. Undefined for the environment, which has no lines.
   */
  readonly place: FindingPlace | undefined;
}

/** Lines and columns count from 0; columns in UTF-16 units, the end excluded. */
export interface FindingPlace {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export type Flaw =
  /** `malformed`: holds what no key or project ID holds, such as blanks inside. */
  | { readonly kind: Blemish | 'comment' | 'empty' | 'malformed' }
  /** Another value than the first line of the same setting; no line in the environment. */
  | { readonly kind: 'duplicate'; readonly otherLine: number | undefined }
  /** A name written nearly as one that is read, or as other clients write it. */
  | { readonly kind: 'similar-name'; readonly expected: string }
  | { readonly kind: 'bad-url'; readonly problem: UrlProblem }
  /** The address of an endpoint; only what is before its path is the service URL. */
  | { readonly kind: 'endpoint-url' }
  | { readonly kind: 'url-path' }
  | { readonly kind: 'unknown-region' };
