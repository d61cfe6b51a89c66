import { recording } from './recordings.ts';

/** An entry in the model list. Declares only the fields that the emulator reads. */
export interface ModelSpecification {
  readonly model_id: string;
  readonly functions: readonly { readonly id: string }[];
  readonly model_limits?: {
    readonly max_sequence_length: number;
    readonly max_output_tokens?: number;
  };
  /** `start_date` has the format YYYY-MM-DD. */
  readonly lifecycle?: readonly { readonly id: string; readonly start_date: string }[];
  readonly [field: string]: unknown;
}

const { resources } = recording('model list').response.json as {
  readonly resources: readonly ModelSpecification[];
};

export const recordedModels = resources;

const defaultLimit = 100;

/**
 * Returns the response body with one page of the model list.
 * @param url the emulator's URL, without a trailing slash
 * @param nowMs the time on the service's clock
 */
export function modelList(
  models: readonly ModelSpecification[],
  query: URLSearchParams,
  url: string,
  nowMs: number,
): Record<string, unknown> {
  const version = query.get('version');
  const limit = Number(query.get('limit') ?? defaultLimit);
  const start = Number(query.get('start') ?? 0);
  const page = (more: string) => ({
    href: `${url}/ml/v1/foundation_model_specs?version=${version}${more}`,
  });
  const listed = models.filter(matcherOf(query.get('filters') ?? '', nowMs));
  const isMore = start + limit < listed.length;
  return {
    total_count: listed.length,
    limit,
    first: page(''),
    ...(isMore && { next: page(`&limit=${limit}&start=${start + limit}`) }),
    resources: listed.slice(start, start + limit),
  };
}

export function isWithdrawn({ lifecycle = [] }: ModelSpecification, nowMs: number): boolean {
  const today = dayOf(nowMs);
  return lifecycle.some(({ id, start_date }) => id === 'withdrawn' && start_date <= today);
}

/**
 * Returns a function that tests a model against filters of the form `first,!second:and`. Only
 * filters for the ID, function, and lifecycle are applied.
 */
function matcherOf(filters: string, nowMs: number): (model: ModelSpecification) => boolean {
  const [, list = '', joint] = /^(.*?)(?::(and|or))?$/u.exec(filters) ?? [];
  const tests = list.split(',').flatMap((filter) => testOf(filter, nowMs) ?? []);
  if (tests.length === 0) return () => true;
  return joint === 'or'
    ? (model) => tests.some((test) => test(model))
    : (model) => tests.every((test) => test(model));
}

function testOf(filter: string, nowMs: number): ((m: ModelSpecification) => boolean) | undefined {
  const [, not, kind, wanted] = /^(!?)(modelid|function|lifecycle)_(.+)$/u.exec(filter) ?? [];
  if (kind === undefined) return undefined;
  const today = dayOf(nowMs);
  const names = ({ model_id, functions, lifecycle = [] }: ModelSpecification) => {
    if (kind === 'modelid') return [model_id];
    return kind === 'function'
      ? functions.map(({ id }) => id)
      : lifecycle.filter(({ start_date }) => start_date <= today).map(({ id }) => id);
  };
  return (model) => names(model).some((name) => name === wanted) !== (not === '!');
}

function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
