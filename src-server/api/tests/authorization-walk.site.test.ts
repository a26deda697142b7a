/**
 * Every route of the contract, called by every combination of a role in the account and a role in a study, with records of the study,
 * of a foreign one, and ended ones of both, in paths, bodies and query strings. What must happen is derived from the table of
 * permissions by one rule, {@link expectationOf}. Routes that are added later are covered.
 */
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashPassword, newId, SYSTEM } from '../../db/index.ts';
import { isAllowed, type Operation, PERMISSIONS, ROLES, type Role, roleInStudy } from '../../study/permissions.ts';
import { type Ids, type PlantedPlace, plantPlace } from '../../testing/planted-place.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { fillPath } from '../contract/addresses.ts';
import { basicAuthorization } from '../contract/client.ts';
import { MASTER_ID, PIPELINE_ID, type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

let api: TestApi;
let own: PlantedPlace;
let foreign: PlantedPlace;
/** Records of no study, and those that are not secret to members of the account. */
let shared: Ids;
/** Notices every committed write. */
let watcher: Database.Database;

interface Caller {
  account: Role;
  study: Role | null;
  userId: string;
  authorization: string;
}
const callers: Caller[] = [];

/** Parameters that name a record of one study. */
const OF_STUDY = [
  ...['studyId', 'subjectId', 'recordingId', 'jobId', 'equipmentId', 'deviceId', 'uploadId', 'transferId', 'pairingId'],
  ...['itemId', 'messageId', 'annotationId', 'exportId', 'noteId', 'queryId', 'runId', 'correctionId', 'templateId'],
  ...['stepId', 'filterId'],
] as const;
const namesOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
const placedNames = (path: string) => namesOf(path).filter((name) => OF_STUDY.includes(name as never));

/**
 * Every signed-in user may call these; they decide by the caller alone. A route that loses its operation is none of them.
 */
const WITHOUT_OPERATION: readonly RouteId[] = [
  ...([
    'getSite',
    'listMetricDefinitions',
    'getMetricsDocument',
    'logout',
    'changePassword',
    'listSavedFilters',
  ] as const),
  ...([
    'putSavedFilter',
    'deleteSavedFilter',
    'listQuestionnaires',
    'listStudyTemplates',
    'listTimeZones',
    'live',
  ] as const),
  'getNetwork',
  // Of the caller's own second factor.
  ...(['setUpSecondFactor', 'confirmSecondFactor', 'renewRecoveryCodes', 'removeSecondFactor'] as const),
];
/** Would end the session of the walk itself; see sign-in.site.test.ts and sessions.site.test.ts. */
const ENDING: readonly RouteId[] = ['logout', 'endSession', 'endSessions'];
/** Operations of roles that only read. Of other routes than GET, only these may name one. */
const READS = (operation: string) => /\.read$/.test(operation);
const READING_WRITES: readonly RouteId[] = ['markMailRead'];

const userRoutes = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([id, route]) => route.access === 'user' && !ENDING.includes(id) && id !== 'live',
);

type Expectation = 'allowed' | 403 | 404;

/** What a call with valid ids must answer. `where` is the study of the records in the path, absent when it names none. */
function expectationOf(
  operation: Operation | undefined,
  caller: Pick<Caller, 'account' | 'study'>,
  where: 'own' | 'foreign' | undefined,
): Expectation {
  const inStudy = where && roleInStudy(caller.account, where === 'own' ? caller.study : null);
  if (inStudy === null) return 404;
  if (operation === undefined) return 'allowed';
  const role = PERMISSIONS[operation].scope === 'account' ? caller.account : (inStudy ?? caller.account);
  return isAllowed(role, operation) ? 'allowed' : 403;
}

