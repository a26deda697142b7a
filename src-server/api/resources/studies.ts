/** Studies, their definition and lifecycle. */

import {
  type DeviceConfigRecord,
  newId,
  type StudyDetailRecord,
  type StudyRecord,
  type TaskRecord,
} from '../../db/index.ts';
import { type FieldError, OutpostError } from '../../errors.ts';
import { optionsOf } from '../../study/definition.ts';
import { type DefinitionDocument, definitionDocument, definitionOfDocument } from '../../study/definition-document.ts';
import type { StudyParts } from '../../study/definition-input.ts';
import { studyTemplates } from '../../study/study-templates.ts';
import { type ListedStudy, METRICS_PIPELINE, type Study, type StudyDetail } from '../contract/index.ts';
import { type DefinitionInput, definitionSchema } from '../contract/resources/definition.ts';
import type { studyRoutes } from '../contract/resources/studies.ts';
import type { BodyOf, ResponseOf } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { readableStudies } from '../framework/authorize.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { requirePassword } from './access/own-password.ts';
import { toPlacement } from './sensor-settings.ts';
import { toSubject } from './subjects.ts';

function toStudy(study: StudyRecord): Study {
  return {
    id: study.id,
    accountId: study.accountId,
    displayName: study.displayName,
    title: study.title,
    createdTs: study.createdTs,
    isArchived: study.isArchived,
    lifecycleState: study.lifecycleState,
    ...(study.stoppedTs === undefined ? {} : { stoppedTs: study.stoppedTs }),
    ...(study.lockedTs === undefined ? {} : { lockedTs: study.lockedTs }),
    ...(study.export
      ? {
          export: {
            href: `/v1/archives/${study.id}/archive`,
            requestedTs: study.export.requestedTs,
            sizeBytes: study.export.sizeBytes,
          },
        }
      : {}),
    subjectMetadataFields: study.metadataFields,
  };
}

function toTask(task: TaskRecord, study: StudyRecord): StudyDetail['diaries'][number] {
  return {
    id: task.id,
    accountId: study.accountId,
    studyId: study.id,
    displayName: task.displayName,
    createdTs: task.createdTs,
    modifiedTs: task.modifiedTs,
    mode: task.mode,
    order: task.order,
    pipelineIds: task.pipelineIds,
    questions: task.questions.map((question) => {
      const { id, createdTs, text, type, values } = question;
      return { id, createdTs, text, type, values, ...optionsOf(question) };
    }),
  };
}

function toDeviceConfig(config: DeviceConfigRecord, study: StudyRecord): StudyDetail['deviceConfigs'][number] {
  return {
    id: config.id,
    accountId: study.accountId,
    studyId: study.id,
    createdTs: config.createdTs,
    modifiedTs: config.modifiedTs,
    mode: config.mode,
    pipelineIds: config.pipelineIds,
    ...(config.sourceId === undefined ? {} : { sourceId: config.sourceId }),
    ...toPlacement(config),
  };
}

/** Converts the program; a study without one has an empty program with the id of the study. */
function toProgram(study: StudyRecord): StudyDetail['program'] {
  const { program } = study;
  if (!program) return { id: study.id, days: 0, tasks: [] };
  const tasks = program.tasks.map(({ taskId, type, days, window }) => ({
    taskId,
    type,
    days,
    ...(window ? { window } : {}),
  }));
  return { id: program.id, days: program.days, tasks };
}

async function toStudyDetail(deps: ApiDeps, study: StudyDetailRecord): Promise<StudyDetail> {
  const subjects = await deps.store.subjects.list(study.id);
  return {
    ...toStudy(study),
    activities: study.activities.map((task) => ({
      ...toTask(task, study),
      durationSec: task.durationSec ?? 0,
      instructions: task.instructions ?? '',
      ...(task.guide && { guide: task.guide }),
    })),
    diaries: study.diaries.map((task) => toTask(task, study)),
    deviceConfigs: study.deviceConfigs.map((config) => toDeviceConfig(config, study)),
    pipelines: [METRICS_PIPELINE],
    program: toProgram(study),
    subjects: subjects.map(toSubject),
  };
}

