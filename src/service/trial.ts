import type { Credentials } from './credentials.ts';
import { type ClientSettings, Session } from './session.ts';

/**
 * Uses credentials once, apart from every session, and generates nothing.
 * @throws {ServiceError} what a generation would fail with
 */
export async function tryCredentials(
  credentials: Credentials,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<void> {
  const trial = new Session();
  try {
    await trial.client(credentials, settings).countTokens('hello', signal);
  } finally {
    trial.dispose();
  }
}
