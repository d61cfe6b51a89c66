import assert from 'node:assert/strict';
import { shownName } from '../../../src/connection/connectionMessages.ts';
import {
  checkedSourcesText,
  declinedSources,
  sourceFaultText,
} from '../../../src/connection/sourceMessages.ts';
import { choose } from '../../../src/connection/sourceSelection.ts';
import type {
  ExternalSource,
  SourceSnapshot,
  UnreadReason,
} from '../../../src/connection/sourceTypes.ts';
import {
  actionsFor,
  provenanceLines,
  reasonText,
  sourceChoices,
  sourceRows,
  sourceState,
} from '../../../src/connection/sourceView.ts';
import { readServices } from '../../../src/service/addedServices.ts';
import {
  type Changes,
  choiceOf,
  envFile,
  envFileOf,
  environment,
  found,
  full,
  noFile,
  REGION,
  record,
  unreadFile,
} from './sources.ts';

const acme = { word: 'acme', authentication: { kind: 'none' }, api: 'openai', defaultModel: 'm' };
const [keyless, withSecret] = [{}, { headers: { 'X-Team': { secret: 'team key' } } }].map(
  (more) => readServices([{ ...acme, ...more }]).own[0] ?? assert.fail(),
);
assert.ok(keyless && withSecret);

const rowsOf = (one: SourceSnapshot) =>
  sourceRows(one, choiceOf(one)).map(({ label, description, detail }) => [
    label,
    description,
    detail,
  ]);
const labelsOf = (id: 'editor' | 'envFile' | 'environment', one: SourceSnapshot) =>
  actionsFor(id, one).map(({ label }) => label.replace(/^\S+ /, ''));

describe('reasonText', () => {
  const nothing = { record: undefined };
  const approvedEnvironment = environment(full, 'approved');
  const fileOfOther = envFile({});
  const byEnvironment = (file: ExternalSource) => ({
    ...nothing,
    external: [file, approvedEnvironment],
  });
  const cases: readonly [what: string, changes: Changes, reason: string][] = [
    ['the editor alone', {}, 'Credentials come from secret storage and user settings.'],
    [
      'the editor next to an incomplete or declined source',
      { external: [envFile({ key: full.key }), environment(full, 'declined')] },
      'Credentials come from secret storage and user settings.',
    ],
    [
      'the editor instead of a complete source',
      { external: [envFile(), environment({})] },
      'Credentials come from secret storage and user settings, which take precedence over the .env file in a.',
    ],
    [
      'the editor instead of two complete sources',
      { external: [envFile(full, 'approved'), environment()] },
      'Credentials come from secret storage and user settings, which take precedence over the .env file in a and the environment.',
    ],
    [
      'the .env file while the editor has no key',
      { ...nothing, external: [envFile(full, 'approved'), approvedEnvironment] },
      'Credentials come from the .env file in a, because secret storage and user settings have no usable API key.',
    ],
    [
      'the .env file while the editor has no project',
      { settings: { projectId: '' }, external: [envFile(full, 'approved')] },
      'Credentials come from the .env file in a, because secret storage and user settings have no usable project ID.',
    ],
    [
      'the .env file while the editor has no record of a service without a key',
      { ...nothing, settings: { service: keyless }, external: [envFile(full, 'approved')] },
      'Credentials come from the .env file in a, because the service’s setup is incomplete.',
    ],
    [
      "the .env file while the editor's address can't be used",
      { settings: { url: 'http://plain.example' }, external: [envFile(full, 'approved')] },
      'Credentials come from the .env file in a, because the service URL in the settings can’t be used.',
    ],
    [
      'the environment without a folder',
      byEnvironment(unreadFile('no-folder')),
      'Credentials come from the environment, because secret storage and user settings have no usable API key.',
    ],
    [
      'the environment while there is no .env file',
      byEnvironment(noFile),
      'Credentials come from the environment, because secret storage and user settings have no usable API key and there is no .env file.',
    ],
    [
      'the environment while .env is a folder',
      byEnvironment(unreadFile('folder')),
      'Credentials come from the environment, because secret storage and user settings have no usable API key and the .env file in a can’t be used.',
    ],
    [
      'the environment while the .env file is for something else',
      byEnvironment(fileOfOther),
      'Credentials come from the environment, because secret storage and user settings have no usable API key and the .env file in a has no settings for this service.',
    ],
    [
      'the environment while the .env file is declined',
      byEnvironment(envFile(full, 'declined')),
      'Credentials come from the environment, because secret storage and user settings have no usable API key and you declined or imported the .env file in a.',
    ],
    [
      'the environment while the .env file is not approved',
      byEnvironment(envFile()),
      'Credentials come from the environment, because secret storage and user settings have no usable API key and you haven’t approved the .env file in a.',
    ],
  ];
  for (const [what, changes, reason] of cases) {
    it(`explains why the extension uses ${what}`, () => {
      const all = found(changes);
      const selection = choose(all);
      assert.ok(selection.kind === 'ready', selection.kind);
      assert.equal(reasonText(selection.source, all), reason);
    });
  }

  it('describes a .env file as unusable if the identity address is malformed', () => {
    const changes = byEnvironment(envFile(full, 'approved'));
    const reason = reasonText(
      'environment',
      found({ ...changes, settings: { authUrl: 'ftp://a' } }),
    );
    assert.match(reason, /no usable API key and the \.env file in a can’t be used\.$/);
  });
});

