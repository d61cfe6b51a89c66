import * as v from 'valibot';
import { ServiceError } from '../errors.ts';
import { parseJson, shape } from '../schemaHelpers.ts';
import type { ProgramEnd } from './runProgram.ts';
import type { TokenResponse } from './token.ts';
import { seconds, token } from './tokenResponse.ts';

/**
 * Reads the token that a command printed, in one of these formats:
 *
 * - a bare token, as printed by `gcloud auth print-access-token`
 *   (https://cloud.google.com/sdk/gcloud/reference/auth/print-access-token)
 * - `IAM token:  Bearer …`, as printed by `ibmcloud iam oauth-tokens`
 *   (https://cloud.ibm.com/docs/key-protect?topic=key-protect-retrieve-access-token)
 * - JSON, as printed by `az account get-access-token`
 *   (https://learn.microsoft.com/cli/azure/authenticate-azure-cli#refresh-tokens), `databricks auth
 *   token` (https://github.com/databricks/cli/blob/main/cmd/auth/token.go, which prints
 *   https://pkg.go.dev/golang.org/x/oauth2#Token), `gcloud config config-helper --format=json`
 *   (https://github.com/googleapis/google-auth-library-python/blob/main/tests/data/cloud_sdk_config.json),
 *   and `aws eks get-token --output json`
 *   (https://github.com/aws/aws-cli/blob/develop/awscli/customizations/eks/get_token.py)
 *
 * @param now the current time, in milliseconds since 1970
 * @throws {ServiceError} `command-failed`
 */
export function readCommandOutput(end: ProgramEnd, now: number): TokenResponse {
  if ('exitCode' in end) {
    throw failed(end.exitCode === null ? 'stopped' : 'exit', end.exitCode ?? undefined);
  }
  const text = end.output.toString('utf8').trim();
  if (text === '') throw failed('nothing');
  const found = readText(text);
  if (!found) throw failed('no-token');
  const { value, expiresIn } = found;
  const isStated = expiresIn !== undefined || found.expiration !== undefined;
  const expiration = isStated ? found.expiration : jwtExpiration(value);
  const isExpired = expiration !== undefined && expiration * 1_000 <= now;
  if (isExpired || (expiresIn !== undefined && expiresIn <= 0)) throw failed('expired');
  // The output doesn't contain the server's time, so the expiration time is compared with this
  // machine's clock.
  return { value, expiresIn, expiration, serverNow: now };
}

type Found = Pick<TokenResponse, 'value' | 'expiresIn' | 'expiration'>;

function readText(text: string): Found | undefined {
  const json = parseJson(text);
  if (typeof json === 'object') return readFields(json);
  // The output can contain other lines, such as a second line with another kind of token.
  const iam = /^IAM token:\s+Bearer (?<value>\S+)\s*$/m.exec(text)?.groups?.['value'];
  const bare = iam ?? (typeof json === 'string' ? json : text);
  return v.is(token, bare) ? { value: bare } : undefined;
}

/** Seconds since 1970, read from a number, a string of digits, or a timestamp with a time zone. */
const time = v.fallback(
  v.optional(
    v.union([
      v.number(),
      v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number)),
      v.pipe(v.string(), v.isoTimestamp(), v.transform(secondsOf), v.number()),
    ]),
  ),
  undefined,
);

/**
 * Converts a local time without a time zone, such as `2026-11-26 14:05:31.000000`, to seconds since
 * 1970.
 */
const localTime = v.fallback(
  v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})?$/),
      v.transform((text) => secondsOf(text.replace(' ', 'T'))),
    ),
  ),
  undefined,
);

const anyToken = v.fallback(v.optional(token), undefined);

const fields = shape({
  access_token: anyToken,
  accessToken: anyToken,
  token: anyToken,
  id_token: anyToken,
  expires_in: seconds,
  expires_on: time,
  expiry: time,
  expiration: time,
  token_expiry: time,
  expiresOn: localTime,
});

/**
 * The formats of gcloud (`credential`) and Kubernetes (`status`), which nest the fields in an
 * object. Other programs print a `status` that is a string, such as `success`.
 */
const outer = shape({
  credential: v.fallback(v.optional(fields), undefined),
  status: v.fallback(v.optional(shape({ token: anyToken, expirationTimestamp: time })), undefined),
});

function readFields(json: unknown): Found | undefined {
  const own = v.safeParse(fields, json);
  const nested = v.safeParse(outer, json);
  if (!own.success || !nested.success) return undefined;
  const { credential, status } = nested.output;
  if (status?.token) return { value: status.token, expiration: status.expirationTimestamp };
  const all = credential ?? own.output;
  const value = all.access_token ?? all.accessToken ?? all.token ?? all.id_token;
  if (!value) return undefined;
  const expiration = all.expires_on ?? all.expiry ?? all.expiration ?? all.token_expiry;
  const isStated = expiration !== undefined || all.expires_in !== undefined;
  return {
    value,
    expiresIn: all.expires_in,
    expiration: isStated ? expiration : all.expiresOn,
  };
}

/** Returns the `exp` claim of a JWT: https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function jwtExpiration(value: string): number | undefined {
  const [, payload = ''] = value.split('.');
  const json = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
  const claims = v.safeParse(shape({ exp: v.number() }), json);
  return claims.success ? claims.output.exp : undefined;
}

function secondsOf(text: string): number {
  return Date.parse(text) / 1_000;
}

function failed(
  problem: 'nothing' | 'no-token' | 'expired' | 'exit' | 'stopped',
  exitCode?: number,
): ServiceError {
  return new ServiceError('command-failed', { problem, exitCode });
}
