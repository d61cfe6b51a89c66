import type { Conversation } from '../../src/service/api/conversation.ts';
import type { Parameters } from '../../src/service/api/parameters.ts';
import type { Generation } from '../../src/service/api/responseReader.ts';
import type { Operation } from '../../src/service/apiCapabilities.ts';
import { TokenService } from '../../src/service/auth/tokenService.ts';
import {
  type CheckResult,
  runConnectionChecks,
} from '../../src/service/checks/connectionChecks.ts';
import type { Credentials } from '../../src/service/credentials.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { ServiceRuntime } from '../../src/service/serviceRuntime.ts';
import type { StepResult } from './differences.ts';
import { Witness } from './witness.ts';

export interface LiveRun {
  readonly steps: ReadonlyMap<string, StepResult>;
  /** Number of generated tokens, as reported by the service. */
  readonly generated: number;
  /** Number of tokens that the accepted requests were allowed to generate. */
  readonly allowed: number;
  /** The API key and the access tokens that were used in the run. */
  readonly secrets: readonly string[];
}

export interface LiveTarget {
  readonly credentials: Credentials;
  readonly modelId: string;
}

interface Session extends LiveTarget {
  readonly runtime: ServiceRuntime;
  readonly witness: Witness;
  /** Adds the generated tokens to the total, and returns a summary of the generation. */
  readonly summaryOf: (generation: Generation) => string;
}

type Step = (session: Session) => Promise<string>;

const never = new AbortController().signal;
/** A token limit that allows several chunks, but not the whole response. */
const NEW_TOKENS = 12;
const PROMPT = 'Count from one to five hundred, in words, with a space between numbers.';
/**
 * A conversation like the ones that VS Code's chat sends. It offers a tool that the task doesn't
 * need.
 */
const WITH_TOOL: Conversation = {
  messages: [
    { role: 'system', content: [{ text: 'Answer in plain text.' }] },
    { role: 'user', content: [{ text: PROMPT }] },
  ],
  tools: [
    {
      name: 'weather',
      description: 'Returns the weather at a place.',
      inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
    },
  ],
  toolChoice: 'auto',
};
const ALL_PARAMETERS: Readonly<Record<Operation, Parameters>> = {
  chat: {
    ...{ temperature: 0.5, top_p: 0.9, random_seed: 7, repetition_penalty: 1.1 },
    ...{ stop_sequences: ['###'], time_limit: 30_000 },
  },
  generation: {
    ...{ decoding_method: 'sample', min_new_tokens: 1, temperature: 0.5, top_p: 0.9, top_k: 50 },
    ...{ random_seed: 7, repetition_penalty: 1.1, stop_sequences: ['###'], time_limit: 30_000 },
    ...{ include_stop_sequence: true, truncate_input_tokens: 1_000 },
  },
};
/** A well-formed key, project ID, and model ID, none of which exist. */
const WRONG = {
  apiKey: '0'.repeat(44),
  projectId: '00000000-0000-4000-8000-000000000000',
  modelId: 'nobody/has-this-model',
};

const operations = ['chat', 'generation'] as const satisfies readonly Operation[];

/**
 * The steps, keyed by name. Each step checks the connection, lists the models, generates text, or
 * sends a request that the service must reject.
 */
