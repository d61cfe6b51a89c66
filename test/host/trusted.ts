/** The file with key and certificate that the VS Code of these tests trusts for its host. */
export const trustedFileVariable = 'HOSTED_MODEL_TRUSTED_FILE';
