/** Analysis runs in several states, and the comparison of one, which takes the analysis of a whole study otherwise. */
import { AgreementSums } from '../../src-server/study/bland-altman.ts';
import { completeParameters, DEFAULT_ANALYSIS_PARAMETERS } from '../../src-server/vocabulary/analysis-parameters.ts';
import type { ScreenAnswer } from './screen-answers.ts';

const DAY_MS = 86_400_000;
const nowMs = Date.UTC(2026, 2, 20, 9);
const METHOD = { version: '11', methodHash: '4f0c1a'.padEnd(64, '7'), isAvailable: true, isWholeStudy: true };
const CHOSEN = completeParameters({
  cutPoints: { wrist: 'hildebrand-children-wrist-geneactiv' },
  nonWear: 'choi-2011',
  rhythm: { pauseSeconds: 2.5 },
});
const counts = (done: number, more: object = {}) => ({ total: 12, done, open: 0, failed: 0, outdated: 0, ...more });

const SHOWN = {
  ...METHOD,
  id: 'shown',
  name: 'Cut points of children',
  reason: 'Protocol amendment 2: the reference values of the age group.',
  parameters: CHOSEN,
  state: 'READY',
  authorName: 'Yuki Sato',
  createdTs: nowMs - 3 * DAY_MS,
  finishedTs: nowMs - 3 * DAY_MS + 3_600_000,
  counts: counts(12),
};
const RUNS = [
  {
    ...SHOWN,
    id: 'running',
    name: 'Sensitivity analysis with the rule of Choi for time not worn, children of 7 to 11 years',
    state: 'RUNNING',
    createdTs: nowMs,
    counts: counts(5, { open: 7 }),
  },
  SHOWN,
  {
    ...METHOD,
    id: 'before',
    name: 'Before Version 11',
    reason: 'The version of the interim analysis',
    version: '10',
    isAvailable: false,
    parameters: DEFAULT_ANALYSIS_PARAMETERS,
    state: 'REPLACED',
    replacedBy: 'adopted',
    authorName: 'Mika Tanaka',
    createdTs: nowMs - 9 * DAY_MS,
    counts: counts(11, { outdated: 1 }),
  },
  {
    ...METHOD,
    id: 'adopted',
    name: 'Version 11',
    reason: 'New version',
    parameters: DEFAULT_ANALYSIS_PARAMETERS,
    state: 'ADOPTED',
    authorName: 'Mika Tanaka',
    createdTs: nowMs - 10 * DAY_MS,
    adoptedTs: nowMs - 9 * DAY_MS,
    adoptedByName: 'Mika Tanaka',
    adoptReason: 'The version of the interim analysis',
    counts: counts(0, { total: 0 }),
  },
];

/** Values in use and of the run, by how much the run differs: 12 subjects of 10 days. */
function pointsOf(name: string) {
  const scale = name.endsWith('_DURATION') ? 600 : name.includes('HR') ? 1 : 2;
  const level = name.endsWith('_DURATION') ? 5400 : 62;
  return Array.from({ length: 120 }, (_, i) => {
    const subject = i % 12;
    const inUse = level * (1 + 0.02 * subject) + scale * 3 * Math.sin(i * 1.7);
    const difference = scale * (0.8 + Math.sin(subject * 2.1) + 1.2 * Math.sin(i * 12.9));
    const date = `2026-03-${String(1 + Math.floor(i / 12)).padStart(2, '0')}`;
    return { subjectId: `subject-${subject}`, date, inUse, run: name === 'MOVING_STEPS' ? inUse : inUse + difference };
  });
}

const METRICS = [
  'INTENSITY_MVPA_DURATION',
  'INTENSITY_LIGHT_DURATION',
  'SENSOR_NON_WEAR_DURATION',
  'RESTING_AVG_HR',
  'SLEEPING_ONSET_TS',
  'MOVING_STEPS',
];

const agreementOf = (name: string) => {
  const sums = new AgreementSums();
  for (const { subjectId, inUse, run } of pointsOf(name)) sums.add(subjectId, inUse, run);
  return { name, onlyInUse: 0, onlyInRun: name === 'SENSOR_NON_WEAR_DURATION' ? 3 : 0, ...sums.agreement() };
};

export const ANALYSIS_RUNS: ScreenAnswer[] = [
  {
    pattern: /\/studies\/[^/]+\/analysis$/,
    body: () => ({
      programVersion: '11',
      pinnedVersion: '10',
      parameters: DEFAULT_ANALYSIS_PARAMETERS,
      methodHash: 'a81d'.padEnd(64, '3'),
      versions: [
        { algorithmVersion: '10', days: 112 },
        { algorithmVersion: '10+11', days: 2 },
      ],
      signedDays: 6,
      waiting: { subjects: 2, sinceTs: nowMs },
    }),
  },
  { pattern: /\/analysis-runs$/, body: () => ({ items: RUNS, size: RUNS.length }) },
  {
    pattern: /\/analysis-runs\/shown$/,
    body: () => ({
      ...SHOWN,
      subjects: Array.from({ length: 12 }, (_, i) => ({
        subjectId: `subject-${i}`,
        displayName: `N-1${String(i).padStart(2, '0')}`,
        state: 'DONE',
      })),
    }),
  },
  {
    pattern: /\/analysis-runs\/shown\/comparison$/,
    body: () => ({
      days: { both: 120, onlyInUse: 0, onlyInRun: 0 },
      metrics: METRICS.map(agreementOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
    }),
  },
  ...METRICS.map((name) => ({
    pattern: new RegExp(`/analysis-runs/shown/comparison/${name}$`),
    body: () => ({ name, pairs: 120, points: pointsOf(name) }),
  })),
];
