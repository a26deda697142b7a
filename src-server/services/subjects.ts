/** Subjects of studies: who may be added and changed when, the audit and events of it, and sign-in tokens of their phones. */
import {
  authorOf,
  type Change,
  newReadableSecret,
  revokeSubjectTokens,
  StudyQueries,
  SubjectQueries,
  type SubjectRecord,
} from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, changesFromNothing } from '../study/changes.ts';
import { requireEdit } from '../study/lifecycle.ts';
import { type JudgedRow, requireWholeTable } from '../study/row-table/outcome.ts';
import { judgeSubjects, readSubjectTable, type SubjectRow } from '../study/row-table/subjects.ts';
import { type MetadataValue, requireSubjectFields } from '../study/subject-fields.ts';
import { nameKeyOf } from '../study/text.ts';
import type { SubjectStatus } from '../vocabulary/participation.ts';
import { Participation } from './participation.ts';

export interface NewSubject {
  id?: string;
  displayName: string;
  timezone: string;
  age?: number;
  gender?: SubjectRecord['gender'];
  height?: number;
  weight?: number;
  dominantHand?: SubjectRecord['dominantHand'];
  metadataFields?: MetadataValue[];
  isTest?: boolean;
  /** SCREENING or ENROLLED; default: screening where the study has consent forms, else enrolled. */
  status?: SubjectStatus;
  /** Default: the creation, when the study runs and the subject is enrolled. */
  programStartTs?: number;
}

/** A table of subjects, judged; rows that were enrolled have an id. */
export interface EnrolledTable {
  columns: { header: string; member?: string }[];
  rows: (JudgedRow<SubjectRow> & { id?: string })[];
}

/** Absent members stay as they are; null clears one. */
export interface SubjectUpdate {
  displayName?: string;
  timezone?: string;
  /** From when the new zone applies; default now. 0 corrects it for all time. */
  timezoneFromTs?: number;
  age?: number | null;
  gender?: SubjectRecord['gender'] | null;
  height?: number | null;
  weight?: number | null;
  dominantHand?: SubjectRecord['dominantHand'] | null;
  metadataFields?: MetadataValue[];
  isHidden?: boolean;
}

export class Subjects extends SubjectQueries {
  /**
   * Adds a subject and writes SUBJECT_CREATED. In a running study its program starts at once.
   * @throws NOT_FOUND (study), STUDY_STATE, INVALID_INPUT with the fields at fault, DUPLICATE_NAME
   */
  async create(studyId: string, input: NewSubject, change: Change): Promise<SubjectRecord> {
    return await this.session.write(async (session) => {
      const study = await new StudyQueries(session).require(studyId);
      requireEdit(study.lifecycleState, 'add-subject');
      requireSubjectFields(input, study.metadataFields);
      const subjects = new Subjects(session);
      await subjects.#requireFreeName(studyId, input.displayName);
      const now = session.clock();
      const { age, gender, height, weight, dominantHand, timezone, metadataFields = [], isTest = false } = input;
      const subject = {
        id: input.id ?? session.newId(),
        studyId,
        displayName: input.displayName.trim(),
        age,
        gender,
        height,
        weight,
        dominantHand,
        timezone,
        metadataFields,
        isTest,
      };
      await subjects.insert({
        ...subject,
        nameKey: nameKeyOf(subject.displayName),
        createdTs: now,
        modifiedTs: now,
        programStartTs: input.programStartTs ?? (study.lifecycleState === 'IN_PROGRESS' ? now : null),
      });
      await subjects.replaceZones(subject.id, [{ fromTs: 0, timezone: subject.timezone }]);
      const status = await new Participation(session).begin(await subjects.require(subject.id), input.status, change);
      // The program begins with the enrolment.
      if (status !== 'ENROLLED') await subjects.patch(subject.id, { programStartTs: null });
      await session.audit(change, {
        action: 'subject.create',
        entityType: 'subject',
        entityId: subject.id,
        studyId,
        subjectId: subject.id,
        changes: changesFromNothing({ ...subject, status }),
      });
      await session.event({
        action: 'SUBJECT_CREATED',
        studyId,
        subjectId: subject.id,
        referenceId: subject.id,
        author: authorOf(change),
      });
      return await subjects.require(subject.id);
    });
  }

  /**
   * Judges a table of subjects row by row, and changes nothing.
   * @param zone time zone of rows without one
   * @throws NOT_FOUND (study), STUDY_STATE, INVALID_INPUT when the text is no table of subjects
   */
  async judgeTable(studyId: string, csv: string, zone: string): Promise<EnrolledTable> {
    const study = await new StudyQueries(this.session).require(studyId);
    requireEdit(study.lifecycleState, 'add-subject');
    const table = readSubjectTable(csv, study.metadataFields);
    const keys = table.rows.map(({ cells }) => nameKeyOf(cells.displayName ?? ''));
    const taken = await this.namesTaken(studyId, keys);
    const { plan } = await new Participation(this.session).plan(studyId);
    const isTaken = (key: string) => taken.has(key);
    return { columns: table.columns, rows: judgeSubjects(table, study.metadataFields, zone, isTaken, plan) };
  }

