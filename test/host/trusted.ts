/**
 * The environment variable with the path of a file. The file contains the certificate that VS Code
 * trusts in these tests, and its key.
 */
export const trustedFileVariable = 'HOSTED_MODEL_TRUSTED_FILE';
