export interface Modes {
  readonly enum: readonly string[];
  readonly enumDescriptions: readonly string[];
  readonly default: unknown;
}

/** Returns the README's list of insert modes, made from the manifest. */
export function insertModesList({ enum: modes, enumDescriptions, default: preset }: Modes): string {
  const lines = modes.map((mode, index) => {
    const [first = '', ...rest] = (enumDescriptions[index] ?? '').replace(/\.$/, '');
    const isPreset = mode === preset ? ' (the default)' : '';
    return `- \`${mode}\`: ${first.toLowerCase()}${rest.join('')}${isPreset}`;
  });
  return lines.join('\n');
}

/** Returns the table with a picture of each insert mode. The UI tests take the pictures. */
export function insertModesTable({ enum: modes }: Modes): string {
  const rows = modes.map((mode) => {
    const [dark, light] = ['dark', 'light'].map((theme) => `../${pictureOf(mode, theme)}`);
    const lightSource = `<source media="(prefers-color-scheme: light)" srcset="${light}">`;
    const picture = `<picture>${lightSource}<img src="${dark}" alt="${altText(mode)}" width="440"></picture>`;
    return `| \`${mode}\` | ${picture} |`;
  });
  return ['| Mode | Result |', '|---|---|', ...rows].join('\n');
}

/** Path of a picture, from the root of the repository. */
export function pictureOf(mode: string, theme: string): string {
  return `media/insert-${mode}-${theme}.png`;
}

function altText(mode: string): string {
  return `A Python function after a generation with the insert mode ${mode}.`;
}
