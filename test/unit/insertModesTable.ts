export interface Modes {
  readonly enum: readonly string[];
  readonly enumDescriptions: readonly string[];
}

/** The README's table of insert modes, made from the manifest; the ui suite takes the pictures. */
export function insertModesTable({ enum: modes, enumDescriptions }: Modes): string {
  const rows = modes.map((mode, index) => {
    const text = enumDescriptions[index] ?? '';
    const [dark, light] = ['dark', 'light'].map((theme) => pictureOf(mode, theme));
    const lightSource = `<source media="(prefers-color-scheme: light)" srcset="${light}">`;
    const picture = `<picture>${lightSource}<img src="${dark}" alt="${altText(mode)}" width="440"></picture>`;
    return `| \`${mode}\` | ${text} | ${picture} |`;
  });
  return ['| Mode | The answer goes | Picture |', '|---|---|---|', ...rows].join('\n');
}

/** Path of a picture, from the root of the repository. */
export function pictureOf(mode: string, theme: string): string {
  return `media/insert-${mode}-${theme}.png`;
}

function altText(mode: string): string {
  return `A Python function after a generation with the insert mode ${mode}.`;
}
