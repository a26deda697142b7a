/** How subjects take part: status, consent with its document, group and visits. */
import { rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Request } from 'express';
import { newId, type ParticipationStepRecord, type VisitRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { writeDurably } from '../../files/durable-files.ts';
import type { ConsentDocument } from '../../services/participation.ts';
import { localDateAt } from '../../study/day-windows.ts';
import { isVisitOverdue, STATUS_RULES } from '../../study/participation.ts';
import { LARGEST_CONSENT_BYTES, type PlanChoice, type StudyPlan } from '../../vocabulary/participation.ts';
import type { ParticipationStep, Visit } from '../contract/index.ts';
import { consentFields, type participationRoutes } from '../contract/resources/participation.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { allowedPlaces } from '../framework/authorize.ts';
import { invalidField, invalidInput, notFound } from '../framework/errors.ts';
import { type Handlers, SENT } from '../framework/mount.ts';
import { readMultipart } from '../framework/multipart.ts';
import { sendFile } from '../framework/send-file.ts';
import { signedUrlOf } from '../framework/signed-url.ts';

/** By their first bytes in hex: what a scanner makes, and what a browser shows without running anything in it. */
const DOCUMENT_FORMATS = [
  { mimeType: 'application/pdf', extension: 'pdf', start: /^255044462d/ },
  { mimeType: 'image/png', extension: 'png', start: /^89504e470d0a1a0a/ },
  { mimeType: 'image/jpeg', extension: 'jpg', start: /^ffd8ff/ },
] as const;

const LONGEST_FILE_NAME = 200;

interface ReceivedDocument {
  bytes: Buffer;
  name: string;
}

/** Reads the form of a consent. @throws INVALID_INPUT, BODY_TOO_LARGE */
async function receiveConsent(request: Request) {
  let document: ReceivedDocument | undefined;
  const fields = await readMultipart(request, 5, async (name, stream, { fileName }) => {
    if (name !== 'document') {
      stream.resume();
      return;
    }
    const bytes = await readDocument(stream);
    // A form with an empty file input sends an empty part.
    if (bytes.length > 0) document = { bytes, name: fileName };
  });
  const parsed = consentFields.safeParse(fields);
  if (!parsed.success) throw invalidInput(parsed.error);
  return { ...parsed.data, document };
}

async function readDocument(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > LARGEST_CONSENT_BYTES) {
      throw new OutpostError('BODY_TOO_LARGE', 'The document is larger than 20 MB. Scan it at a lower resolution.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Detects the format from the bytes; the type sent by the client is ignored. */
function documentOf({ bytes, name }: ReceivedDocument): ConsentDocument {
  const hex = bytes.toString('hex', 0, 16);
  const format = DOCUMENT_FORMATS.find(({ start }) => start.test(hex));
  if (!format) throw invalidField('document', 'must be a PDF, PNG or JPEG');
  const { mimeType, extension } = format;
  const given = (name.split(/[\\/]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, '').slice(0, LONGEST_FILE_NAME);
  return {
    file: `${newId()}.${extension}`,
    name: given.trim() || `consent.${extension}`,
    ...{ mimeType, sizeBytes: bytes.length, sha256: sha256Hex(bytes) },
  };
}

export const choiceOf = (choices: readonly PlanChoice[], id: string | undefined): PlanChoice | undefined =>
  choices.find((choice) => choice.id === id);

function toVisit(visit: VisitRecord, today: string): Visit {
  const { visitId, displayName, state, targetDate, fromDate, toDate, date, time, isOptional, isStopped } = visit;
  const { reminderTs, remindedTs } = visit;
  return {
    ...{ visitId, displayName, state, targetDate, fromDate, toDate, isOptional, isStopped },
    ...(date !== undefined && { date }),
    ...(time !== undefined && { time }),
    isOverdue: isVisitOverdue(visit, today),
    isOutOfWindow: date !== undefined && (date < fromDate || date > toDate),
    ...(reminderTs !== undefined && { reminderTs }),
    ...(remindedTs !== undefined && { remindedTs }),
  };
}

/** A group or stratum of a step by the name that it has now. */
const chosenThen = (choices: readonly PlanChoice[], id: string | undefined, nameThen: string | undefined) =>
  id === undefined ? undefined : { id, displayName: choiceOf(choices, id)?.displayName ?? nameThen ?? '' };

/** @param hasDocument whether the caller may open documents: their names and hashes are for nobody else */
function toStep(
  step: ParticipationStepRecord,
  names: ReadonlyMap<string, string>,
  plan: StudyPlan,
  hasDocument: boolean,
): ParticipationStep {
  const { authorId, consentVersion, consentState, visitId, visitState } = step;
  const group = chosenThen(plan.groups, step.groupId, step.groupName);
  const stratum = chosenThen(plan.strata, step.stratumId, step.stratumName);
  return {
    id: step.id,
    kind: step.kind,
    date: step.date,
    createdTs: step.createdTs,
    isCorrection: step.isCorrection,
    ...(authorId !== undefined && { author: { id: authorId, displayName: names.get(authorId) ?? '' } }),
    ...(step.reason !== undefined && { reason: step.reason }),
    ...(step.status !== undefined && { status: step.status }),
    ...(step.dataDecision !== undefined && { dataDecision: step.dataDecision }),
    ...(step.isPhoneRevoked && { isPhoneRevoked: true }),
    ...(consentVersion !== undefined &&
      consentState !== undefined && {
        consent: {
          version: consentVersion,
          state: consentState,
          ...(hasDocument &&
            step.documentFile !== undefined && {
              document: {
                displayName: step.documentName ?? '',
                mimeType: step.documentMimeType ?? '',
                sizeBytes: step.documentSizeBytes ?? 0,
                sha256: step.documentSha256 ?? '',
              },
            }),
        },
      }),
    ...(group && { group }),
    ...(stratum && { stratum }),
    ...(visitId !== undefined &&
      visitState !== undefined && {
        visit: {
          visitId,
          displayName: plan.visits.find(({ id }) => id === visitId)?.displayName ?? step.visitName ?? '',
          state: visitState,
          ...(step.visitDate !== undefined && { date: step.visitDate }),
          ...(step.visitTime !== undefined && { time: step.visitTime }),
        },
      }),
  };
}

export function participationHandlers(deps: ApiDeps): Handlers<typeof participationRoutes> {
  const { participation, subjects, users, equipment, devices } = deps.store;
  const createdOf = ({ id, studyId, subjectId }: ParticipationStepRecord) => ({
    id,
    links: [{ href: `/v1/studies/${studyId}/subjects/${subjectId}/participation`, rel: 'self' }],
  });
  const documentOfStep = async (stepId: string, subjectId?: string): Promise<ConsentDocument> => {
    const step = await participation.step(stepId);
    if (!step?.documentFile || (subjectId !== undefined && step.subjectId !== subjectId)) throw notFound('document');
    return {
      file: step.documentFile,
      name: step.documentName ?? '',
      mimeType: step.documentMimeType ?? '',
      sizeBytes: step.documentSizeBytes ?? 0,
      sha256: step.documentSha256 ?? '',
    };
  };
  return {
    getStudyPlan: async ({ params: { studyId } }) => {
      const { version, plan, modifiedTs } = await participation.plan(studyId);
      return { version, ...(modifiedTs !== undefined && { modifiedTs }), ...plan };
    },
    setStudyPlan: async ({ params: { studyId }, body, caller }) => {
      const { version, reason, consentForms, groups, strata, visits } = body;
      const plan = { consentForms, groups, strata, visits };
      await participation.setPlan(studyId, plan, version, changeBy(caller, reason));
    },
    getParticipation: async ({ params: { studyId, subjectId }, caller }) => {
      const mayOpen = await allowedPlaces(deps, caller, 'participation.document');
      const standing = await participation.standing(subjectId);
      const { plan } = await participation.plan(studyId);
      const steps = await participation.steps(subjectId);
      const names = await users.namesOf([...new Set(steps.flatMap(({ authorId }) => authorId ?? []))]);
      const today = localDateAt(deps.clock(), await subjects.zones(subjectId));
      const { status, statusDate, screeningDate, enrolledDate, dataDecision, consentVersion, consentDate } = standing;
      const group = choiceOf(plan.groups, standing.groupId);
      const stratum = choiceOf(plan.strata, standing.stratumId);
      return {
        ...{ subjectId, status, statusDate, today, next: [...STATUS_RULES[status].next] },
        ...(screeningDate !== undefined && { screeningDate }),
        ...(enrolledDate !== undefined && { enrolledDate }),
        ...(dataDecision !== undefined && { dataDecision }),
        ...(consentVersion !== undefined &&
          consentDate !== undefined && { consent: { version: consentVersion, date: consentDate } }),
        isConsentDue: standing.isConsentDue,
        ...(group && { group }),
        ...(stratum && { stratum }),
        heldEquipment: (await equipment.heldBy(subjectId)).length,
        hasPhone: (await devices.phonesOf(subjectId)).length > 0,
        visits: (await participation.visits(subjectId)).map((visit) => toVisit(visit, today)),
        steps: steps.reverse().map((step) => toStep(step, names, plan, mayOpen({ studyId }))),
      };
    },
    setSubjectStatus: async ({ params, body, caller }) =>
      createdOf(await participation.setStatus({ ...body, ...params }, changeBy(caller))),
    addConsent: async ({ params, caller, request }) => {
      const { id, version, date, document: received } = await receiveConsent(request);
      const document = received && documentOf(received);
      const path = document && join(deps.imagesDir, document.file);
      const removeFile = async () => {
        if (path) await rm(path, { force: true });
      };
      try {
        if (received && path) await deps.disk.with(received.bytes.length, () => writeDurably(path, received.bytes));
        const input = { id, state: 'GIVEN' as const, version, date, document };
        const step = await participation.setConsent({ ...input, ...params }, changeBy(caller));
        // The same request again: its document is stored under the name of the first.
        if (document && step.documentFile !== document.file) await removeFile();
        return createdOf(step);
      } catch (error) {
        await removeFile();
        throw error;
      }
    },
    voidConsent: async ({ params, body, caller }) =>
      createdOf(await participation.setConsent({ ...body, ...params, state: 'VOID' }, changeBy(caller))),
    getConsentDocument: async ({ params: { subjectId, stepId }, request }) => {
      await documentOfStep(stepId, subjectId);
      return signedUrlOf(deps, request, `/api/v1/files/consents/${stepId}/document`);
    },
    downloadConsentDocument: async ({ params: { stepId }, response }) => {
      const { file, mimeType } = await documentOfStep(stepId);
      const path = join(deps.imagesDir, file);
      await sendFile(response, path, mimeType, `inline; filename="consent${extname(file)}"`);
      return SENT;
    },
    setSubjectGroup: async ({ params, body, caller }) =>
      createdOf(await participation.setGroup({ ...body, ...params }, changeBy(caller))),
    setVisit: async ({ params, body, caller }) =>
      createdOf(await participation.setVisit({ ...body, ...params }, changeBy(caller))),
  };
}
