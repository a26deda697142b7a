/** The database cost of the desk's reads on a site with long use, by query plan and count rather than time. */
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FullDatabase, fillDatabase } from '../../testing/full-database.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { fillPath } from '../contract/addresses.ts';
import { MASTER_ID, PIPELINE_ID } from '../contract/channels.ts';
import { type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

const FROM_TS = Date.UTC(2025, 11, 20);
/** Tables that grow with subjects, days or devices. */
const GROWING = [
  'subject',
  'equipment',
  'equipmentAssignment',
  'deviceContact',
  'deviceCredential',
  'recording',
  'deviceUpload',
  'heldRecording',
  'analyticsWindow',
  'analyticsDay',
  'annotation',
  'fault',
  'message',
  'event',
  'job',
  'audit',
  'outbox',
];
/** Statements that may read every row of a growing table, each for a reason. */
const MAY_SCAN: Record<string, string> = {
  'recordings.fileTotals': 'one row for each subject, for the totals of the whole site on the diagnostics page',
};

let api: TestApi;
let full: FullDatabase;
const statements = new Map<string, string>();

beforeAll(async () => {
  api = await startTestApi({ withRecording: true, onQuery: ({ name, sql }) => statements.set(sql, name) });
  const { accountId, studyId } = api;
  const size = { accountId, studyId, subjects: 20, days: 26, sensors: 2, fromTs: FROM_TS };
  full = fillDatabase(api.store.path, size, { signalsDir: api.deps.signalsDir });
});
afterAll(() => api.close());

async function read(route: RouteContract): Promise<number> {
  const path = fillPath(route.path, {
    accountId: api.accountId,
    userId: api.admin.userId,
    studyId: api.studyId,
    subjectId: full.subjectIds[3],
    recordingId: api.recordingId,
    jobId: api.jobId,
    equipmentId: full.hubIds[3],
    pipelineId: PIPELINE_ID,
    date: '2026-01-05',
    ...Object.fromEntries(
      ['udid', 'messageId', 'annotationId', 'exportId', 'webhookId', 'deliveryId', 'mailId', 'pairingId'].map(
        (name) => [name, 'none'],
      ),
    ),
    ...{ deviceId: 'none', uploadId: 'none', itemId: 'none' },
  });
  const window = { from: String(FROM_TS + 864e5), to: String(FROM_TS + 864e5 + 60_000), masterId: MASTER_ID };
  const known = Object.keys(route.query?.shape ?? {});
  const query = new URLSearchParams(Object.entries(window).filter(([name]) => known.includes(name)));
  const response = await fetch(`${api.url}/api/v1${path}?${query}`, {
    headers: { authorization: api.authorization },
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Steps of the plan that read a whole growing table. */
function scansOf(database: BetterSqlite3.Database, sql: string): string[] {
  const values = Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => null);
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  const tableOf = (name: string) => sql.match(new RegExp(`"(\\w+)" as "${name}"`))?.[1] ?? name;
  // Walking an index in the requested order, up to a limit, reads only one page.
  const isPage = /order by [\s\S]* limit \?$/.test(sql) && !plan.some(({ detail }) => detail.includes('TEMP B-TREE'));
  if (isPage) return [];
  return plan.flatMap(({ detail }) => {
    const name = /^SCAN (\w+)/.exec(detail)?.[1];
    return name !== undefined && GROWING.includes(tableOf(name)) ? [detail] : [];
  });
}

describe('reads of the desk on a full site', () => {
  it('never read a whole growing table', async () => {
    const reads = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
      ([, route]) => route.method === 'GET' && route.access === 'user' && route.media !== 'text/event-stream',
    );
    statements.clear();
    const failed: [RouteId, number][] = [];
    for (const [id, route] of reads) {
      const status = await read(route);
      if (status >= 500) failed.push([id, status]);
    }
    expect(failed).toEqual([]);
    const selects = [...statements].filter(([sql]) => /^\s*(select|with)\b/i.test(sql));
    expect(selects.length).toBeGreaterThan(60);
    const database = new BetterSqlite3(api.store.path, { readonly: true });
    database.function('fold', { deterministic: true }, (text: unknown) => text);
    const scans = selects.flatMap(([sql, name]) => {
      const found = name in MAY_SCAN ? [] : scansOf(database, sql);
      return found.length > 0 ? [{ name, found, sql: sql.slice(0, 300) }] : [];
    });
    database.close();
    expect(scans).toEqual([]);
  });

  it('use the index made for them', () => {
    const database = new BetterSqlite3(api.store.path, { readonly: true });
    const planOf = (sql: string) =>
      database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from({ length: sql.match(/\?/g)?.length ?? 0 }, () => null))
        .map(({ detail }) => detail)
        .join('; ');
    const index: Record<string, string> = {
      'SELECT max(createdTs) FROM deviceUpload WHERE deviceId = ? AND accountId = ?': 'deviceUploadByDevice',
      'SELECT max(stopUs) FROM recording WHERE subjectId = ?': 'recordingBySubjectStop',
      'SELECT * FROM conversation WHERE studyId = ? AND lastTs <= ? ORDER BY lastTs DESC, subjectId LIMIT ?':
        'conversationByStudy',
      "SELECT * FROM fault WHERE equipmentId IS NULL AND upper(replace(replace(sensorId, ':', ''), '-', '')) = ?":
        'faultUntied',
      'SELECT * FROM outbox WHERE accountId = ? AND recipient = ? ORDER BY createdTs DESC, id DESC LIMIT ?':
        'outboxByRecipient',
      'SELECT id FROM recording WHERE udid = ? AND startUs <= ? AND stopUs >= ?': 'recordingBySensor',
      'SELECT * FROM audit WHERE subjectId = ? ORDER BY sequence DESC LIMIT 50': 'auditBySubject',
      'SELECT * FROM job ORDER BY createdTs DESC, id DESC LIMIT 50': 'jobByTime',
      'SELECT * FROM job WHERE kind = ? ORDER BY createdTs DESC, id DESC LIMIT 50': 'jobByKind',
    };
    for (const [sql, name] of Object.entries(index)) expect(planOf(sql), sql).toContain(name);
    database.close();
  });

  it('return coverage of a study with more sensors than SQLite allows bound values', async () => {
    const big = await startTestApi();
    try {
      const { accountId, studyId, subjectIds } = big;
      fillDatabase(big.store.path, { accountId, studyId, subjects: 400, days: 0, sensors: 90, fromTs: FROM_TS });
      const path = `/api/v1/studies/${studyId}/subjects/${subjectIds[0]}/coverage`;
      const answers = await Promise.all(
        [path, `/api/v1/studies/${studyId}/attention`].map((address) =>
          fetch(big.url + address, { headers: { authorization: big.authorization } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      await big.close();
    }
  });
});
