import type { WorkspaceFolder } from 'vscode';
import type { Settings } from '../config/settings.ts';
import type { PublicReading, SourceValues } from '../dotenv/sourceReading.ts';
import type { ServiceKey, SourceId } from '../service/credentials.ts';
import type { Secret } from '../service/secret.ts';
import type { Service } from '../service/service.ts';
import type { AddressProblem, Destination } from './approvedDestination.ts';
import type { KeyRecord } from './keyStore.ts';
import type { ApprovalDecision, Subject } from './sourceApprovals.ts';

/** The types for credential sources, and a check for usable ones. */

export type ExternalSourceId = Exclude<SourceId, 'editor'>;

/** The content of an external source, or the reason why it wasn't read. */
export type ExternalText<Reading = PublicReading> =
  | { readonly kind: 'unread'; readonly why: UnreadReason }
  | {
      readonly kind: 'read';
      readonly reading: Reading;
      /**
       * True if the source has values for other services, but none for the service in the settings.
       */
      readonly namesOtherService?: boolean;
    };

export type UnreadReason =
  | 'no-folder'
  | 'untrusted'
  | 'virtual'
  | 'no-file'
  | 'symbolic-link'
  | 'folder'
  | 'not-a-file'
  | 'too-large'
  | 'not-text'
  | 'unreadable';

/** The content of the editor source for one service. */
export interface EditorSource {
  readonly settings: Settings;
  readonly record: Secret<KeyRecord> | undefined;
  /**
   * The path to the program that the service's command starts. Undefined if the service has no
   * command, or if the program isn't found.
   */
  readonly program?: string | undefined;
}

/**
 * The contents of all sources, read once and without prompting. Modules outside `src/connection`
 * also receive the snapshot, so each secret is wrapped in a `Secret`.
 */
export interface SourceSnapshot extends EditorSource {
  /**
   * The editor sources of all other services with a stored key. The programs are left out, because
   * most lookups don't use them, and searching `PATH` can be slow.
   */
  readonly others: readonly Omit<EditorSource, 'program'>[];
  /**
   * All keys in secret storage and in the external sources, including keys that aren't used. For
   * chat, also the keys in the `.env` files of all folders, because an agent can read them. No
   * prompt may contain any of these keys.
   */
  readonly keys: Secret<readonly ServiceKey[]>;
  readonly folder: Folder;
  /** The external sources, in order of precedence. */
  readonly external: readonly ExternalSource[];
}

export interface Folder {
  /**
   * The URI of the folder, or of the workspace file if there is no folder. Empty if there is
   * neither.
   */
  readonly uri: string;
  /** The path or, if it isn't safe to display, the URI. Contains only ASCII characters. */
  readonly path: string;
  readonly name: string;
  /** Null if the lookup isn't for a folder. */
  readonly workspaceFolder: WorkspaceFolder | null;
}

export interface ExternalSource {
  readonly id: ExternalSourceId;
  readonly text: ExternalText;
  /** Present only if the values are complete and free of errors. */
  readonly values?: Secret<SourceValues> | undefined;
  readonly service?: Service;
  /**
   * The addresses that requests with these values would go to. The identity address never comes
   * from the source, only from the user's settings or the definition of the service.
   */
  readonly destination?: Destination | AddressProblem | undefined;
  /** Identifies these exact values in `SourceApprovals`. */
  readonly subject?: Subject;
  /** The user's decision about these values; undefined if there is none. */
  readonly decision?: ApprovalDecision | undefined;
}

export interface UsableSource extends ExternalSource {
  readonly service: Service;
  readonly values: Secret<SourceValues>;
  readonly destination: Destination;
  readonly subject: Subject;
}

export function isUsable(source: ExternalSource): source is UsableSource {
  return source.destination !== undefined && 'authHost' in source.destination;
}