beforeAll(async () => {
  api = await startTestApi({ isQuiet: true });
  own = await plantPlace(api, 'ownplace', 'Kestrel');
  foreign = await plantPlace(api, 'foreignplace', 'Goshawk');
  const { accountId, store } = api;
  const passwordHash = await hashPassword('correct horse 1');
  for (const account of ROLES) {
    for (const study of [null, ...ROLES]) {
      const user = { firstName: 'A', lastName: account, locale: 'en_US', timezone: 'US/Eastern', role: account };
      const email = `${newId()}@example.org`;
      const { id } = await store.users.create({ accountId, email, ...user, passwordHash }, SYSTEM);
      if (study) await store.studies.setMember(own.studyId, id, study, SYSTEM);
      const { accessToken } = await store.tokens.create(id);
      callers.push({ account, study, userId: id, authorization: basicAuthorization({ userId: id, accessToken }) });
    }
  }
  const hook = { displayName: 'Hook', url: 'http://127.0.0.1:9/' };
  const webhookId = (await api.client.call('createWebhook', { params: { accountId }, body: hook })).id;
  const delivery = await api.client.call('testWebhook', { params: { accountId, webhookId } });
  const mail = { recipient: 'a@example.org', subject: 'Goshawk', body: 'Goshawk' };
  shared = {
    ...{ accountId, userId: api.admin.userId, webhookId, deliveryId: delivery.id, backupId: 'none', format: 'EDF' },
    ...{ mailId: await store.outbox.add({ accountId, ...mail }), pipelineId: PIPELINE_ID, date: '2026-01-01' },
    metric: 'steps',
  };
  watcher = new Database(store.path, { readonly: true });
});
afterAll(async () => {
  watcher?.close();
  await api.close();
});

const writes = () => watcher.pragma('data_version', { simple: true }) as number;

/** The smallest value that a schema takes, with members named like ids filled from `ids`. */
function sampleOf(schema: z.core.JSONSchema.BaseSchema, ids: Ids, root = schema, name = ''): unknown {
  if (typeof schema.$ref === 'string') {
    const parts = schema.$ref.split('/').slice(1);
    return sampleOf(
      parts.reduce((at: never, part) => at[part] as never, root as never),
      ids,
      root,
      name,
    );
  }
  if (name in ids && schema.type !== 'array') return ids[name];
  if (name.endsWith('Ids') && schema.type === 'array' && ids[name.slice(0, -1)]) return [ids[name.slice(0, -1)]];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (choice) return sampleOf(choice as never, ids, root, name);
  switch (schema.type) {
    case 'object': {
      const required = new Set(schema.required);
      const members = Object.entries(schema.properties ?? {}).filter(
        ([key]) => required.has(key) || key in ids || (key.endsWith('Ids') && key.slice(0, -1) in ids),
      );
      return Object.fromEntries(members.map(([key, one]) => [key, sampleOf(one as never, ids, root, key)]));
    }
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [sampleOf(schema.items as never, ids, root)] : [];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, Number(schema.exclusiveMinimum ?? -1) + 1, 1);
    case 'boolean':
      return true;
    default:
      if (schema.format === 'uuid' || /[0-9a-f]{8}/.test(schema.pattern ?? '')) return newId();
      if (schema.format === 'date' || /\\d\{2\}|\\d\\d/.test(schema.pattern ?? '')) return '2026-01-15';
      return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
  }
}

/** What a schema cannot say: rules between members. */
const BODIES: Partial<Record<RouteId, (ids: Ids) => object>> = {
  createStudy: ({ studyId }) => ({ from: { studyId } }),
  acceptUpload: () => ({ reason: 'Mine' }),
  takeTransfer: () => ({ reason: 'Mine' }),
  confirmPairing: () => ({ checkCode: '123 456' }),
  snoozeAttention: () => ({ untilTs: api.clock.now() + 3_600_000, reason: 'Later' }),
  openQuery: () => ({ target: 'DAY', date: '2026-01-15' }),
  addQueryStep: () => ({ kind: 'COMMENT' }),
  setSubjectStatus: () => ({ status: 'WITHDRAWN', date: '2026-01-15', reason: 'x' }),
  undoCorrection: () => ({ id: newId() }),
  putSavedFilter: () => ({ table: 'subjects', search: { filter: 'twoDays' } }),
};

const bodySchemas = new Map<RouteId, z.core.JSONSchema.BaseSchema>();
function bodyOf(id: RouteId, route: RouteContract, ids: Ids): object {
  let schema = bodySchemas.get(id);
  if (!schema) {
    schema = z.toJSONSchema(route.body!, { io: 'input', unrepresentable: 'any' }) as z.core.JSONSchema.BaseSchema;
    bodySchemas.set(id, schema);
  }
  return { ...(sampleOf(schema, ids) as object), ...BODIES[id]?.(ids) };
}

interface Call {
  params: Ids;
  query?: Ids;
  /** Ids of the body; absent: a body that no route takes. */
  body?: Ids;
}

