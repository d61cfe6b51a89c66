import manifest from '../package.json' with { type: 'json' };

/** The extension's ID in VS Code, which depends on the publisher. */
export const extensionId = `${manifest.publisher}.${manifest.name}`;
