import { FINDINGS } from '../../../../src-server/findings.ts';

/** What the site says of its own accord. The English is the site's, so that scripts and people read the same. */
export const findings = { said: FINDINGS };
