/**
 * What the reads of the desk cost as a site grows, by counts: statements run and rows returned, and no plan with a full scan of
 * a growing table. `npm run bench:scale` measures the same reads in CPU time on sites up to full size.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../durations.ts';
import { fillDatabase } from '../../testing/full-database.ts';
import { addressOf, READS, type Shows } from '../../testing/full-site/desk-reads.ts';
import { idOf } from '../../testing/full-site/rows.ts';
import { plainDays } from '../../testing/full-site/sample-days.ts';
import { findScans } from '../../testing/full-site/scans.ts';
import type { FullSite } from '../../testing/full-site/site-folder.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

/** A minute with samples in the recording of the test API is 20 hours before. */
const NOW_TS = Date.UTC(2026, 0, 16, 7, 0, 30);
const MIDNIGHT_TS = Date.UTC(2026, 0, 16);

/** Statements that read all of a growing table, each for a reason. A test fails when one no longer does. */
const MAY_SCAN: Readonly<Record<string, string>> = {
  'audit.list': 'the newest page of the account, walked backwards by key: nearly every row is of the account',
  'recordings.fileTotals': 'one row for each subject, for the totals of the whole site on the diagnostics page',
};

/** Runs in the background at any time. It sorts the mails that wait. */
const BACKGROUND = 'outbox.due';

/** Exponent of the work over the size of the site. */
const MOST_GROWTH = 0.2;
/** Statements and rows that a read may add regardless of its growth: lists with few items have few to compare. */
const FREE_WORK = 12;

interface Measured {
  api: TestApi;
  subjectDays: number;
  /** Statements and rows, by read. */
  work: Map<string, number>;
  failed: string[];
}

const statements = new Map<string, string>();

async function measure(subjects: number, days: number): Promise<Measured> {
  let work = 0;
  const api = await startTestApi({
    isQuiet: true,
    withRecording: true,
    onQuery: ({ name, sql, rows }) => {
      if (name === BACKGROUND) return;
      work += 1 + rows;
      statements.set(sql, name);
    },
  });
  const fromTs = MIDNIGHT_TS - days * DAY_MS;
  const { accountId, studyId } = api;
  const size = { accountId, studyId, subjects, days, sensors: 2, fromTs };
  const full = fillDatabase(api.store.path, size, { samples: plainDays(1, 3600) });
  api.clock.advance(NOW_TS - api.deps.clock());
  const site: FullSite = {
    ...full,
    dir: '',
    subjects,
    days,
    fromTs,
    accountId,
    studyId,
    userId: api.admin.userId,
    deviceIds: full.hubIds.map((hubId) => idOf(fromTs, 'credential', hubId)),
    webhookId: idOf(fromTs, 'webhook', studyId),
    nightRecordingId: api.recordingId,
    nightSubjectId: api.subjectIds[0]!,
    nowTs: NOW_TS,
  };
  const measured: Measured = { api, subjectDays: subjects * days, work: new Map(), failed: [] };
  statements.clear();
  for (const read of READS) {
    work = 0;
    const response = await fetch(`${api.url}/api/v1${addressOf(read, site)}`, {
      headers: { authorization: api.authorization },
    });
    await response.arrayBuffer();
    if (response.status !== 200) measured.failed.push(`${read.name}: ${response.status}`);
    measured.work.set(read.name, work);
  }
  return measured;
}

let small: Measured;
let moreSubjects: Measured;
let moreDays: Measured;

beforeAll(async () => {
  small = await measure(10, 30);
  moreSubjects = await measure(50, 30);
  moreDays = await measure(10, 90);
}, 120_000);
afterAll(async () => {
  for (const { api } of [small, moreSubjects, moreDays]) await api.close();
});

/** The larger sites on which a read shows no more. */
const LARGER: Readonly<Record<Shows, () => Measured[]>> = {
  window: () => [moreSubjects, moreDays],
  subjects: () => [moreDays],
  history: () => [moreSubjects],
  everything: () => [],
};

/** Whether the work of a read grew by more than the bar, beyond a few statements. */
function hasGrown(read: string, large: Measured): boolean {
  const [before, after] = [small.work.get(read) ?? 0, large.work.get(read) ?? 0];
  return after - FREE_WORK > before * (large.subjectDays / small.subjectDays) ** MOST_GROWTH;
}

describe('reads of the desk', () => {
  it('answer on sites of every size', () => {
    expect([small, moreSubjects, moreDays].flatMap(({ failed }) => failed)).toEqual([]);
  });

  it('do no more work on a larger site, unless they show more', () => {
    const grown = READS.flatMap(({ name, shows }) => {
      return LARGER[shows]().some((large) => hasGrown(name, large))
        ? [`${name}: ${[small, moreSubjects, moreDays].map(({ work }) => work.get(name)).join(', ')}`]
        : [];
    });
    expect(grown).toEqual([]);
  });

  it('never scan a growing table', () => {
    expect(statements.size).toBeGreaterThan(60);
    const scans = findScans(moreDays.api.store.path, statements);
    expect(scans.filter(({ name }) => !(name in MAY_SCAN))).toEqual([]);
    const names = scans.map(({ name }) => name);
    expect(Object.keys(MAY_SCAN).filter((name) => !names.includes(name))).toEqual([]);
  });
});
