import type { Disposable } from 'vscode';
import { whenOpened } from '../ui/whenOpened.ts';

const loadFeature = () => import('./envFileFeature.ts').then(({ startEnvFile }) => startEnvFile());

/** Looks after the `.env` files of a trusted workspace once one of them is open. */
export function registerEnvFile(load: () => Promise<Disposable> = loadFeature): Disposable {
  return whenOpened(({ path }) => path.endsWith('/.env'), load);
}
