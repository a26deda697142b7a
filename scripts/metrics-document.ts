/** Writes the data dictionary `resources/metrics.md` from the tables beside the code: `npm run metrics`. */
import { writeFileSync } from 'node:fs';
import { metricsDocument } from '../src-server/analytics/dictionary/document.ts';

writeFileSync(new URL('../resources/metrics.md', import.meta.url), metricsDocument());
