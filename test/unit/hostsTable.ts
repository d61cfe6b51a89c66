import { listOf, settingLabel } from '../../src/messages/settingLabels.ts';
import { neededSettings, type Service, services } from '../../src/service/services.ts';

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
    [...new Set(services.filter(({ authUrl }) => authUrl === url).map(secretsOf))].join('; '),
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

/** What a service's identity service gets, such as "the client ID and the client secret". */
function secretsOf(service: Service): string {
  const names = neededSettings(service).filter((name) => name === 'account' || name === 'apiKey');
  return listOf(names.map((name) => `the ${settingLabel(name, { service })}`));
}
