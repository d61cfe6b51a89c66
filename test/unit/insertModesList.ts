export interface Modes {
  readonly enum: readonly string[];
  readonly enumDescriptions: readonly string[];
  readonly default: unknown;
}

/** Generates the README's list of insert modes from the manifest. */
export function insertModesList({ enum: modes, enumDescriptions, default: preset }: Modes): string {
  const lines = modes.map((mode, index) => {
    const [first = '', ...rest] = (enumDescriptions[index] ?? '').replace(/\.$/, '');
    const isPreset = mode === preset ? ' (the default)' : '';
    return `- \`${mode}\`: ${first.toLowerCase()}${rest.join('')}${isPreset}`;
  });
  return lines.join('\n');
}
