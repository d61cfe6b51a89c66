/**
 * Environment variable: path of the file with the key and certificate that VS Code trusts in these
 * tests.
 */
export const trustedFileVariable = 'HOSTED_MODEL_TRUSTED_FILE';