  /**
   * Enrols every new row of a table of subjects, or none. Rows of subjects that are enrolled stay as they are, so that a table
   * may be sent again.
   * @throws as {@link judgeTable}, and INVALID_INPUT with the rows that cannot be enrolled
   */
  async createFromTable(studyId: string, csv: string, zone: string, change: Change): Promise<EnrolledTable> {
    return await this.session.write(async (session) => {
      const subjects = new Subjects(session);
      const { columns, rows } = await subjects.judgeTable(studyId, csv, zone);
      requireWholeTable(rows);
      const done: EnrolledTable['rows'] = [];
      for (const row of rows)
        done.push(row.input ? { ...row, id: await subjects.#createRow(studyId, row.input, change) } : row);
      return { columns, rows: done };
    });
  }

  async #createRow(studyId: string, { groupId, stratumId, ...input }: SubjectRow, change: Change): Promise<string> {
    const { id } = await this.create(studyId, input, change);
    if (groupId !== undefined || stratumId !== undefined)
      await new Participation(this.session).setGroup({ studyId, subjectId: id, groupId, stratumId }, change);
    return id;
  }

  /** @throws NOT_FOUND, STUDY_STATE, INVALID_INPUT with the fields at fault, DUPLICATE_NAME */
  async update(id: string, fields: SubjectUpdate, change: Change): Promise<SubjectRecord> {
    return await this.session.write(async (session) => {
      const subjects = new Subjects(session);
      const old = await subjects.require(id);
      const study = await new StudyQueries(session).require(old.studyId);
      requireEdit(study.lifecycleState, 'edit-subject');
      requireSubjectFields(fields, study.metadataFields);
      const { timezoneFromTs, ...given } = fields;
      if (given.displayName !== undefined) {
        given.displayName = given.displayName.trim();
        await subjects.#requireFreeName(old.studyId, given.displayName, id);
      }
      const since = timezoneFromTs === undefined ? undefined : (await subjects.zones(id)).at(-1)?.fromTs;
      const changes = changesBetween(
        { ...old, timezoneFromTs: since },
        { ...given, ...(timezoneFromTs !== undefined && { timezoneFromTs }) },
      );
      if (Object.keys(changes).length === 0) return old;
      const now = session.clock();
      const { displayName } = given;
      const nameKey = displayName === undefined ? undefined : nameKeyOf(displayName);
      await subjects.patch(id, { ...given, nameKey, modifiedTs: now });
      if (changes.timezone || changes.timezoneFromTs) {
        await subjects.#moveZone(id, timezoneFromTs ?? now, given.timezone ?? old.timezone);
      }
      await session.audit(change, {
        action: 'subject.update',
        entityType: 'subject',
        entityId: id,
        studyId: old.studyId,
        subjectId: id,
        changes,
      });
      return await subjects.require(id);
    });
  }

  /** Starts the program of every enrolled subject of a study that has no start yet; part of starting the study, whose audit covers it. */
  async startPrograms(studyId: string, programStartTs: number): Promise<void> {
    await this.setProgramStartOfStudy(studyId, programStartTs);
  }

  /** Returns a new sign-in token for the subject's phone, which is not shown again, and revokes earlier ones. @throws NOT_FOUND */
  async createToken(id: string, change: Change): Promise<string> {
    return await this.session.write(async (session) => {
      const subjects = new Subjects(session);
      const subject = await subjects.require(id);
      const token = newReadableSecret();
      await revokeSubjectTokens(session, id);
      await subjects.insertToken(id, token);
      await session.audit(change, {
        action: 'subject.token',
        entityType: 'subject',
        entityId: id,
        studyId: subject.studyId,
        subjectId: id,
      });
      return token;
    });
  }

  async #requireFreeName(studyId: string, displayName: string, exceptId = ''): Promise<void> {
    if (!(await this.hasName(studyId, nameKeyOf(displayName), exceptId))) return;
    throw new OutpostError(
      'DUPLICATE_NAME',
      `The study has a subject called ${displayName.trim()} already. Choose another name.`,
      { errors: [{ path: 'displayName', message: 'This name is taken in the study.' }] },
    );
  }

  /** Lets the subject live in a zone from an instant on. A last period in the same zone is moved there, earlier or later. */
  async #moveZone(subjectId: string, fromTs: number, timezone: string): Promise<void> {
    const periods = (await this.zones(subjectId)).filter((period) => period.fromTs < fromTs);
    while (periods.length > 1 && periods.at(-1)?.timezone === timezone) periods.pop();
    if (periods.at(-1)?.timezone !== timezone) periods.push({ fromTs, timezone });
    await this.replaceZones(subjectId, periods);
    await new Participation(this.session).moveReminders(subjectId);
  }
}
