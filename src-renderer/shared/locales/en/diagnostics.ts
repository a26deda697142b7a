import { DIAGNOSTICS } from '../../../../src-server/diagnostics.ts';

/** English texts of diagnostics: the sentences of the site itself, so that scripts and users read the same. */
export const diagnostics = { diagnostics: DIAGNOSTICS };
