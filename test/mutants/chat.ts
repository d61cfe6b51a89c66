import type { Mutant } from './mutant.ts';

/**
 * Mutants that remove defenses from the chat code. These defenses control who can call the model,
 * what is sent and shown, and which requests go first.
 */

const provider = 'test/contract/chat/chatProvider.test.ts';
const callers = 'test/unit/chat/callerDecisions.test.ts';
const limiter = 'test/unit/service/http/concurrencyLimit.test.ts';

export const chatMutants: readonly Mutant[] = [
  {
    name: 'another extension can call without approval',
    file: 'src/chat/callerDecisions.ts',
    from: 'if (this.isTrusted(id)) return true;',
    to: 'if (this.isTrusted(id) || id) return true;',
    test: provider,
    title: 'sends another extension’s request only if the user allows it',
  },
  {
    name: 'a decision about one key applies to another key',
    file: 'src/chat/callerDecisions.ts',
    from: 'one.id === id && one.fingerprint === fingerprint',
    to: 'one.id === id',
    test: callers,
    title: 'asks again after the API key changes or a decision is forgotten',
  },
  {
    name: 'a decision about a caller applies to another host',
    file: 'src/chat/callerDecisions.ts',
    from: 'const covered = [approved.service, ',
    to: 'const covered = [',
    test: callers,
    title: 'G16: asks the user again after the host or project changes',
  },
  {
    name: 'a request continues after its key is deleted',
    file: 'src/chat/chatProvider.ts',
    from: 'AbortSignal.any([stopped.signal, signedOut])',
    to: 'stopped.signal',
    test: provider,
    title: 'aborts the request when the user signs out',
  },
  {
    name: 'chat shows the stack of an error',
    file: 'src/chat/chatProvider.ts',
    from: '{ stack: undefined }',
    to: '{}',
    test: provider,
    title: 'fails with a plain message and no stack trace if the model returns nothing',
  },
  {
    name: 'models are listed again for each model group',
    file: 'src/chat/chatProvider.ts',
    from: 'if (isGroupRequest || ',
    to: 'if (',
    test: provider,
    title:
      'lists no models before setup, without trust, without AI features, or for provider groups',
  },
  {
    name: 'a disabled tool runs',
    file: 'src/chat/generateTool.ts',
    from: 'if (!readSettings().offersTool) return resultOf',
    to: 'if (false) return resultOf',
    test: provider,
    title: 'refuses to run while `offerTool` is off',
  },
  {
    name: 'a folder puts a link into the model list',
    file: 'src/config/settings.ts',
    from: "MODEL_ID.test(text('modelId')) ? text('modelId') : ''",
    to: "text('modelId')",
    test: 'test/unit/settings.test.ts',
    title: "F14: isn't used if it is an invalid ID, such as a link",
  },
  {
    name: 'chat turns a host from a service into a link',
    file: 'src/chat/chatMessages.ts',
    from: 'becomesLink(word) ? codeSpan(word) : escaped(word)',
    to: 'escaped(word)',
    test: provider,
    title: "F15: doesn't turn the host of a redirect into a link",
  },
  {
    name: "a notification turns a template's name into a link",
    file: 'src/ui/oneLine.ts',
    from: "\n    .replaceAll('](', '] (')",
    to: '',
    test: 'test/unit/templates/template.test.ts',
    title: "F16: isn't rendered as a Markdown link in notifications",
  },
  {
    name: "the tool's confirmation renders an agent's text as Markdown",
    file: 'src/chat/chatMessages.ts',
    from: 'codeSpan(shown)',
    to: 'shown',
    test: provider,
    title: 'G17: shows the prompt, or its beginning, as code in the confirmation',
  },
  {
    name: 'waiting calls are sent after the budget is used up',
    file: 'src/service/http/pendingRequest.ts',
    from: 'if (budget.attempts === 0) await this.#request.beforeFirstAttempt?.();',
    to: '',
    test: provider,
    title: 'I27: rejects the remaining concurrent calls',
  },
  {
    name: 'concurrent calls exceed the budget together',
    file: 'src/status/dailyUsage.ts',
    from: 'use.tokens + claimed()',
    to: 'use.tokens',
    test: provider,
    title: 'I27: rejects the remaining concurrent calls',
  },
  {
    name: 'agents take all slots',
    file: 'src/service/http/concurrencyLimit.ts',
    from: 'Math.max(1, limit - 1)',
    to: 'limit',
    test: limiter,
    title: 'allows at most 2 of them at a time if it is 3',
  },
  {
    name: "an agent's request goes before a selection",
    file: 'src/service/http/concurrencyLimit.ts',
    from: '(isLowPriority ? 2 : 0)',
    to: '0',
    test: limiter,
    title: 'starts a call for a selection before all waiting low-priority calls',
  },
  {
    name: 'a conversation can contain the key',
    file: 'src/service/client.ts',
    from: 'inputs: inputTexts(conversation.messages)',
    to: 'inputs: []',
    test: 'test/contract/service/chat.test.ts',
    title:
      "is blocked by a private key in the user's messages, but not by one in the model's responses",
  },
];
