import { DIAGNOSTICS } from '../../../../src-server/diagnostics.ts';

/** What the site says of its own accord. The English is the site's, so that scripts and people read the same. */
export const diagnostics = { diagnostics: DIAGNOSTICS };
