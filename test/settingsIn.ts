interface Manifest<Setting> {
  readonly contributes: {
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
  };
}

/** Returns the settings of all groups in a manifest, keyed by name. */
export function settingsIn<Setting>({
  contributes,
}: Manifest<Setting>): Readonly<Record<string, Setting>> {
  return Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));
}
