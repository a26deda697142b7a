/**
 * The peer of `api-throughput`: a plain Express server that sends what `outpost serve` sends, with the same headers. `/kept/...`
 * answers with bytes held in memory, as Outpost's cache does. `/made/...` makes the answer from the same database for each
 * request: checks the credentials and the role, reads the subjects and converts them. Prints its port.
 *
 * DATABASE: the site's `site.db`. HEADERS: JSON of the headers that do not change. BODY_FILE: the bytes of `/kept/...`.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import BetterSqlite3 from 'better-sqlite3';
import express, { type Request } from 'express';
import './end-with-parent.ts';

type Row = Record<string, string | number | null>;

const kept = readFileSync(process.env.BODY_FILE as string);
const headers = JSON.parse(process.env.HEADERS as string) as Record<string, string>;
const database = new BetterSqlite3(process.env.DATABASE as string, { readonly: true });
const selectUser = database.prepare<[string, string, number], Row>(
  'SELECT user.* FROM token JOIN user ON user.id = token.userId WHERE tokenHash = ? AND userId = ? AND expirationTs > ?',
);
const selectStudy = database.prepare<[string], Row>('SELECT * FROM study WHERE id = ?');
const selectSubjects = database.prepare<[string], Row>(
  'SELECT subject.*, study.accountId FROM subject JOIN study ON study.id = subject.studyId WHERE studyId = ? ORDER BY subject.createdTs, subject.id',
);

function userOf(request: Request): Row | undefined {
  const text = Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64').toString();
  const [userId = '', token = ''] = text.split(':');
  const user = selectUser.get(createHash('sha256').update(token).digest('hex'), userId, Date.now());
  return user?.disabledTs === null ? user : undefined;
}

/** The answer has no member where the column is NULL. */
const given = (row: Row, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => row[name] !== null).map((name) => [name, row[name]]));

function toSubject(row: Row): object {
  return {
    ...given(row, ['id', 'accountId', 'studyId', 'displayName', 'age', 'gender', 'height', 'weight', 'dominantHand']),
    timezone: row.timezone,
    metadataFields: JSON.parse(row.metadataFields as string),
    isHidden: row.isHidden === 1,
    ...(row.isTest === 1 && { isTest: true }),
    ...given(row, ['legaleseVersionAccepted', 'legaleseVersionRequired', 'createdTs', 'modifiedTs', 'programStartTs']),
  };
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use((_request, response, next) => {
  response.set(headers).set('x-request-id', randomUUID());
  next();
});
app.get('/kept/{*path}', (_request, response) => {
  response.send(kept);
});
app.get('/made/studies/:studyId/subjects', (request, response) => {
  const user = userOf(request);
  const study = selectStudy.get(request.params.studyId);
  if (user?.role !== 'ADMIN' || study?.accountId !== user.accountId) {
    response.status(404).end();
    return;
  }
  const items = selectSubjects.all(request.params.studyId).map(toSubject);
  response.send(JSON.stringify({ items, size: items.length }));
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
