import { type Credentials, cleanValue, type SettingName } from '../service/credentials.ts';
import { readSettings } from '../settings.ts';
import type { ShownCheck } from '../ui/diagnosisView.ts';
import { preliminaryChecks } from '../ui/preliminaryChecks.ts';
import { problemOfKey, problemOfProject } from './checks.ts';
import type { KeyStore } from './keyStore.ts';
import { resolveCredentials } from './resolve.ts';

/**
 * The credentials that a generation would use now, and what is to be said about them before
 * anything is sent. Asks nothing.
 * @returns no credentials if they are missing, malformed or not approved for their hosts
 */
export async function credentialsToDiagnose({ keys }: { readonly keys: KeyStore }): Promise<{
  readonly preliminary: readonly ShownCheck[];
  readonly credentials: Credentials | undefined;
}> {
  const settings = readSettings();
  const record = await keys.read();
  const resolution = resolveCredentials(settings, record);
  const preliminary = preliminaryChecks(resolution, {
    blemishes: (['projectId', 'url'] as const).flatMap((name) => {
      const { blemishes } = cleanValue(settings[name]);
      return blemishes.length > 0 ? [[name, blemishes] as const] : [];
    }),
    unusable:
      unusable('apiKey', problemOfKey(record?.apiKey ?? '')) ??
      unusable('projectId', problemOfProject(settings.projectId)),
  });
  const mayBeUsed =
    resolution.kind === 'ready' && preliminary.every(({ state }) => state !== 'failed');
  return { preliminary, credentials: mayBeUsed ? resolution.credentials : undefined };
}

function unusable(setting: SettingName, text: string | undefined) {
  return text === undefined ? undefined : { setting, text };
}
