import type { StorageIssue } from './keyStore.ts';

/** Messages about secret storage. They have their own file, because activation loads them. */
export const STORAGE_MESSAGES: Readonly<Record<StorageIssue | 'keeps-key', string>> = {
  fails:
    'Hosted Model: the secret storage of VS Code cannot be read, most likely since the keyring of this machine is locked or missing. Unlock or install one, or keep the key in a .env file or the environment.',
  'refuses-key':
    'Hosted Model: the key could not be stored, most likely since this machine has no keyring. Install or unlock one and try again, or keep the key in a .env file or the environment.',
  'keeps-key':
    'Hosted Model: the key could not be deleted, since the secret storage of VS Code refused it. The token is deleted. Try again, or delete the key on the page where you created it.',
};