/**
 * Requires that given ids belong to this study: an id of another study would change that study's record.
 * @throws INVALID_INPUT with the fields at fault
 */
function requireOwnIds(study: StudyDetailRecord, body: DefinitionInput): void {
  const tasks = [...study.activities, ...study.diaries];
  const own = new Set(
    [...tasks, ...tasks.flatMap((task) => task.questions), ...study.deviceConfigs].map(({ id }) => id),
  );
  const errors: FieldError[] = [];
  const check = (path: string, id: string | undefined) => {
    if (id === undefined || own.has(id)) return;
    errors.push({
      path: `${path}.id`,
      message: `\`${path}.id\` is not the id of a record of this study. Omit it for a new one.`,
    });
  };
  for (const part of ['activities', 'diaries'] as const) {
    for (const [i, task] of (body[part] ?? []).entries()) {
      check(`${part}.${i}`, task.id);
      for (const [q, question] of task.questions.entries()) check(`${part}.${i}.questions.${q}`, question.id);
    }
  }
  for (const [i, config] of (body.deviceConfigs ?? []).entries()) check(`deviceConfigs.${i}`, config.id);
  if (errors.length > 0) throw new OutpostError('INVALID_INPUT', errors[0]!.message, { errors });
}

type StudySource = NonNullable<BodyOf<(typeof studyRoutes)['createStudy']>['from']>;

/** A study without anything: all records of a definition brought into it are new. */
const NO_PARTS: StudyParts = {
  metadataFields: [],
  activities: [],
  diaries: [],
  deviceConfigs: [],
  program: null,
  csvTemplates: [],
};

type ExportedDefinition = ResponseOf<(typeof studyRoutes)['getDefinition']>;
type ImportedDefinition = BodyOf<(typeof studyRoutes)['importDefinition']>;

/** Refuses duplicate ids, which make the program ambiguous. @throws INVALID_INPUT with the field at fault */
function requireUniqueIds(body: ImportedDefinition): void {
  for (const part of ['activities', 'diaries', 'deviceConfigs'] as const) {
    const seen = new Set<string>();
    for (const [i, { id }] of body[part].entries()) {
      if (seen.has(id)) throw invalidField(`${part}.${i}.id`, 'is the id of another record of the document');
      seen.add(id);
    }
  }
}

/** Gives new questions, which have no id, an id. */
function withQuestionIds<T extends ImportedDefinition['diaries'][number]>(task: T) {
  return { ...task, questions: task.questions.map((question) => ({ ...question, id: question.id ?? newId() })) };
}

async function withSummaries({ store }: ApiDeps, rows: readonly StudyRecord[]): Promise<ListedStudy[]> {
  const ids = rows.map(({ id }) => id);
  const subjects = await store.subjects.countByStudy(ids);
  const totals = await store.recordingSummaries.ofStudies(ids);
  return rows.map((row) => {
    const { lastStopUs, countRecordings = 0, sizeBytes = 0 } = totals.get(row.id) ?? {};
    const { shown = 0, hidden = 0 } = subjects.get(row.id) ?? {};
    return {
      ...toStudy(row),
      summary: {
        countSubjects: shown,
        countHiddenSubjects: hidden,
        countRecordings,
        sizeBytes,
        ...(lastStopUs !== undefined && { lastDataTs: Math.floor(lastStopUs / 1000) }),
      },
    };
  });
}

