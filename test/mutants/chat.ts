import type { Mutant } from './mutant.ts';

/** Defences of chat: who may call, what is sent and shown, and who goes first. */

const provider = 'test/contract/chat/chatProvider.test.ts';
const callers = 'test/unit/chat/chatCallers.test.ts';
const limiter = 'test/unit/service/http/limiter.test.ts';

export const chatMutants: readonly Mutant[] = [
  {
    name: 'a foreign extension is not asked about',
    file: 'src/chat/chatCallers.ts',
    from: 'if (this.isTrusted(id)) return true;',
    to: 'if (this.isTrusted(id) || id) return true;',
    test: provider,
    title: 'asks about a foreign extension first, and sends nothing before that and after a no',
  },
  {
    name: 'an answer about one key holds for another',
    file: 'src/chat/chatCallers.ts',
    from: 'one.id === id && one.fingerprint === fingerprint',
    to: 'one.id === id',
    test: callers,
    title: 'an answer holds for its key alone, and until it is forgotten',
  },
  {
    name: 'an answer about a caller holds for another host',
    file: 'src/chat/chatCallers.ts',
    from: 'const shown = [approved.service, ',
    to: 'const shown = [',
    test: callers,
    title: 'G16: an answer holds for the host and the project that were shown',
  },
  {
    name: 'a request goes on with a key that is deleted',
    file: 'src/chat/chatProvider.ts',
    from: 'AbortSignal.any([stopped.signal, signedOut])',
    to: 'stopped.signal',
    test: provider,
    title: 'ends the request once the key is deleted',
  },
  {
    name: 'the chat shows the stack',
    file: 'src/chat/chatProvider.ts',
    from: '{ stack: undefined }',
    to: '{}',
    test: provider,
    title: 'has a sentence for a model that says nothing',
  },
  {
    name: 'the models are listed for each group, too',
    file: 'src/chat/chatProvider.ts',
    from: 'if (isOfGroup || ',
    to: 'if (',
    test: provider,
    title: 'lists without a request or a question, once, whether there is a group or none',
  },
  {
    name: 'a tool that is off runs',
    file: 'src/chat/generateTool.ts',
    from: 'if (!readSettings().offersTool) return resultOf',
    to: 'if (false) return resultOf',
    test: provider,
    title: 'does nothing while it is not offered, whoever calls it',
  },
  {
    name: 'a folder puts a link into the list of models',
    file: 'src/settings.ts',
    from: "MODEL_ID.test(text('modelId')) ? text('modelId') : ''",
    to: "text('modelId')",
    test: 'test/unit/settings.test.ts',
    title: 'F14: counts as unset where it could be a link or other markup',
  },
  {
    name: 'the chat makes a link of a host that a service chose',
    file: 'src/chat/chatMessages.ts',
    from: 'becomesLink(word) ? codeSpan(word) : escaped(word)',
    to: 'escaped(word)',
    test: provider,
    title: 'F15: makes no link of a host that a service names',
  },
  {
    name: 'a notification makes a link of the name of a template',
    file: 'src/ui/oneLine.ts',
    from: "\n    .replaceAll('](', '] (')",
    to: '',
    test: 'test/unit/templates/template.test.ts',
    title: 'F16: is plain text in a notification',
  },
  {
    name: 'the question about the tool renders the text of an agent',
    file: 'src/chat/chatMessages.ts',
    from: 'codeSpan(shown)',
    to: 'shown',
    test: provider,
    title: 'G17: shows what it would send before it runs',
  },
  {
    name: 'an agent takes all slots',
    file: 'src/service/http/limiter.ts',
    from: 'Math.max(1, limit - 1)',
    to: 'limit',
    test: limiter,
    title: 'has at most 2 of them in flight at a limit of 3',
  },
  {
    name: 'an agent goes before a selection',
    file: 'src/service/http/limiter.ts',
    from: '(isLowPriority ? 2 : 0)',
    to: '0',
    test: limiter,
    title: 'takes a selection next at a limit of one, before calls that wait or come back',
  },
  {
    name: 'a conversation may hold the key',
    file: 'src/service/client.ts',
    from: 'inputs: inputTexts(conversation.messages)',
    to: 'inputs: []',
    test: 'test/contract/service/chat.test.ts',
    title: 'stops a private key of the user, and lets one of the model pass',
  },
];
