import { destination, originsOf, type Resolution } from '../../src/credentials/resolve.ts';
import { type Vendor, vendorFor } from '../../src/service/vendors.ts';

/** What the settings can come to, one of each kind. */

const vendor = vendorFor('ibm') as Vendor;
const [region, otherRegion] = vendor.regions.map(({ url }) => destination(vendor.authUrl, url));
if (!region || !otherRegion || 'setting' in region || 'setting' in otherRegion) {
  throw new Error('The regions of the vendor entry have no addresses');
}

export const fixtures = {
  missing: { kind: 'missing', names: ['apiKey', 'projectId', 'url'] },
  badAddress: { kind: 'bad-address', setting: 'url', problem: 'not-a-url' },
  unapproved: { kind: 'unapproved', approved: region, wanted: otherRegion },
  ready: {
    kind: 'ready',
    credentials: {
      vendor,
      apiKey: 'key-of-the-unit-tests',
      projectId: 'project-1',
      authUrl: region.authUrl,
      serviceUrl: region.serviceUrl,
      approved: originsOf(region),
    },
  },
} as const satisfies Readonly<Record<string, Resolution>>;
