import { env, extensions, version } from 'vscode';

/** What runs, a line each, for reports that strangers read. */
export function versions(): string[] {
  const ours: unknown = extensions.getExtension('hosted-model.hosted-model')?.packageJSON.version;
  const place = env.remoteName ? `remote ${env.remoteName}` : 'local';
  return [
    `Hosted Model ${typeof ours === 'string' ? ours : 'of an unknown version'}`,
    `${env.appName} ${version}, ${process.platform} ${process.arch}, ${place}`,
    `Node ${process.versions.node}`,
  ];
}
