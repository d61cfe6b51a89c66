export interface Setting {
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
}

/** Generates the table in docs/settings.md from the manifest. */
export function settingsTable(settings: Readonly<Record<string, Setting>>): string {
  const rows = Object.entries(settings).map(
    ([name, { default: value, scope, markdownDescription }]) => {
      const text = markdownDescription
        .replace(/\[([^\]]+)\]\(command:[^)]+\)/g, '*$1*')
        // The table is on one of the pages in docs, so links to the other pages are relative.
        .replace(/(?<=\]\()https:[^)]+\/blob\/HEAD\/docs\//g, '')
        // Only VS Code's settings editor supports these links to other settings.
        .replace(/`#([\w.]+)#`/g, '`$1`');
      return `| \`${name}\` | \`${JSON.stringify(value)}\` | ${scope} | ${text} |`;
    },
  );
  return ['| Setting | Default | Scope | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
