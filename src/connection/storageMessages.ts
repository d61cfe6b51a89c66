import type { StorageIssue } from './keyStore.ts';

/**
 * Messages about secret storage. This file is loaded on activation, so it contains no other
 * messages.
 */
export const STORAGE_MESSAGES: Readonly<Record<StorageIssue | 'keeps-key', string>> = {
  fails:
    'Couldn’t read VS Code’s secret storage. Your machine’s keyring may be locked or missing. Unlock it, or install one. You can also use a .env file or environment variables.',
  'rejects-key':
    'Couldn’t store the credentials. Your machine’s keyring may be locked or missing. Unlock it or install one, then try again. You can also use a .env file or environment variables.',
  'keeps-key':
    'Couldn’t delete your keys from VS Code’s secret storage. Try again, or revoke the keys where you created them.',
};