async function send(id: RouteId, route: RouteContract, authorization: string, { params, query, body }: Call) {
  const times = { from: '0', to: '1', masterId: MASTER_ID };
  const search = new URLSearchParams({ ...times, ...query });
  const response = await fetch(`${api.url}/api/v1${fillPath(route.path, params)}?${search}`, {
    method: route.method,
    headers: { authorization, ...(route.body && { 'content-type': 'application/json' }) },
    ...(route.body && { body: body ? JSON.stringify(bodyOf(id, route, body)) : '[' }),
  });
  return { status: response.status, text: await response.text() };
}

/** Marks of studies in which the caller has no role. */
const secretsFrom = ({ account, study }: Caller) =>
  account === 'ADMIN' ? [] : [...foreign.marks, ...(study === null ? own.marks : [])];

/** Calls a route in every way as one caller. Returns what was not as expected. */
async function walk(id: RouteId, route: RouteContract, operation: Operation | undefined, caller: Caller) {
  const found: string[] = [];
  const placed = placedNames(route.path);
  const isWrite = route.method !== 'GET';
  const asked = async (what: string, expected: Expectation | 'refused' | 'closed', call: Call) => {
    const before = isWrite ? writes() : 0;
    const { status, text } = await send(id, route, caller.authorization, call);
    const who = `${caller.account}, ${caller.study ?? 'nothing'} in the study: ${id}, ${what}, answers ${status}`;
    const leaked = secretsFrom(caller).find((mark) => text.replaceAll(route.path, '').includes(mark));
    if (leaked !== undefined) found.push(`${who} with ${leaked}: ${text.slice(0, 200)}`);
    const isRefused = status === 403 || status === 404;
    const hasChanged = isWrite && writes() !== before;
    const isRight =
      // Deleting a filter that is not the caller's own is repeatable, and does nothing.
      (id === 'deleteSavedFilter' && !hasChanged) ||
      (expected === 'allowed'
        ? status !== 401 && status !== 403
        : expected === 'refused'
          ? isRefused
          : expected === 'closed'
            ? status >= 400 && status < 500
            : status === expected);
    if (!isRight) found.push(`${who}, not ${expected}: ${text.slice(0, 160)}`);
    if (status >= 400 && hasChanged) found.push(`${who} and changed something`);
  };
  const ofOwn = { ...shared, ...own.ids };
  const ofForeign = { ...shared, ...foreign.ids };
  const isItself = route.ownRecord === true;
  const where = (side: 'own' | 'foreign') => (placed.length > 0 ? side : undefined);
  // `itemId` and `filterId` are looked up among those that the caller may see, so they reveal nothing but refuse by another code.
  const bySight = placed.some((name) => name === 'itemId' || name === 'filterId');
  if (isItself) await asked('of the caller', 'allowed', { params: { ...ofOwn, userId: caller.userId } });
  const expectedOwn = bySight
    ? expectationOf(operation, caller, undefined)
    : expectationOf(operation, caller, where('own'));
  // A write that is allowed gets a body that no route takes, or none of its own: it changes nothing.
  const isSafe = !isWrite || expectedOwn !== 'allowed' || route.body !== undefined;
  if (isSafe) {
    for (const ids of [own.ids, ...own.others]) {
      if (bySight && expectedOwn === 'allowed') continue;
      await asked('own', expectedOwn, { params: { ...shared, ...ids } });
    }
  }
  if (placed.length === 0) {
    if (route.query && !isWrite && expectedOwn === 'allowed') await queries(asked, route, ofOwn, ofForeign);
    if (route.body && caller.account !== 'ADMIN' && expectedOwn === 'allowed' && takesPlace(id, route)) {
      await asked('a foreign study in the body', 'closed', { params: ofOwn, body: ofForeign });
    }
    return found;
  }
  if (caller.account === 'ADMIN') return found;
  for (const ids of [foreign.ids, ...foreign.others, foreign.deleted]) {
    const call = { params: { ...shared, ...ids }, ...(route.body && { body: ids }) };
    // The role in the account is looked at where the record is not found.
    if (bySight) await asked('foreign', 'refused', call);
    else await asked('foreign', placedAsMember(placed) ? 404 : 'refused', call);
  }
  if (caller.study === null) return found;
  // One record of the foreign study beside others of the caller's own, and foreign ones in the body and the query.
  if (placed.length > 1) {
    for (const name of placed) {
      const params = { ...ofOwn, [name]: foreign.ids[name]! };
      // The name of a sensor and templates are made by the person who writes them.
      if (name === 'templateId' && route.method !== 'GET') continue;
      await asked(`foreign ${name}`, 'refused', { params, ...(route.body && { body: own.ids }) });
    }
  }
  if (route.query && !isWrite && expectedOwn === 'allowed') await queries(asked, route, ofOwn, ofForeign);
  return found;
}