export function studyHandlers(deps: ApiDeps): Handlers<typeof studyRoutes> {
  const { studies } = deps.store;
  const schema = definitionSchema();
  const detailOf = async (studyId: string): Promise<StudyDetailRecord> => {
    const study = await studies.getDetail(studyId);
    if (!study) throw notFound('study');
    return study;
  };
  /** @throws INVALID_INPUT for a study that the caller may not see, and for an unknown template */
  const documentFrom = async (from: StudySource, caller: Caller): Promise<DefinitionDocument> => {
    if ('templateId' in from) {
      const template = studyTemplates(from.language).find(({ id }) => id === from.templateId);
      if (!template) throw invalidField('from.templateId', 'is not the id of a template');
      return template.document;
    }
    const readable = await readableStudies(deps, caller);
    if (!readable.some(({ id }) => id === from.studyId))
      throw invalidField('from.studyId', 'is not the id of a study that you can see');
    return definitionDocument(await detailOf(from.studyId));
  };
  return {
    listStudies: async ({ caller, query }) => {
      const rows = await readableStudies(deps, caller);
      return query.summary ? await withSummaries(deps, rows) : rows.map(toStudy);
    },
    getStudy: async ({ params }) => await toStudyDetail(deps, await detailOf(params.studyId)),
    createStudy: async ({ params, body: { from, ...body }, caller }) => {
      const document = from && (await documentFrom(from, caller));
      const definition = document && definitionOfDocument(document, NO_PARTS, newId);
      const input = { accountId: params.accountId, ...body, ...(definition && { definition }) };
      const { id } = await studies.create(input, changeBy(caller));
      return { id, links: [{ href: `/v1/studies/${id}`, rel: 'self' }] };
    },
    updateStudy: async ({ params, body, caller }) => {
      await studies.update(params.studyId, body, changeBy(caller));
    },
    putDefinition: async ({ params, body, caller }) => {
      requireOwnIds(await detailOf(params.studyId), body);
      const { subjectMetadataFields, ...parts } = body;
      const definition = subjectMetadataFields ? { ...parts, metadataFields: subjectMetadataFields } : parts;
      await studies.putDefinition(params.studyId, definition, changeBy(caller));
    },
    startStudy: async ({ params, caller }) => {
      await studies.move(params.studyId, 'start', changeBy(caller));
    },
    stopStudy: async ({ params, caller }) => {
      await studies.move(params.studyId, 'stop', changeBy(caller));
    },
    reopenStudy: async ({ params, body, caller }) => {
      await studies.move(params.studyId, 'reopen', changeBy(caller, body.reason));
    },
    lockStudy: async ({ params, body, caller, request }) => {
      const asked = { for: 'LOCK', entityType: 'study', entityId: params.studyId, studyId: params.studyId } as const;
      await requirePassword(deps, caller, request, { password: body.password, path: 'password', asked });
      await deps.store.studyLocks.lock(params.studyId, caller.user, changeBy(caller, body.reason));
    },
    unlockStudy: async ({ params, body, caller, request }) => {
      const asked = { for: 'UNLOCK', entityType: 'study', entityId: params.studyId, studyId: params.studyId } as const;
      await requirePassword(deps, caller, request, { password: body.password, path: 'password', asked });
      await deps.store.studyLocks.unlock(params.studyId, changeBy(caller, body.reason));
    },
    archiveStudy: async ({ params, caller }) => {
      await studies.setArchived(params.studyId, true, changeBy(caller));
    },
    unarchiveStudy: async ({ params, caller }) => {
      await studies.setArchived(params.studyId, false, changeBy(caller));
    },
    getDefinition: async ({ params }) => {
      const document = definitionDocument(await detailOf(params.studyId));
      const deviceConfigs = document.deviceConfigs.map((config) => ({ ...config, ...toPlacement(config) }));
      return { ...document, deviceConfigs } as ExportedDefinition;
    },
    importDefinition: async ({ params, body, caller }) => {
      requireUniqueIds(body);
      const document = {
        ...body,
        activities: body.activities.map(withQuestionIds),
        diaries: body.diaries.map(withQuestionIds),
      };
      const definition = definitionOfDocument(document, await detailOf(params.studyId), newId);
      await studies.putDefinition(params.studyId, definition, changeBy(caller));
    },
    getDefinitionSchema: () => schema,
  };
}
