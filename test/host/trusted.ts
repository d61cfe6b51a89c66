/**
 * The name of the environment variable that holds the path to a PEM file. The file contains a
 * certificate that VS Code trusts in these tests, and its private key.
 */
export const trustedFileVariable = 'HOSTED_MODEL_TRUSTED_FILE';