const placedAsMember = (placed: readonly string[]) => placed.includes('studyId');

function takesPlace(id: RouteId, route: RouteContract): boolean {
  const members = JSON.stringify(z.toJSONSchema(route.body!, { io: 'input', unrepresentable: 'any' }));
  return members.includes('"studyId"') && id !== 'createWebhook';
}

/** Every id of the foreign study in every member of the query string. */
async function queries(
  asked: (what: string, expected: 'allowed', call: Call) => Promise<void>,
  route: RouteContract,
  ofOwn: Ids,
  ofForeign: Ids,
): Promise<void> {
  for (const name of Object.keys(route.query!.shape)) {
    const value = ofForeign[name] ?? (name === 'entityId' || name === 'targetId' ? ofForeign.subjectId : undefined);
    if (value !== undefined)
      await asked(`foreign ${name} in the query`, 'allowed', { params: ofOwn, query: { [name]: value } });
  }
}

describe('the contract', () => {
  it('names an operation for every route of users but those that decide by the caller alone', () => {
    const without = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
      ([, route]) => route.access === 'user' && route.operation === undefined,
    );
    expect(without.map(([id]) => id).sort()).toEqual([...WITHOUT_OPERATION].sort());
  });

  it('changes nothing by an operation that only reads', () => {
    const reading = userRoutes.filter(
      ([, { method, operation, path }]) => method !== 'GET' && READS(operation ?? '') && !/content$/.test(path),
    );
    expect(reading.map(([id]) => id).sort()).toEqual([...READING_WRITES].sort());
  });

  it('knows where every record of a path belongs', () => {
    const known = new Set<string>([...OF_STUDY, ...Object.keys(shared), ...Object.keys(own.ids)]);
    const names = userRoutes.flatMap(([, { path }]) => namesOf(path));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('every route', () => {
  it.each(userRoutes)('%s', async (id, route) => {
    const found: string[] = [];
    for (const caller of callers) found.push(...(await walk(id, route, route.operation as Operation, caller)));
    expect(found).toEqual([]);
  });
});

/** Their record exists, and has no file, picture or day. */
const WITHOUT_CONTENT: readonly RouteId[] = [
  ...(['getSubjectExportFile', 'getStudyExportFile', 'getStudyArchive', 'getMessageImage'] as const),
  'downloadChannelsCsv',
];

it('the records that the walk names exist: an administrator reads each of them', async () => {
  const missing: string[] = [];
  const admin = callers.find(({ account }) => account === 'ADMIN')!;
  for (const [id, route] of userRoutes) {
    if (route.method !== 'GET' || placedNames(route.path).length === 0) continue;
    for (const { ids } of [own, foreign]) {
      const { status, text } = await send(id, route, admin.authorization, { params: { ...shared, ...ids } });
      if (status === 404 && !WITHOUT_CONTENT.includes(id)) missing.push(`${id}: ${text}`);
    }
  }
  expect(missing).toEqual([]);
});

it('notices when any route loses its operation', async () => {
  const unnoticed: string[] = [];
  for (const [id, route] of userRoutes) {
    const operation = route.operation as Operation | undefined;
    // Roles that all may do: only the study limits them, and no operation takes that away.
    if (operation === undefined || PERMISSIONS[operation].roles.length === ROLES.length) continue;
    const mutable = routes as Record<RouteId, RouteContract>;
    const before = mutable[id].operation;
    Reflect.set(mutable[id], 'operation', undefined);
    try {
      let isNoticed = false;
      for (const caller of callers) {
        if (expectationOf(operation, caller, placedNames(route.path).length > 0 ? 'own' : undefined) !== 403) continue;
        if (route.method !== 'GET' && route.body === undefined) continue;
        isNoticed ||= (await walk(id, route, operation, caller)).length > 0;
        if (isNoticed) break;
      }
      if (!isNoticed && (route.method === 'GET' || route.body !== undefined)) unnoticed.push(id);
    } finally {
      Reflect.set(mutable[id], 'operation', before);
    }
  }
  expect(unnoticed).toEqual([]);
});
