import type { Migration } from './types.ts';

/** The few annotations of more than a day, so that those that overlap a span are found by their start. */
export const longAnnotations: Migration = {
  version: 280,
  name: 'long-annotations',
  sql: `
CREATE INDEX annotationLong ON annotation (subjectId, stopTs - startTs) WHERE stopTs - startTs > 86400000;
`,
};
