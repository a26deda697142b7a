/**
 * Everything that the site holds on one subject in one ZIP, for the subject (GDPR 15 and 20): a cover in plain words, tables as JSON
 * and CSV, recordings as EDF+ and as stored. It holds nothing of any other subject. Memory does not grow with the data.
 */
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { extname, join } from 'node:path';
import {
  ArrayPool,
  type AuditRecord,
  type StudyDetailRecord,
  type SubjectRecord,
  type SubjectRow,
} from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { metricsCsv } from '../../stored-analytics/csv.ts';
import { DayChannels } from '../../stored-analytics/day-channels.ts';
import { type DayClock, midnightWindowsBetween } from '../../study/day-windows.ts';
import { metricDictionary } from '../study-archive/tables.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { type MemberContent, type WrittenMember, ZipWriter } from '../zip-writer.ts';
import { COVER_LANGUAGES, type CoverFacts, coverFile, coverPage } from './cover.ts';
import { OtherPeople } from './other-people.ts';
import { addRecording, samplesOf } from './recordings.ts';

/** @throws NOT_FOUND (the subject is gone), CANCELLED, DISK_FULL and other errors of writing */
export const writeSubjectData: StudyExportWriter = async (context, options, out) => {
  const { store } = context;
  const [subjectId] = options.subjectIds ?? [];
  const subject = subjectId === undefined ? undefined : await store.subjects.get(subjectId);
  const study = await store.studies.getDetail(options.studyId);
  if (!subject || !study || subject.studyId !== options.studyId)
    throw new OutpostError('NOT_FOUND', 'There is no such subject. It may have been erased.');
  const others = await OtherPeople.than(subject, store);
  const zip = new ZipWriter(out, 'many');
  try {
    return await new SubjectData({ context, options, subject, study, others, zip }).write();
  } catch (thrown) {
    zip.abort(thrown instanceof Error ? thrown : new Error(String(thrown)));
    throw thrown;
  }
};

interface Scope {
  context: StudyExportContext;
  options: StudyExportOptions;
  subject: SubjectRecord;
  study: StudyDetailRecord;
  others: OtherPeople;
  zip: ZipWriter;
}

type Slices = Iterable<readonly object[]> | AsyncIterable<readonly object[]>;

const AUDIT_PAGE = 500;

