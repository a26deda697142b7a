/** The parts of a site on its disk. */
export const SITE_PARTS = [
  'recordings',
  'analyses',
  'database',
  'backups',
  'exports',
  'images',
  'inbox',
  'reserve',
  'other',
] as const;
/** How full the disk of a site is, see `files/disk-budget.ts`. */
export const DISK_LEVELS = ['ok', 'scarce', 'low', 'emergency'] as const;
export type DiskLevel = (typeof DISK_LEVELS)[number];

/** What people can free, and what is outside the site. */
export const FREEABLE_PARTS = ['backups', 'exports', 'inbox', 'others'] as const;
export type FreeablePart = (typeof FREEABLE_PARTS)[number];

export type SitePart = (typeof SITE_PARTS)[number];