describe('the source view', () => {
  it("shows where each of the editor's values is stored", () => {
    const one = found({ external: [envFile(), environment({ url: full.url })] });
    assert.deepEqual(provenanceLines(one, choiceOf(one)), [
      'API key: sent to iam.cloud.ibm.com (from secret storage)',
      'Project: project-of-the-user (from user settings)',
      'Service: us-south.ml.cloud.ibm.com (from user settings)',
    ]);
  });

  it('B13: shows the hosts and project while a .env file is in use', () => {
    const one = found({ record: undefined, external: [envFile(full, 'approved')] });
    assert.deepEqual(provenanceLines(one, choiceOf(one)), [
      'API key: sent to iam.cloud.ibm.com',
      'Project: project-outside',
      'Service: evil.example',
    ]);
  });

  it('shows that a project comes from the folder settings', () => {
    const settings = { projectId: 'project-of-the-folder', isProjectOverridden: true };
    const one = found({ settings });
    assert.equal(
      provenanceLines(one, choiceOf(one))?.[1],
      'Project: project-of-the-folder (from workspace or remote settings)',
    );
  });

  it('shows what to fix if a mistake makes the .env file unusable', () => {
    const one = found({ record: undefined, external: [envFile({ ...full, key: '"quoted"' })] });
    assert.deepEqual(provenanceLines(one, choiceOf(one)), [
      'The .env file in a can’t be used: VENDOR_API_KEY on line 1 has quotes around its value. Nothing was sent. Fix and save the file.',
    ]);
  });

  it('shows what to fix if the source in the settings is invalid', () => {
    const one = found({ settings: { credentialSource: 'invalid' } });
    assert.match(
      provenanceLines(one, choiceOf(one))?.join() ?? '',
      /hostedModel\.credentialSource is invalid/,
    );
  });

  it("shows that a complete source hasn't been approved", () => {
    for (const [source, line] of [
      [envFile(), 'The .env file in a is complete, but not approved.'],
      [environment(), 'The environment is complete, but not approved.'],
    ] as const) {
      const one = found({ record: undefined, external: [source] });
      assert.deepEqual(provenanceLines(one, choiceOf(one)), [line]);
    }
  });

  it('names a variable only once, even if its value has two problems', () => {
    const faulty = envFile({ ...full, key: '"Bearer key-outside"', url: `"${full.url}"` });
    assert.equal(
      sourceFaultText(faulty, found({ external: [faulty] })),
      'The .env file in a can’t be used: VENDOR_API_KEY on line 1 has quotes around its value and starts with the word Bearer, and VENDOR_URL on line 3 has quotes around its value. Nothing was sent. Fix and save the file.',
    );
  });

  it('recommends fixing the environment variables if one of them is invalid', () => {
    const faulty = environment({ ...full, url: `${full.url}/ml/v1/text/chat` });
    assert.equal(
      sourceFaultText(faulty, found({ external: [faulty] })),
      'The environment can’t be used: VENDOR_URL includes an endpoint path. Nothing was sent. Fix the environment variables, then restart VS Code.',
    );
  });

  it("doesn't show where values come from if no source can be used", () => {
    const one = found({ record: undefined });
    assert.equal(provenanceLines(one, choiceOf(one)), undefined);
  });

  it("lists the service's sources with their states and masked values", () => {
    const one = found({ external: [envFile(), environment({ key: full.key })] });
    assert.deepEqual(rowsOf(one), [
      [
        '$(pass-filled) Secret storage and user settings',
        'in use',
        'key ••••••••, project proj…, us-south.ml.cloud.ibm.com',
      ],
      [
        '$(circle-large-outline) The .env file in a',
        '',
        'complete, but not approved · key ••••••••, project proj…, evil.example',
      ],
      [
        '$(circle-large-outline) The environment',
        '',
        'lacks VENDOR_PROJECT_ID and VENDOR_URL · key ••••••••',
      ],
    ]);
    assert.equal(rowsOf(found({ external: [envFile({}), environment({})] })).length, 1);
  });

  it('never shows a key or the full project ID of an unused source', () => {
    const one = found({ external: [envFile(), environment()] });
    const shown = JSON.stringify([rowsOf(one), checkedSourcesText(one)]);
    for (const value of [full.key, full.project, record.apiKey]) {
      assert.equal(shown.includes(value), false);
    }
  });

  it('offers only the actions that apply to each source', () => {
    const complete = found({ external: [envFile()] });
    assert.deepEqual(labelsOf('envFile', complete), ['Import into Secret Storage', 'Open .env']);
    assert.deepEqual(labelsOf('editor', complete), ['Set Up...']);
    const approved = found({ record: undefined, external: [envFile(full, 'approved')] });
    assert.deepEqual(labelsOf('envFile', approved), [
      'Import into Secret Storage',
      'Forget Approval',
      'Open .env',
    ]);
    const faulty = found({ external: [envFile({ key: '"quoted"' })] });
    assert.deepEqual(labelsOf('envFile', faulty), ['Open .env']);
    const rejected = found({ external: [environment(full, 'declined')] });
    assert.deepEqual(labelsOf('environment', rejected), [
      'Import into Secret Storage',
      'Forget Decision',
    ]);
  });
});