class SubjectData {
  readonly #scope: Scope;
  readonly #members: WrittenMember[] = [];
  #done = 0;
  #total = 0;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  async write(): Promise<StudyExportFacts> {
    const { context, subject, zip } = this.#scope;
    const { store } = context;
    const zones = await store.subjects.zones(subject.id);
    const recordings = await store.recordings.listForSubject(subject.id);
    const dates = new Set<string>();
    for (const { startUs, stopUs } of recordings)
      for (const { date } of midnightWindowsBetween(startUs / 1000, stopUs / 1000, zones)) dates.add(date);
    this.#total = 1 + dates.size + recordings.reduce((sum, row) => sum + samplesOf(row), 0);
    const facts = await this.#facts(recordings.length);
    for (const language of COVER_LANGUAGES) await this.#add(coverFile(language), [coverPage(language, facts)]);
    await this.#records(zones, facts);
    this.#advance(1, 'writing records');
    await this.#metrics([...dates].sort(), zones);
    const files: SubjectRow[] = [];
    for (const row of recordings) {
      const before = this.#done;
      const samples = samplesOf(row);
      const { members, problem } = await addRecording(context, zip, row, this.#scope.others, (done) =>
        this.#advance(before + Math.min(done, samples) - this.#done, 'writing recordings'),
      );
      this.#members.push(...members);
      this.#advance(before + samples - this.#done, 'writing recordings');
      files.push({
        recordingId: row.id,
        files: members.map(({ path }) => path),
        ...(problem !== undefined && { problem }),
      });
    }
    await this.#add('recordings/files.json', this.#json([files]));
    await this.#add('manifest.json', [this.#manifest(facts)]);
    return {
      ...(await zip.finish()),
      subjects: 1,
      recordings: recordings.length,
      withheld: this.#scope.others.withheld,
    };
  }

  #advance(steps: number, step: string): void {
    this.#scope.context.throwIfCancelled();
    this.#done += steps;
    this.#scope.context.progress(this.#done, this.#total, step);
  }

  async #add(path: string, content: MemberContent): Promise<void> {
    this.#scope.context.throwIfCancelled();
    this.#members.push(await this.#scope.zip.add(path, content));
  }

  /** One JSON list of all slices, without other subjects. */
  async *#json(slices: Slices): AsyncGenerator<string> {
    let separator = '[';
    for await (const slice of slices) {
      this.#scope.context.throwIfCancelled();
      for (const row of await this.#scope.others.without(slice)) {
        yield `${separator}\n${JSON.stringify(row)}`;
        separator = ',';
      }
    }
    yield separator === '[' ? '[]\n' : '\n]\n';
  }

  async #facts(recordings: number): Promise<CoverFacts> {
    const { context, options, subject, study } = this.#scope;
    const { store } = context;
    const account = await store.accounts.get(study.accountId);
    const members = await store.studies.members(study.id);
    const roles = new Map<string, number>();
    for (const { role } of members) roles.set(role, (roles.get(role) ?? 0) + 1);
    return {
      code: subject.displayName,
      study: { displayName: study.displayName, title: study.title },
      organisation: account?.displayName ?? '',
      requestedTs: options.requestedTs,
      dataTs: options.dataTs,
      roles: [...roles].map(([role, count]) => ({ role, count })),
      receivers: await store.subjectData.webhooksOf(study.accountId, study.id),
      exports: (await store.subjectData.exportsWith(subject.id, study.id)).filter(({ id }) => id !== options.exportId)
        .length,
      recordings,
    };
  }

  async #records(zones: DayClock, facts: CoverFacts): Promise<void> {
    const { context, options, subject, study, others } = this.#scope;
    const { store } = context;
    const { subjectData } = store;
    const about = await others.without({
      subject,
      timeZones: zones,
      study: {
        id: study.id,
        displayName: study.displayName,
        title: study.title,
        startedTs: study.startedTs,
        stoppedTs: study.stoppedTs,
      },
      organisation: facts.organisation,
      access: facts.roles,
      receivers: facts.receivers,
    });
    await this.#add('subject.json', [`${JSON.stringify(about, null, 2)}\n`]);
    const list = (path: string, slices: Slices) => this.#add(path, this.#json(slices));
    await list('annotations.json', subjectData.slices('annotation', subject.id));
    await list('corrections.json', subjectData.slices('correction', subject.id));
    await list('faults.json', subjectData.slices('fault', subject.id));
    await list('equipment.json', [await subjectData.equipment(subject.id)]);
    await list('devices.json', subjectData.slices('deviceCredential', subject.id));
    await list('sign-in-tokens.json', subjectData.slices('subjectToken', subject.id));
    await list('uploads.json', subjectData.slices('deviceUpload', subject.id));
    await list('transfers.json', subjectData.slices('transfer', subject.id));
    await list('recordings.json', subjectData.slices('recording', subject.id));
    await list('signatures.json', [await store.signatures.shown(study.id, { subjectId: subject.id })]);
    await list('events.json', subjectData.events(subject.id));
    await list('exports.json', [await subjectData.exportsWith(subject.id, options.studyId)]);
    await list('audit.json', this.#audit());
    await list('messages.json', subjectData.slices('message', subject.id));
    await list('notes.json', subjectData.slices('note', subject.id));
    await list('note-versions.json', subjectData.slices('noteVersion', subject.id));
    await list('queries.json', subjectData.slices('dataQuery', subject.id));
    await list('query-steps.json', subjectData.slices('dataQueryStep', subject.id));
    await list('participation.json', subjectData.slices('participationStep', subject.id));
    await list('visits.json', subjectData.slices('visit', subject.id));
    await this.#pictures();
    await this.#documents();
  }

  /** The documents of consents: they are the subject's own. */
  async #documents(): Promise<void> {
    const { context, subject } = this.#scope;
    for (const { documentFile } of await context.store.participation.steps(subject.id)) {
      if (documentFile === undefined) continue;
      const path = join(context.imagesDir, documentFile);
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      if (isThere) await this.#add(`consents/${documentFile}`, createReadStream(path));
    }
  }

  async #pictures(): Promise<void> {
    const { context, subject } = this.#scope;
    for await (const slice of context.store.subjectData.slices('message', subject.id)) {
      for (const { imageFile } of slice) {
        if (typeof imageFile !== 'string') continue;
        const path = join(context.imagesDir, imageFile);
        const isThere = await access(path).then(
          () => true,
          () => false,
        );
        if (isThere && extname(imageFile) !== '') await this.#add(`messages/${imageFile}`, createReadStream(path));
      }
    }
  }

  /** Newest first. Staff are named by their ids alone: who they are is not the subject's data. */
  async *#audit(): AsyncGenerator<SubjectRow[]> {
    const { context, subject } = this.#scope;
    let beforeSequence: number | undefined;
    for (;;) {
      const page: AuditRecord[] = await context.store.audit.list({
        subjectId: subject.id,
        limit: AUDIT_PAGE,
        ...(beforeSequence !== undefined && { beforeSequence }),
      });
      if (page.length > 0) yield page.map((entry) => ({ ...entry }));
      if (page.length < AUDIT_PAGE) return;
      beforeSequence = page.at(-1)!.sequence;
    }
  }

  async #metrics(dates: readonly string[], zones: DayClock): Promise<void> {
    const { context, subject } = this.#scope;
    const { store } = context;
    await this.#add('metrics/daily.csv', [metricsCsv(await store.analytics.days(subject.id))]);
    const without = await store.analytics.uncorrectedDays(subject.id);
    if (without.length > 0) await this.#add('metrics/daily-uncorrected.csv', [metricsCsv(without)]);
    await this.#add('metrics/dictionary.csv', [metricDictionary()]);
    const channels = new DayChannels(store, subject.id, zones, { pool: new ArrayPool() });
    try {
      for (const date of dates) {
        const csv = await channels.csv(date);
        if (csv !== undefined) await this.#add(`metrics/minutes/${date}.csv`, [csv]);
        this.#advance(1, 'writing days');
      }
    } finally {
      channels.release();
    }
  }

  #manifest(facts: CoverFacts): string {
    const { options, subject, study, others } = this.#scope;
    const manifest = {
      format: 'outpost-subject-data',
      formatVersion: 1,
      exportId: options.exportId,
      subjectId: subject.id,
      studyId: study.id,
      requestedTs: facts.requestedTs,
      dataTs: facts.dataTs,
      textsWithheld: others.withheld,
      auditReceipt: options.auditReceipt,
      files: this.#members,
    };
    return `${JSON.stringify(manifest, null, 2)}\n`;
  }
}
