import { expect, it } from 'vitest';
import { buildOpenApi } from './openapi.ts';

type JsonSchema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
};
interface Operation {
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}
const document = buildOpenApi('1.2.3') as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};

const USER =
  'id accountId accounts createdTs disabledTs? email firstName lastName isDisabled legaleseVersionAccepted legaleseVersionRequired locale timezone';
const SUBJECT =
  'id accountId studyId displayName age? gender? height? weight? timezone metadataFields isHidden legaleseVersionAccepted legaleseVersionRequired createdTs modifiedTs programStartTs?';
const STUDY = 'id accountId displayName title createdTs isArchived lifecycleState export? subjectMetadataFields';
const RECORDING =
  'id studyId subjectId deviceConfigId createdTs recordingId recordingStartTs recordingStopTs uploadStartTs export faults firmwareId hardwareId udid physicalConfig sensorConfig status';
const ANNOTATION = 'id studyId subjectId authorId? createdTs displayName startTs stopTs event?';
const CREATED = 'id links';
const S = '/studies/{studyId}';
const U = `${S}/subjects/{subjectId}`;
const A = '/accounts/{accountId}';

/** The documented endpoints in order: method, path, kind of answer (`list`, `bare` list, `one`, `csv`, `none`), members. */
const ENDPOINTS: readonly (readonly [string, string, 'list' | 'bare' | 'one' | 'csv' | 'none', string])[] = [
  ['post', '/users/login/email', 'one', 'accessToken expiration user'],
  ['post', '/users/logout', 'none', ''],
  ['get', `${A}/users`, 'list', USER],
  ['get', '/users/{userId}', 'one', USER],
  ['post', '/users/register/email', 'one', CREATED],
  ['put', '/users/{userId}', 'none', ''],
  ['delete', `${A}/users/{userId}`, 'none', ''],
  ['get', `${A}/studies`, 'bare', STUDY],
  ['get', S, 'one', `${STUDY} activities diaries deviceConfigs pipelines program subjects`],
  ['post', '/archives/{studyId}/archive', 'none', ''],
  ['get', `${S}/subjects`, 'list', SUBJECT],
  ['get', U, 'one', `${SUBJECT} devices recordings`],
  ['post', `${S}/subjects`, 'one', CREATED],
  ['post', `${U}/tokens`, 'one', 'studyId subjectId token'],
  ['get', `${S}/program_stats`, 'list', 'fromDate toDate studyId subjectId tasksAssigned tasksCompleted'],
  ['get', `${S}/daily_program_stats`, 'list', 'date studyId tasksAssigned tasksCompleted'],
  ['get', `${U}/program_stats`, 'list', 'fromDate toDate studyId subjectId tasksAssigned tasksCompleted'],
  ['get', `${U}/program_audit`, 'list', 'date tasks'],
  ['get', `${U}/equipment`, 'list', 'id type state faults'],
  ['get', `${A}/equipment/{equipmentId}/history`, 'list', 'createdTs id state study subject'],
  ['get', `${S}/fault_stats`, 'list', 'subjectId countFaults'],
  ['get', `${U}/messages`, 'list', 'id studyId subjectId author body createdTs isRead image?'],
  ['get', `${A}/messages`, 'list', 'id studyId subjectId author body createdTs isRead image?'],
  ['post', `${U}/messages`, 'one', CREATED],
  ['get', `${S}/recordings`, 'list', RECORDING],
  ['get', `${U}/recordings`, 'list', RECORDING],
  ['get', `${U}/data`, 'one', 'channels links?'],
  [
    'get',
    `${S}/recording_stats`,
    'list',
    'subjectId countDays countRecordings countSensors durationMs firstStartTs lastStartTs lastUploadTs',
  ],
  [
    'get',
    `${S}/daily_recording_stats`,
    'list',
    'studyId date countRecordings countSubjects firstRecStartTs lastRecStartTs sumDurationMs',
  ],
  ['get', `${U}/annotations`, 'list', ANNOTATION],
  ['get', `${U}/annotations/{annotationId}`, 'one', ANNOTATION],
  ['get', `${S}/annotations/{annotationId}/questions`, 'list', 'id createdTs question answer type'],
  ['get', '/archives/{studyId}/subjects/{subjectId}/annotations', 'csv', ''],
  ['get', `${S}/events`, 'list', 'accountId studyId subjectId? action actualTs reportedTs referenceId author?'],
  [
    'get',
    `${U}/pipelines/metrics`,
    'list',
    'dayStartMsUtc dataStartTs dataStopTs errorTypes libraryConfigId subjectTz subjectTzOffset metrics',
  ],
  ['get', `${U}/pipelines/{pipelineId}/channels`, 'one', 'channels'],
  ['get', '/archives/{studyId}/subjects/{subjectId}/metrics', 'csv', ''],
  ['get', '/archives/{studyId}/subjects/{subjectId}/days/{date}/channels', 'csv', ''],
];

function resolved(schema: JsonSchema): JsonSchema {
  return schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1)!] as JsonSchema) : schema;
}

it('covers the 38 documented endpoints', () => expect(ENDPOINTS).toHaveLength(38));

it.each(ENDPOINTS)('%s %s answers as documented: %s', (method, path, kind, members) => {
  const operation = document.paths[path]?.[method];
  expect(operation).toBeDefined();
  const [status, success] = Object.entries(operation!.responses).find(([one]) => one.startsWith('2'))!;
  if (kind === 'none') {
    expect([202, 204]).toContain(Number(status));
    expect(success.content).toBeUndefined();
    return;
  }
  expect(Number(status)).toBe(method === 'post' && !path.includes('login') ? 201 : 200);
  if (kind === 'csv') {
    expect(Object.keys(success.content!)).toEqual(['text/csv']);
    return;
  }
  let schema = resolved(success.content!['application/json']!.schema);
  if (kind === 'list') {
    expect([...schema.required!].sort()).toEqual(['items', 'size']);
    // Only an answer to a request for a page has links.
    expect(Object.keys(schema.properties!).filter((name) => name !== 'links')).toEqual(['items', 'size']);
    schema = schema.properties!.items!;
  }
  if (kind !== 'one') schema = resolved(schema.items!);
  // A member without `?` is always present; further members are allowed.
  for (const name of members.split(' ')) {
    const plain = name.replace('?', '');
    expect(schema.properties, plain).toHaveProperty(plain);
    expect(schema.required!.includes(plain), `${plain} is always present`).toBe(plain === name);
  }
});
