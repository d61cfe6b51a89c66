import type { Blemish, SettingName, UrlProblem } from './credentials.ts';

/** What a `.env` text or an environment says about the three settings. */
export interface SourceReading {
  /** The three values of one set of names; undefined unless all are there and free of errors. */
  readonly values: Readonly<Record<SettingName, string>> | undefined;
  /**
   * The names that lack a value in the set that is nearest to complete. Empty if a set is complete
   * (though it may have errors) and if none of the settings is named at all.
   */
  readonly missing: readonly string[];
  /** Whether any of the settings is named. */
  readonly isNamed: boolean;
  /** In the order of the lines. */
  readonly findings: readonly Finding[];
}

/** Something wrong with one of the settings, or with its line. Never holds a value. */
export interface Finding {
  readonly flaw: Flaw;
  readonly setting: SettingName;
  /** The name as it is written in the source. */
  readonly name: string;
  /** An error keeps the source from being used; the rest is worth knowing. */
  readonly isError: boolean;
  /** Where it stands; undefined for the environment, which has no lines. */
  readonly place: Place | undefined;
}

/** Lines and columns count from 0; columns in UTF-16 units, the end excluded. */
export interface Place {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export type Flaw =
  | { readonly kind: Blemish | 'comment' | 'empty' | 'duplicate' }
  /** A name written nearly as one that is read. */
  | { readonly kind: 'similar-name'; readonly expected: string }
  | { readonly kind: 'bad-url'; readonly problem: UrlProblem }
  /** The address of an endpoint; only what is before its path is the service URL. */
  | { readonly kind: 'endpoint-url' }
  | { readonly kind: 'url-path' }
  | { readonly kind: 'unknown-region' };
