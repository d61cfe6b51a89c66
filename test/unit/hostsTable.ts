import { services } from '../../src/service/services.ts';

/** The table of docs/privacy.md, made from the entries of the services. */
export function hostsTable(): string {
  const names = (has: (service: (typeof services)[number]) => boolean) =>
    services
      .filter(has)
      .map(({ name }) => name)
      .join(', ');
  const identity = [...new Set(services.flatMap(({ authUrl }) => authUrl || []))].map((url) => [
    url,
    `identity service of ${names(({ authUrl }) => authUrl === url)}`,
    'the API key',
  ]);
  const regions = services.flatMap((service) => service.regions);
  const service = [...new Map(regions.map((region) => [region.url, region])).values()].map(
    ({ url, place }) => [
      url,
      `${place}: ${names((service) => service.regions.some((region) => region.url === url))}`,
      'tokens, and what you generate from',
    ],
  );
  const rows = [...identity, ...service].map(
    ([url = '', ...cells]) => `| \`${new URL(url).host}\` | ${cells.join(' | ')} |`,
  );
  return ['| Host | What it is | What it gets |', '|---|---|---|', ...rows].join('\n');
}