const STEPS: Readonly<Record<string, Step>> = {
  'Diagnose Connection': async ({ runtime, credentials, modelId }) => {
    const results: CheckResult[] = [];
    await runConnectionChecks(
      { runtime, credentials, settings: settingsOf('chat', modelId) },
      (result) => results.push(result),
      never,
    );
    const ended = results.filter(({ state }) => state !== 'running');
    const words = ended.map((result) => {
      const why = result.state === 'failed' ? ` (${result.error.kind})` : '';
      return `${result.check} ${result.state}${why}`;
    });
    return words.join(', ');
  },
  'Select Model': async ({ runtime, credentials, modelId }) => {
    const { service, serviceUrl } = credentials;
    const source = { service, serviceUrl, operation: 'chat' } as const;
    const { models } = await runtime.listModels(source, modelId, never);
    return models.some(({ id }) => id === modelId) ? 'lists the model' : 'doesn’t list the model';
  },
  ...forEach((operation) => ({
    [operation]: generate(operation),
    [`${operation}, streamed`]: generate(operation, { isStreamed: true }),
    [`${operation}, with parameters`]: generate(operation, {
      parameters: ALL_PARAMETERS[operation],
    }),
    [`${operation}, continued`]: generate(operation, { responseSoFar: 'one two three' }),
    // The service must reject these requests. If it doesn't, each of them generates at most one
    // token.
    [`${operation}, unknown project`]: generate(operation, {
      credentials: { projectId: WRONG.projectId },
      newTokens: 1,
    }),
    [`${operation}, unknown model`]: generate(operation, { modelId: WRONG.modelId, newTokens: 1 }),
  })),
  'chat, with a tool': async ({ runtime, credentials, modelId, summaryOf }) => {
    const client = runtime.client(credentials, settingsOf('chat', modelId));
    const limited = { max_new_tokens: NEW_TOKENS };
    const answer = await client.chat(WITH_TOOL, limited, { onText: () => {} });
    return `${summaryOf(answer)}, calls ${answer.toolCalls.length} tools`;
  },
  'a revoked token': (session) => {
    session.witness.corruptNextToken();
    return generate('chat', { isStreamed: true })(session);
  },
  'a wrong key': async ({ runtime, credentials, modelId }) => {
    const wrong = { ...credentials, apiKey: WRONG.apiKey };
    const { tokenService } = runtime.clientForChecks(wrong, settingsOf('chat', modelId));
    await tokenService.refresh(never);
    return 'a token';
  },
};

/** Runs all steps in order, with the same `ServiceRuntime`. */
export async function takeSteps(target: LiveTarget): Promise<LiveRun> {
  const { serviceUrl, authUrl } = target.credentials;
  const witness = new Witness([serviceUrl, authUrl]);
  const tokens = new Set<string>();
  const runtime = new ServiceRuntime({ http: { fetch: witness.fetch } });
  let generated = 0;
  const summaryOf = ({ text, stopReason, usage, dropped }: Generation) => {
    generated += usage.outputTokens;
    const counts = usage.inputTokens > 0 && usage.outputTokens > 0 ? 'counted' : 'not counted';
    const left = dropped.length > 0 ? `, without ${dropped.join(' and ')}` : '';
    return `${text.trim() === '' ? 'no text' : 'text'}, ended by ${stopReason}, ${counts}${left}`;
  };
  const steps = new Map<string, StepResult>();
  try {
    for (const [name, take] of Object.entries(STEPS)) {
      const outcome = await take({ ...target, runtime, witness, summaryOf }).catch(kindOf);
      steps.set(name, { outcome, exchanges: await witness.take() });
      for (const token of TokenService.valuesOf(runtime.tokenService(target.credentials)))
        tokens.add(token);
    }
  } finally {
    runtime.dispose();
  }
  const secrets = [target.credentials.apiKey, ...tokens];
  return { steps, generated, allowed: witness.allowed, secrets };
}

interface GenerationStep {
  readonly isStreamed?: boolean;
  readonly parameters?: Parameters;
  readonly responseSoFar?: string;
  readonly newTokens?: number;
  readonly credentials?: Partial<Credentials>;
  readonly modelId?: string;
}

function generate(operation: Operation, given: GenerationStep = {}): Step {
  const { isStreamed = false, parameters, responseSoFar = '', newTokens = NEW_TOKENS } = given;
  return async ({ runtime, credentials, modelId, summaryOf }) => {
    const client = runtime.client(
      { ...credentials, ...given.credentials },
      settingsOf(operation, given.modelId ?? modelId),
    );
    let pieces = 0;
    const onText = () => {
      pieces += 1;
    };
    const limited = { ...parameters, max_new_tokens: newTokens };
    const options = { responseSoFar, ...(isStreamed && { onText }) };
    const words = summaryOf(await client.generateText(PROMPT, limited, options));
    return pieces > 1 ? `${words}, in several chunks` : words;
  };
}

function forEach(stepsOf: (operation: Operation) => Record<string, Step>): Record<string, Step> {
  return Object.assign({}, ...operations.map(stepsOf));
}

function settingsOf(operation: Operation, modelId: string) {
  return { modelId, operation, limits: { limit: 1, queue: 50, minIntervalMs: 0 } };
}

function kindOf(error: unknown): string {
  if (error instanceof ServiceError) return error.kind;
  throw error;
}
