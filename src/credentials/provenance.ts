import type { SettingName } from '../service/credentials.ts';
import { sourceName } from './sourceMessages.ts';
import {
  editorProject,
  externalSource,
  type SourceId,
  type SourceSelection,
  type SourceSnapshot,
  valuesOf,
} from './sourceSelection.ts';

/** Which source each of the three settings comes from, and which others have it. Pure. */

/** What is in use, as lines for the tooltip. Keys are never shown, not in part. */
export function provenanceLines(
  found: SourceSnapshot,
  choice: SourceSelection,
): readonly string[] | undefined {
  if (choice.kind !== 'ready') return undefined;
  const { source, credentials } = choice;
  const { auth, service } = credentials.approved;
  return [
    line('API key', `sent to ${new URL(auth).host}`, 'apiKey'),
    line('Project', credentials.projectId, 'projectId'),
    line('Service', new URL(service).host, 'url'),
  ];

  function line(label: string, value: string, name: SettingName): string {
    const others = alsoIn(name, source, found);
    const also = others.length > 0 ? `; also in ${others.join(' and ')}, not used` : '';
    return `${label}: ${value} (${wherefrom(name, source, found)}${also})`;
  }
}

/** The place of one setting of the source that is in use. */
function wherefrom(name: SettingName, source: SourceId, found: SourceSnapshot): string {
  if (source !== 'editor') return sourceName(source, found);
  if (name === 'apiKey') return 'secret storage';
  const isOfFolder = name === 'projectId' && found.projectAnswer === 'approved';
  return isOfFolder ? OF_FOLDER : OF_USER;
}

const OF_USER = 'user settings';
/** A folder, a workspace file or a remote machine: VS Code does not tell them apart. */
const OF_FOLDER = 'settings of the folder or machine';

function alsoIn(name: SettingName, inUse: SourceId, found: SourceSnapshot): string[] {
  const used = wherefrom(name, inUse, found);
  const places = (['editor', 'envFile', 'environment'] as const).flatMap((id) =>
    placesOf(name, id, found),
  );
  return places.filter((place) => place !== used);
}

/** The editor may have two of a project: that of the user, and that of the folder. */
function placesOf(name: SettingName, id: SourceId, found: SourceSnapshot): string[] {
  if (id === 'editor' && name === 'projectId') {
    const { projectId, folderProjectId } = found.settings;
    return [projectId && OF_USER, folderProjectId && OF_FOLDER].filter(Boolean);
  }
  return hasSetting(name, id, found) ? [wherefrom(name, id, found)] : [];
}

function hasSetting(name: SettingName, id: SourceId, found: SourceSnapshot) {
  const { settings, record } = found;
  if (id === 'editor') return name === 'apiKey' ? record !== undefined : !!settings[name];
  const source = externalSource(found, id);
  return (
    source?.text.kind === 'read' &&
    source.text.reading.named.some(({ setting }) => setting === name)
  );
}

/** A project ID that is only told apart from others: `1a2b…`. */
function masked(text: string): string {
  return text.length > 8 ? `${text.slice(0, 4)}…` : '…';
}

/** The values of a source as they may be shown: the key not at all. */
export function maskedValues(id: SourceId, found: SourceSnapshot): string {
  const source = externalSource(found, id);
  const { projectId, url } = source
    ? (valuesOf(source.text) ?? { projectId: '', url: '' })
    : { projectId: editorProject(found), url: found.settings.url };
  const host = URL.canParse(url) ? new URL(url).host : '';
  return [
    hasSetting('apiKey', id, found) && 'key ••••••••',
    projectId && `project ${masked(projectId)}`,
    host,
  ]
    .filter(Boolean)
    .join(', ');
}
