import { type Credentials, cleanValue, type SettingName } from '../service/credentials.ts';
import type { ShownCheck } from '../ui/diagnosisView.ts';
import { preliminaryChecks, type SettingFlaws } from '../ui/preliminaryChecks.ts';
import type { CredentialAccess } from './access.ts';
import { problemOfKey, problemOfProject } from './checks.ts';
import type { Found } from './choose.ts';

/**
 * The credentials that a generation would use now, and what is to be said about them before
 * anything is sent. Asks nothing.
 * @returns no credentials if they are missing, malformed or not approved
 */
export async function credentialsToDiagnose(access: CredentialAccess): Promise<{
  readonly preliminary: readonly ShownCheck[];
  readonly credentials: Credentials | undefined;
}> {
  const { found, choice } = await access.look();
  const preliminary = preliminaryChecks(found, choice, editorFlaws(found));
  const mayBeUsed = choice.kind === 'ready' && preliminary.every(({ state }) => state !== 'failed');
  return { preliminary, credentials: mayBeUsed ? choice.credentials : undefined };
}

function editorFlaws({ settings, record }: Found): SettingFlaws {
  return {
    blemishes: (['projectId', 'url'] as const).flatMap((name) => {
      const { blemishes } = cleanValue(settings[name]);
      return blemishes.length > 0 ? [[name, blemishes] as const] : [];
    }),
    unusable:
      unusable('apiKey', problemOfKey(record?.apiKey ?? '')) ??
      unusable('projectId', problemOfProject(settings.projectId)),
  };
}

function unusable(setting: SettingName, text: string | undefined) {
  return text === undefined ? undefined : { setting, text };
}
