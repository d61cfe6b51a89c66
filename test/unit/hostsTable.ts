import { listOf, settingLabel } from '../../src/messages/settingLabels.ts';
import { services } from '../../src/service/builtInServices.ts';
import { getsTokens, neededSettings, type Service } from '../../src/service/service.ts';

/** Generates the table of hosts in docs/privacy.md from the service definitions. */
export function hostsTable(all: readonly Service[] = services): string {
  const identity = [...new Set(all.flatMap(({ authUrl }) => authUrl || []))].map((url) => {
    const some = all.filter(({ authUrl }) => authUrl === url);
    const secrets = [...new Set(some.map(secretsOf))].join('; ');
    return [url, `identity service for ${listOf(some.map(({ name }) => name))}`, secrets];
  });
  const regions = all.flatMap((one) => one.regions);
  const byUrl = new Map(regions.map((region) => [region.url, region]));
  const service = [...byUrl.values()].map(({ url, place }) => {
    const some = all.filter((one) => one.regions.some((region) => region.url === url));
    return [url, `${place}: ${namesOf(some)}`, receivedBy(some)];
  });
  const rows = [...identity, ...service].map(
    ([url = '', ...cells]) => `| \`${new URL(url).host}\` | ${cells.join(' | ')} |`,
  );
  return ['| Host | Purpose | Gets |', '|---|---|---|', ...rows].join('\n');
}

function namesOf(some: readonly Service[]): string {
  return some.map(({ name }) => name).join(', ');
}

/**
 * Describes what a host receives: the user's text, and any tokens or secrets that its services
 * need.
 */
function receivedBy(some: readonly Service[]): string {
  const credentials = some.map((one) => (getsTokens(one) ? 'tokens' : secretsOf(one)));
  const known = [...new Set(credentials)].filter(Boolean);
  return known.length > 0 ? `${known.join('; ')}, and the text you send` : 'the text you send';
}

/** Returns the names of a service's secrets, such as "the client ID and the client secret". */
function secretsOf(service: Service): string {
  const names = neededSettings(service).filter((name) => name === 'account' || name === 'apiKey');
  return listOf(names.map((name) => `the ${settingLabel(name, { service })}`));
}
