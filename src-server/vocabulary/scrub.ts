/** The parts of a site that are read on a schedule, in the order in which they are read. */
export const SCRUB_PARTS = [
  'signals',
  'columns',
  'images',
  'inbox',
  'exports',
  'other',
  'database',
  'backups',
] as const;
export type ScrubPart = (typeof SCRUB_PARTS)[number];
