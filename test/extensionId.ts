import manifest from '../package.json' with { type: 'json' };

/** What VS Code knows the extension by, whoever publishes it. */
export const extensionId = `${manifest.publisher}.${manifest.name}`;
