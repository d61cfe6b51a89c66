import {
  CORE_SCHEMA,
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { TextSpan } from './templateMessages.ts';

/**
 * Reads front matter as YAML, and records the positions of its keys and values. Uses YAML's core
 * schema, which allows only plain data. Rejects aliases, because they could expand to a huge value.
 */

/**
 * Maximum nesting depth of YAML nodes. The deepest valid node is in `length_penalty`, at a depth of
 * 4.
 */
const MAX_DEPTH = 5;

/** A top-level key and its value. The spans are relative to the start of the front matter. */
export interface FrontMatterEntry {
  readonly key: string;
  readonly value: unknown;
  readonly keySpan: TextSpan;
  readonly valueSpan: TextSpan;
}

type FrontMatterIssue = 'bad-front-matter' | 'not-fields';

export type FrontMatter =
  | { readonly ok: true; readonly entries: readonly FrontMatterEntry[] }
  | { readonly ok: false; readonly kind: FrontMatterIssue; readonly span: TextSpan };

export function readFrontMatter(source: string): FrontMatter {
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    const all = constructFromEvents(events, { source, schema: CORE_SCHEMA, maxAliases: 0 });
    const [value, ...more] = all;
    if (more.length > 0) return rejected('bad-front-matter', { offset: 0, length: source.length });
    if (value === undefined || value === null) return { ok: true, entries: [] };
    if (typeof value !== 'object' || Array.isArray(value)) {
      return rejected('not-fields', { offset: 0, length: source.trimEnd().length });
    }
    return { ok: true, entries: entriesOf(events, source, new Map(Object.entries(value))) };
  } catch (error) {
    const offset = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    return rejected('bad-front-matter', spanOfError(source, offset));
  }
}

/** Returns the entries in source order, unlike `Object.entries`, which lists numeric keys first. */
function entriesOf(
  events: readonly Event[],
  source: string,
  values: ReadonlyMap<string, unknown>,
): FrontMatterEntry[] {
  const entries: FrontMatterEntry[] = [];
  // Skip the events that open the document and the top-level mapping.
  for (let index = 2; ; ) {
    const event = events[index];
    if (event?.type !== EVENT_ID.SCALAR) return entries;
    const key = getScalarValue(source, event);
    const { span: keySpan = { offset: 0, length: 0 }, next } = nodeAt(events, index);
    const value = nodeAt(events, next);
    entries.push({ key, value: values.get(key), keySpan, valueSpan: value.span ?? keySpan });
    index = value.next;
  }
}

/**
 * Returns the span of a node, excluding closing brackets, and the index of the event after the
 * node. The span is undefined if the node has no text.
 */
function nodeAt(
  events: readonly Event[],
  first: number,
): { readonly span: TextSpan | undefined; readonly next: number } {
  let start = Infinity;
  let end = -1;
  let depth = 0;
  let next = first;
  do {
    const event = events[next];
    next += 1;
    if (event?.type === EVENT_ID.POP) depth -= 1;
    if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) {
      depth += 1;
      start = Math.min(start, event.start);
      end = Math.max(end, event.start + 1);
    }
    if (event?.type === EVENT_ID.SCALAR && event.valueStart >= 0) {
      start = Math.min(start, event.valueStart);
      end = Math.max(end, event.valueEnd);
    }
  } while (depth > 0 && next < events.length);
  return { span: end < 0 ? undefined : { offset: start, length: end - start }, next };
}

/**
 * Returns the span from an error to the end of the line. If the error is at whitespace or the end
 * of the text, the span starts at the previous non-whitespace character, so the underline is
 * visible.
 */
function spanOfError(source: string, offset: number): TextSpan {
  const start = source.slice(0, offset).trimEnd().length;
  const from = /\S/.test(source[offset] ?? '') ? offset : Math.max(0, start - 1);
  const lineEnd = source.slice(from).search(/[\r\n]/);
  return { offset: from, length: lineEnd < 0 ? source.length - from : lineEnd };
}

function rejected(kind: FrontMatterIssue, span: TextSpan): FrontMatter {
  return { ok: false, kind, span };
}
