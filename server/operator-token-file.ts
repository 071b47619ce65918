/** The file of the operator's token. A module without imports: the command line, which is bundled, reads the file too. */

/** Name of the file in DATA_DIR. */
export const OPERATOR_TOKEN_FILE = 'operator.token';
