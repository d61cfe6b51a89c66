import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { filesIn } from '../filesIn.ts';

/**
 * The source files, which are searched for everything that the extension registers or could expose.
 */
const files = filesIn('src/**/*.ts').map((path) => [path, readFileSync(path, 'utf8')] as const);
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  activationEvents: readonly string[];
  contributes: Record<string, unknown>;
};

/** Returns all matches in the source, each as `path: match`. */
function places(pattern: RegExp): string[] {
  return files.flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map(([found]) => `${path}: ${found}`),
  );
}

describe('the extension', () => {
  it('G05: writes only responses and diagnostic reports to the clipboard, and never reads it', () => {
    const writes = places(/\bclipboard\.writeText\([^)]*\)|\bwriteText\b|clipboardCopyAction/g);
    const allowed = [
      /^src\/diagnose\/copyReport\.ts: clipboard\.writeText\(text\)$/,
      // Copies the response when the user selects Copy.
      /^src\/generate\/responseNotifications\.ts: clipboard\.writeText\(result\.text\)$/,
      // Copies the response in the `clipboard` insert mode.
      /^src\/editor\/clipboardMode\.ts: clipboard\.writeText\(text\)$/,
    ];
    assert.deepEqual(
      writes.filter((place) => !allowed.some((one) => one.test(place))),
      [],
    );
    assert.deepEqual(places(/\bclipboard\.readText\b|clipboardPasteAction/g), []);
  });

  it("G05: doesn't show or log the key or the token", () => {
    const shown =
      /(log\.(trace|debug|info|warn|error)|show\w*Message|openTextDocument|append\w*|prompt:|placeholder:|detail:)[^;\n]*\b(apiKey|bearer|token\.value)\b(?!\s*[?:])/g;
    assert.deepEqual(
      places(shown).filter((place) => !/'[^']*apiKey[^']*'/.test(place)),
      [],
    );
  });

  it("E11: doesn't send telemetry, not even through VS Code's API", () => {
    const senders =
      /\b(createTelemetryLogger|TelemetryLogger|TelemetrySender|onDidChangeTelemetryEnabled|logUsage|logError|appInsights|sendTelemetry\w*)\b/g;
    assert.deepEqual(places(senders), []);
  });

  it("G14: doesn't register a URI handler or an authentication provider", () => {
    const registrations =
      /\bregister(UriHandler|AuthenticationProvider|Tool|LanguageModel\w*|McpServer\w*|ExternalUriOpener|TaskProvider|DebugConfigurationProvider|FileSystemProvider)\b/g;
    // These calls register the tool, which is off by default, and the models for VS Code's chat.
    assert.deepEqual(places(registrations), [
      'src/chat/offerModels.ts: registerLanguageModelChatProvider',
      'src/chat/offerModels.ts: registerTool',
    ]);
    const tools = manifest.contributes['languageModelTools'] as readonly {
      readonly when: string;
    }[];
    for (const { when } of tools) assert.match(when, /config\.hostedModel\.offerTool && /);
    for (const event of manifest.activationEvents) {
      assert.doesNotMatch(event, /^(\*|onUri|onAuthenticationRequest)/);
    }
    for (const point of ['authentication', 'taskDefinitions', 'debuggers']) {
      assert.equal(manifest.contributes[point], undefined, point);
    }
  });

  it('G01 G04: accepts only a template and an insert mode as command arguments, and returns nothing', () => {
    const registered = places(/registerCommand\([\s\S]*?\);/g);
    assert.equal(registered.length, 2, 'two places register commands');
    assert.match(registered[0] ?? '', /registerCommand\(`hostedModel\.\$\{name\}`, run\)/);
    // This call registers the command behind the link that retries requests that got no response.
    assert.match(
      registered[1] ?? '',
      /registerCommand\(this\.#retryId, \(\) => this\.#retry\(\)\)/,
    );
    assert.equal(places(/#retry\(\): void/g).length, 1);
    const run =
      /const run = \(given: unknown\): Promise<undefined> => \{\s+const args = name === 'generateFromSelection' \? generateArguments\(given\) : \{\};\s+return guarded\(name, hostOf\(\), invoked\(args\)\);\s+\};/g;
    assert.equal(places(run).length, 1);
    const picked =
      /if \(!isNameOrAbsent\(template\)\) return \{ malformed: 'template' \};\s+if \(!isNameOrAbsent\(insertMode\)\) return \{ malformed: 'insertMode' \};\s+return \{ template, insertMode \};/g;
    assert.equal(places(picked).length, 1);
    assert.equal(places(/export function activate\([^)]*\): void/g).length, 1);
  });
});