describe('reasonText with a source selected in the settings', () => {
  const reason = (source: 'editor' | 'envFile' | 'environment', changes: Changes) =>
    reasonText(source, found({ external: [envFile(), environment()], ...changes }));

  it('names the setting if the selected source is used', () => {
    for (const [credentialSource, name] of [
      ['editor', 'secret storage and user settings'],
      ['envFile', 'the .env file in a'],
      ['environment', 'the environment'],
    ] as const) {
      assert.equal(
        reason(credentialSource, { settings: { credentialSource } }),
        `Credentials come from ${name}, because hostedModel.credentialSource is “${credentialSource}”.`,
      );
    }
  });

  it("explains why the selected source isn't used", () => {
    const settings = { credentialSource: 'environment' } as const;
    assert.equal(
      reason('editor', { settings, external: [environment(full, 'declined')] }),
      'Credentials come from secret storage and user settings, because the environment can’t be used (you declined or imported it).',
    );
    const text = { kind: 'unread', why: 'untrusted' } as const;
    assert.equal(
      reason('editor', { settings, external: [{ id: 'environment', text }] }),
      'Credentials come from secret storage and user settings, because the environment can’t be used (the workspace isn’t trusted).',
    );
  });
});

describe('the choices in Use Another Source', () => {
  const choicesOf = (one: SourceSnapshot) =>
    sourceChoices(one, choiceOf(one)).map(({ value, label, description, detail }) => [
      value,
      label,
      description,
      detail,
    ]);

  it('include the automatic order and all sources with their states', () => {
    const one = found({ external: [envFile(), environment({})] });
    assert.deepEqual(choicesOf(one), [
      [
        'auto',
        'Automatic',
        'current setting',
        'secret storage and user settings, then the .env file in a, then the environment',
      ],
      [
        'editor',
        'Secret storage and user settings',
        'in use',
        'key ••••••••, project proj…, us-south.ml.cloud.ibm.com',
      ],
      [
        'envFile',
        'The .env file in a',
        '',
        'complete, but not approved · key ••••••••, project proj…, evil.example',
      ],
      ['environment', 'The environment', '', 'it has no settings for this service'],
    ]);
    assert.equal(JSON.stringify(choicesOf(one)).includes(full.key), false);
  });

  it("mark the source that the setting selects, even if it can't be used", () => {
    const settings = { credentialSource: 'envFile' } as const;
    const marks = (external: SourceSnapshot['external']) =>
      choicesOf(found({ external, settings })).map(([, , description]) => description);
    assert.deepEqual(marks([envFile(full, 'approved'), environment({})]), [
      '',
      '',
      'in use, current setting',
      '',
    ]);
    assert.deepEqual(marks([envFile({}), environment({})]), ['', '', 'current setting', '']);
  });
});

