/**
 * The environment variable for the path of a file. The file contains a certificate that VS Code
 * trusts in these tests, and the private key of the certificate.
 */
export const trustedFileVariable = 'HOSTED_MODEL_TRUSTED_FILE';
