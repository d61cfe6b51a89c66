import manifest from '../package.json' with { type: 'json' };

export const extensionId = `${manifest.publisher}.${manifest.name}`;
