import manifest from '../package.json' with { type: 'json' };

/** The ID of the extension in VS Code. It depends on the publisher. */
export const extensionId = `${manifest.publisher}.${manifest.name}`;
