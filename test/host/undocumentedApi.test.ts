import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  AI_SETTING,
  CHAT_EXTENSION,
  callerOf,
  isOfModelGroup,
  isVSCode,
  SYSTEM_ROLE,
  thinkingPart,
  USAGE_TYPE,
  UTILITY_MODEL_SETTING,
  undocumentedCommands,
} from '../../src/undocumentedApi.ts';

const { commands, env, lm, version, workspace } = vscode;
/** The vendor in the manifest of `modelProvider/`, an extension without code. */
const vendor = 'test-provider';
const gone = (what: string) =>
  `${what} is gone. It was seen in 1.133.0 and 1.139.1, this is ${version}`;

/**
 * Tests that VS Code still has everything that `src/undocumentedApi.ts` names. The failure message
 * names the missing item.
 */
describe('the undocumented API of VS Code', () => {
  for (const id of Object.values(undocumentedCommands)) {
    it(`includes the ${id} command`, async () => {
      assert.ok((await commands.getCommands(true)).includes(id), gone(id));
    });
  }

  for (const name of [AI_SETTING, UTILITY_MODEL_SETTING]) {
    it(`includes the ${name} setting`, () => {
      const { defaultValue } = workspace.getConfiguration().inspect(name) ?? {};
      assert.notEqual(defaultValue, undefined, gone(name));
    });
  }

  for (const name of ['globalLocalValue', 'globalRemoteValue']) {
    it(`returns ${name} when a setting is inspected`, () => {
      assert.ok(
        name in (workspace.getConfiguration('hostedModel').inspect('url') ?? {}),
        gone(name),
      );
    });
  }

  it(`uses the ${SYSTEM_ROLE} role for system messages`, () => {
    const role: unknown = Reflect.get(vscode.LanguageModelChatMessageRole, 'System');
    assert.equal(role, SYSTEM_ROLE, gone('LanguageModelChatMessageRole.System'));
  });

  // This test only searches VS Code's source. A test in `test/ui/feedback.test.ts` opens such a
  // link.
  it('supports command links in notifications', async () => {
    const path =
      env.uiKind === vscode.UIKind.Web
        ? 'code/browser/workbench/workbench.js'
        : 'workbench/workbench.desktop.main.js';
    const code = await readFile(join(env.appRoot, 'out', 'vs', path), 'utf8');
    assert.ok(code.includes('|command:|'), gone('the pattern of links to commands'));
    assert.match(code, /\{raw:\w+,linkedText:\w+/, gone('links in notifications'));
  });

  describe('the built-in chat', () => {
    const file = (path: string) =>
      readFile(join(env.appRoot, 'extensions', 'copilot', path), 'utf8');

    it(`comes from the ${CHAT_EXTENSION} extension`, async () => {
      const { publisher, name } = JSON.parse(await file('package.json'));
      assert.equal(`${publisher}.${name}`, CHAT_EXTENSION, gone(CHAT_EXTENSION));
    });

    it(`reads the token usage from data parts of type ${USAGE_TYPE}`, async () => {
      const code = await file(join('dist', 'extension.js'));
      assert.ok(code.includes(`Usage="${USAGE_TYPE}"`), gone(`the type ${USAGE_TYPE}`));
    });
  });

  describe('for a model provider', () => {
    const listings: object[] = [];
    const requests: object[] = [];
    let registration: vscode.Disposable;
    before(() => {
      registration = lm.registerLanguageModelChatProvider(vendor, {
        provideLanguageModelChatInformation: (options) => {
          listings.push(options);
          return isOfModelGroup(options) ? [] : [model];
        },
        provideLanguageModelChatResponse: async (_model, _messages, options, progress) => {
          requests.push(options);
          const thought = thinkingPart(vscode, 'thought');
          if (thought) progress.report(thought);
        },
        provideTokenCount: async () => 1,
      });
    });
    after(() => registration.dispose());

    it("passes `configuration` when VS Code requests a group's models", async () => {
      await commands.executeCommand(undocumentedCommands.addModelGroup, { name: 'Group', vendor });
      listings.length = 0;
      const [first] = await lm.selectChatModels({ vendor });
      assert.equal(first?.id, model.id);
      const areOfGroup = new Set(listings.map(isOfModelGroup));
      assert.ok(areOfGroup.has(true), gone('`configuration` in the options of a listing'));
      assert.ok(areOfGroup.has(false), 'models are listed only for groups');
    });

    const ask = async () => {
      const [first] = await lm.selectChatModels({ vendor });
      const response = await first?.sendRequest([vscode.LanguageModelChatMessage.User('Hello')]);
      const parts: unknown[] = [];
      for await (const part of response?.stream ?? []) parts.push(part);
      return parts;
    };

    it("passes a request's caller as `requestInitiator`", async () => {
      await ask();
      const options = requests.at(-1) ?? {};
      assert.notEqual(callerOf(options), '', gone('requestInitiator'));
      assert.equal(isVSCode(callerOf(options)), false, 'an extension counts as VS Code');
    });

    it('delivers reasoning as a LanguageModelThinkingPart', async () => {
      const reported = (await ask()).map((part) => Reflect.get(Object(part), 'value'));
      assert.deepEqual(reported, ['thought'], gone('LanguageModelThinkingPart'));
    });
  });
});

const model: vscode.LanguageModelChatInformation = {
  id: 'canary',
  name: 'Canary',
  family: 'canary',
  version: '1',
  maxInputTokens: 1_000,
  maxOutputTokens: 1_000,
  capabilities: {},
};
