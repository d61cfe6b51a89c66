interface Described {
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
}

/** The settings table of the README, made from the manifest. */
export function settingsTable(settings: Readonly<Record<string, Described>>): string {
  const rows = Object.entries(settings).map(
    ([name, { default: value, scope, markdownDescription }]) => {
      const from = scope === 'application' ? 'user' : 'user, workspace, folder';
      const text = markdownDescription.replace(/\[([^\]]+)\]\(command:[^)]+\)/g, '*$1*');
      return `| \`${name}\` | \`${JSON.stringify(value)}\` | ${from} | ${text} |`;
    },
  );
  return ['| Setting | Default | From | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
