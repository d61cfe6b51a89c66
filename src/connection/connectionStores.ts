import type { Memento } from 'vscode';
import type { KeyStore } from './keyStore.ts';
import type { SourceApprovals } from './sourceApprovals.ts';

/** The stores for keys, approvals, and workspace state. */
export interface ConnectionStores {
  readonly keys: KeyStore;
  readonly approvals: SourceApprovals;
  /** VS Code stores this state outside the workspace, so a repository can't change it. */
  readonly workspaceState: Memento;
}
