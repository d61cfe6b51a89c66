import type { ErrorKind } from './errors.ts';

/** The codes of the service that this client knows: documented, or seen in its answers. */

/** Codes of the inference service that have one meaning, whatever the status. */
export const INFERENCE_KINDS: Readonly<Record<string, ErrorKind>> = {
  authentication_token_expired: 'unauthorized',
  authentication_token_not_valid: 'unauthorized',
  authentication_no_token: 'unauthorized',
  no_associated_service_instance_error: 'project-without-runtime',
  token_quota_reached: 'quota-used-up',
  authorization_rejected: 'forbidden',
  user_authorization_failed: 'forbidden',
  container_not_found: 'project-unknown',
  invalid_instance_status_error: 'project-without-runtime',
  model_not_supported: 'model-unknown',
  model_no_support_for_function: 'operation-unsupported',
  rate_limit_reached_requests: 'rate-limited',
  consumption_limit_reached: 'capacity-full',
};

/** Its message says which argument it means. */
export const INPUT_ARGUMENT = 'invalid_input_argument';
export const REQUEST_ENTITY = 'invalid_request_entity';

/** The identity service says this of a request that it cannot read. */
export const TOKEN_REQUEST_REFUSED = 'BXNIM0106E';
const KEY_REFUSED = 'BXNIM0415E';

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(INFERENCE_KINDS),
  INPUT_ARGUMENT,
  REQUEST_ENTITY,
  TOKEN_REQUEST_REFUSED,
  KEY_REFUSED,
]);

/** True for a word that this client knows; any other one is whatever an answer said. */
export function isKnownCode(code: string): boolean {
  return KNOWN.has(code);
}
