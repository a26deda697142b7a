/** The parts of a site on its disk. */
export const SITE_PARTS = [
  'recordings',
  'analyses',
  'database',
  'backups',
  'exports',
  'images',
  'inbox',
  'other',
] as const;
export type SitePart = (typeof SITE_PARTS)[number];
