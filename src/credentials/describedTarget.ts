import { type Credentials, cleanValue, missingSettings } from '../service/credentials.ts';
import {
  destination,
  type EditorSelection,
  editorProject,
  type LookupResult,
} from './sourceSelection.ts';

/** Where a document about the service leads that holds no key, and the project that it names. */
export type DescribedTarget = Pick<
  Credentials,
  'vendor' | 'serviceUrl' | 'authUrl' | 'projectId' | 'resource'
>;

/** What is used now, else what the user's settings say: nobody needs a key for a description. */
export function describedTarget({
  found,
  choice,
}: LookupResult): DescribedTarget | Extract<EditorSelection, { kind: 'missing' | 'bad-address' }> {
  if (choice.kind === 'ready') {
    const { vendor, serviceUrl, authUrl, projectId, resource } = choice.credentials;
    return { vendor, serviceUrl, authUrl, projectId, resource };
  }
  const { settings, projectAnswer } = found;
  // The project of a folder takes the place of the user's own only once somebody has said yes.
  const { projectId: named, resource } =
    projectAnswer === 'approved' ? editorProject(found) : settings;
  const projectId = cleanValue(named).value;
  const missing = missingSettings(settings.vendor, { projectId, url: settings.url });
  const names = missing.filter((name) => name === 'projectId' || name === 'url');
  if (names.length > 0) return { kind: 'missing', names };
  const leads = destination(settings.authUrl, settings.url);
  if ('setting' in leads) return { kind: 'bad-address', ...leads };
  const { serviceUrl, authUrl } = leads;
  return { vendor: settings.vendor, serviceUrl, authUrl, projectId, resource };
}