describe("the list entry for a source that can't be used", () => {
  const unread = (id: 'envFile' | 'environment', why: UnreadReason) =>
    ({ id, text: { kind: 'unread', why }, decision: undefined }) as const;
  const naming = ({ settings, ...changes }: Changes) =>
    found({
      external: [envFile(full, 'approved')],
      settings: { credentialSource: 'envFile', ...settings },
      ...changes,
    });

  it('offers only Set Up for a missing project or a malformed record', () => {
    const lacking = naming({ settings: { projectId: '' } });
    assert.deepEqual(labelsOf('editor', lacking), ['Set Up...']);
    const tampered = naming({ record: { ...record, serviceUrl: 'nowhere' } });
    assert.deepEqual(labelsOf('editor', tampered), ['Set Up...']);
    assert.equal(sourceState('editor', tampered), 'lacks an API key');
  });

  it('offers only Set Up if a record or a header secret is missing', () => {
    const { definition } = withSecret;
    const stored = { ...record, authUrl: REGION, ...(definition && { definition }) };
    for (const one of [
      naming({ settings: { service: keyless }, record: undefined }),
      naming({ settings: { service: withSecret, authUrl: '' }, record: stored }),
    ]) {
      assert.deepEqual(labelsOf('editor', one), ['Set Up...']);
      assert.equal(sourceState('editor', one), 'not set up');
    }
  });

  it('offers Open Settings and Set Up for an invalid address or project', () => {
    for (const settings of [
      { url: 'us-south' },
      { authUrl: 'ftp://a.example' },
      { projectId: 'my project' },
    ]) {
      const one = naming({ settings });
      assert.deepEqual(labelsOf('editor', one), ['Open Settings', 'Set Up...']);
    }
  });

  for (const why of [
    'symbolic-link',
    'folder',
    'not-a-file',
    'too-large',
    'not-text',
    'unreadable',
  ] as const) {
    it(`offers only Set Up if the .env file can't be read (${why})`, () => {
      const one = found({ external: [unread('envFile', why)] });
      assert.equal(rowsOf(one).length, 2);
      assert.deepEqual(labelsOf('envFile', one), ['Set Up...']);
    });
  }

  it('offers only Manage Workspace Trust if the folder is untrusted', () => {
    const one = found({
      external: [unread('envFile', 'untrusted'), unread('environment', 'untrusted')],
    });
    assert.deepEqual(labelsOf('envFile', one), ['Manage Workspace Trust']);
    assert.deepEqual(labelsOf('environment', one), ['Manage Workspace Trust']);
  });

  it('offers only Set Up if the environment is incomplete', () => {
    const one = found({ external: [environment({ key: full.key })] });
    assert.deepEqual(labelsOf('environment', one), ['Set Up...']);
  });

  it("shows why the source can't be used, even if all values are set", () => {
    const one = found({ external: [envFile()], settings: { authUrl: 'ftp://a.example' } });
    const row = sourceChoices(one, choiceOf(one)).find(({ value }) => value === 'envFile');
    assert.match(row?.problem ?? '', /can’t be used \(the identity service URL .* is invalid\)\.$/);
  });

  it('offers at least one action, like every other entry', () => {
    for (const answer of ['approved', 'declined', undefined] as const) {
      const environments = [environment({ url: full.url }), environment(full, answer)];
      for (const external of environments) {
        for (const credentialSource of ['environment', 'auto'] as const) {
          const settings = { credentialSource };
          const one = found({ external: [envFile({ key: 'k' }), external], settings });
          for (const { source } of sourceRows(one, choiceOf(one))) {
            assert.notDeepEqual(labelsOf(source, one), []);
          }
        }
      }
    }
  });
});

