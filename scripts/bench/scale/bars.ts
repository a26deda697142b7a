/** What `bench:scale` requires. CPU milliseconds of the server thread per request, without cached answers, unless a unit is named. */

/** At the largest size measured, 200 subjects x 365 days. */
export const CPU_BARS_MS: Readonly<Record<string, number>> = {
  'studies list': 20,
  'subjects list with last data': 50,
  'today, all studies': 100,
  'adherence of 14 days': 100,
  'why no data': 50,
  gaps: 50,
  'program stats': 100,
  jobs: 10,
  'audit page': 10,
  coverage: 100,
  fleet: 100,
};
export const BAR_SIZE = '200x365';

/** Exponent of CPU over the size of the site for reads that show a fixed window. */
export const EXPONENT_BAR = 0.2;
/** Below this, a figure is the cost of any request, and its growth is noise. */
export const EXPONENT_FLOOR_MS = 4;

export const PROCESS_BARS = {
  'start: to ready': { unit: 'ms', most: 1000 },
  'start after SIGKILL: to ready': { unit: 'ms', most: 3000 },
  'site.db': { unit: 'GB', most: 1.5 },
  'second backup': { unit: 's CPU', most: 5 },
  verify: { unit: 'MB/s per core', least: 200 },
} as const satisfies Record<string, { unit: string; most?: number; least?: number }>;