describe('a declined source', () => {
  const declined = environment(full, 'declined');

  it('can be offered again, unless the .env file has to be fixed first', () => {
    const of = (external: ExternalSource[]) =>
      declinedSources(found({ record: undefined, external })).map(({ id }) => id);
    assert.deepEqual(of([declined]), ['environment']);
    assert.deepEqual(of([envFile({ key: '"k"', project: 'p' }), declined]), []);
  });

  it('can be offered again only if hostedModel.credentialSource allows it to be used', () => {
    for (const [credentialSource, ids] of [
      ['environment', ['environment']],
      ['envFile', []],
      ['editor', []],
    ] as const) {
      const external = [envFile({ key: '"k"', project: 'p' }), declined];
      const sources = declinedSources(found({ external, settings: { credentialSource } }));
      assert.deepEqual(
        sources.map(({ id }) => id),
        ids,
      );
    }
  });
});

describe('the text about the checked sources', () => {
  it('is short and contains no markup, even with thousands of issues', () => {
    const faulty = [
      ...Array.from({ length: 4_600 }, (_, n) => `VENDOR_URL=${n}`),
      ...Array.from({ length: 60 }, (_, n) => `VENDOR${'_'.repeat(n)}-API_KEY="x"`),
      `VENDOR_API_KEY${'\u202e'.repeat(1_000)}=x`,
      '[VENDOR_API_KEY](https://evil.example)=x',
    ];
    for (const lines of [faulty, faulty.toReversed()]) {
      const file = envFileOf(lines.join('\n'));
      assert.ok(file.text.kind === 'read' && file.text.reading.issues.length > 4_000);
      const text = checkedSourcesText(found({ record: undefined, external: [file] }));
      assert.ok(text.length < 500, text);
      assert.match(text, /, [\d]+ more, and \w+ and \w+ are missing/);
      assert.match(text, /^[\w .,;:?()"'’-]+$/);
    }
  });

  it('lists only secret storage and user settings if hostedModel.credentialSource is “editor”', () => {
    const settings = { credentialSource: 'editor' } as const;
    const one = found({ record: undefined, external: [envFile(), environment()], settings });
    const place = 'secret storage and user settings';
    assert.equal(
      checkedSourcesText(one),
      `Only ${place} were checked, because hostedModel.credentialSource is “editor”.`,
    );
  });

  const cases: [what: string, external: SourceSnapshot['external'], text: string][] = [
    [
      'lists sources without settings',
      [
        { id: 'envFile', text: { kind: 'unread', why: 'no-file' }, decision: undefined },
        environment({}),
      ],
      'the .env file in a (not found), and the environment (it has no settings for this service).',
    ],
    [
      'lists the sources of an untrusted folder',
      [
        { id: 'envFile', text: { kind: 'unread', why: 'untrusted' }, decision: undefined },
        { id: 'environment', text: { kind: 'unread', why: 'untrusted' }, decision: undefined },
      ],
      'the .env file in a (the workspace isn’t trusted), and the environment (the workspace isn’t trusted).',
    ],
    [
      "B19: names the line of a value in quotes and the missing setting, but doesn't show values",
      [envFile({ key: '"key-outside"', project: full.project }), environment({})],
      'the .env file in a (VENDOR_API_KEY on line 1 has quotes around its value, and VENDOR_URL is missing), and the environment (it has no settings for this service).',
    ],
    [
      'lists a declined source',
      [envFile(full, 'declined'), environment({})],
      'the .env file in a (you declined or imported it), and the environment (it has no settings for this service).',
    ],
  ];
  for (const [what, external, text] of cases) {
    it(what, () => {
      const all = `Sources checked: secret storage and user settings, ${text}`;
      assert.equal(checkedSourcesText(found({ record: undefined, external })), all);
    });
  }
});

describe('shownName', () => {
  it('replaces markup characters with question marks and shortens long names', () => {
    assert.equal(shownName('[a](b)'), '?a??b?');
    assert.equal(shownName('x'.repeat(1_000)), `${'x'.repeat(64)}...`);
  });
});
