/**
 * A study's recordings as a BIDS dataset (Brain Imaging Data Structure 1.10): one session per subject and local date on
 * which a recording began. ECG and other potentials lie in `beh/` as `_physio`, acceleration and rotation in `motion/`.
 */
import { join } from 'node:path';
import type { RecordingRecord, StudyDetailRecord } from '../../db/index.ts';
import { openSignalFile, type SignalFile } from '../../signals/index.ts';
import { addDays, type DayClock, formatOffset, localDateAt, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import { exportedSubjects } from '../study-export/subjects.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { toldProblems, unreadable } from '../study-export/unreadable.ts';
import { BIDS_VERSION, instantText, jsonText, stemOf, tsvRow, uniqueLabels } from './names.ts';
import { type BidsParticipant, participantColumns, participantsTsv, readmeOf } from './participants.ts';
import { channelLabel, isMotion, runFiles, stretchesOf } from './runs.ts';

const DAY_MS = 86_400_000;
/** BIDS asks for shifted dates to lie in 1925 or before; a hundred years in whole weeks on top of the shift. */
const FURTHER_SHIFT_MS = -5218 * 7 * DAY_MS;

/** @throws NOT_FOUND (study), CANCELLED, and what writing throws (DISK_FULL) */
export const writeBidsStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  return await new BidsStudy(context, options, study, new StudyZip(context, out, '.gz')).write();
};

/** One session while it is written. */
interface Session {
  subject: string;
  label: string;
  /** Runs so far of each tracking system or kind of recording. */
  runs: Map<string, number>;
  scans: string[];
  startUs: number;
}

class BidsStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #study: StudyDetailRecord;
  readonly #zip: StudyZip;

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: StudyZip) {
    this.#context = context;
    this.#options = options;
    this.#study = study;
    this.#zip = zip;
  }

  async write(): Promise<StudyExportFacts> {
    const { store, progress } = this.#context;
    return await this.#zip.complete(async () => {
      const participants = await this.#participants();
      await this.#dataset(participants);
      let recordings = 0;
      for (const [i, participant] of participants.entries()) {
        const clock = await store.subjects.zones(participant.subject.id);
        recordings += await this.#subject(participant, clock);
        progress(i + 1, participants.length, 'writing subjects');
      }
      await this.#zip.add('outpost.json', [this.#manifest()]);
      return { subjects: participants.length, recordings };
    });
  }

  async #participants(): Promise<BidsParticipant[]> {
    const { deidentify } = this.#options;
    const subjects = await exportedSubjects(this.#context, this.#options);
    const names = subjects.map((one) => deidentify?.code('subject', one.id) ?? one.displayName);
    const labels = uniqueLabels(names, 'subject');
    return subjects.map((subject, i) => ({ subject, label: labels[i]!, name: names[i]! }));
  }

  async #dataset(participants: readonly BidsParticipant[]): Promise<void> {
    const { deidentify } = this.#options;
    const name = deidentify ? `Study ${deidentify.code('study', this.#study.id)}` : this.#study.displayName;
    const description = {
      Name: name,
      BIDSVersion: BIDS_VERSION,
      DatasetType: 'raw',
      GeneratedBy: [{ Name: 'Outpost' }],
    };
    await this.#zip.add('dataset_description.json', [jsonText(description)]);
    await this.#zip.add('README', [readmeOf(name, deidentify !== null)]);
    await this.#zip.add('.bidsignore', ['outpost.json\n']);
    await this.#zip.add('participants.tsv', [participantsTsv(participants, deidentify !== null)]);
    await this.#zip.add('participants.json', [jsonText(participantColumns(deidentify !== null))]);
  }

  /** Added to every instant of a subject, ms. */
  #shiftMs(subjectId: string): number {
    const { deidentify } = this.#options;
    return deidentify ? deidentify.shiftMs(subjectId) + FURTHER_SHIFT_MS : 0;
  }

  /** Writes a subject's sessions; answers how many recordings there are. */
  async #subject({ subject, label }: BidsParticipant, clock: DayClock): Promise<number> {
    const { store, signalsDir } = this.#context;
    const { deidentify, asOfTs } = this.#options;
    const shiftMs = this.#shiftMs(subject.id);
    const rows = (await store.recordings.listForSubject(subject.id)).filter(
      ({ createdTs, status }) => createdTs <= asOfTs && status === 'COMPLETE',
    );
    const sessions: Session[] = [];
    let written = 0;
    for (const row of rows) {
      const date = addDays(localDateAt(row.startUs / 1000, clock), shiftMs / DAY_MS).replaceAll('-', '');
      let session = sessions.at(-1);
      if (session?.label !== date) {
        if (session) await this.#scans(session);
        session = { subject: label, label: date, runs: new Map(), scans: [], startUs: row.startUs };
        sessions.push(session);
      }
      const recordingId = deidentify?.code('recording', row.id) ?? row.id;
      const path = join(signalsDir, `${row.id}.sig`);
      const problem = await unreadable(path);
      if (problem !== undefined) {
        this.#zip.problems.push({ recordingId, problems: [problem] });
        continue;
      }
      const file = await openSignalFile(path);
      try {
        await this.#recording(session, row, file, clock);
        if (file.problems.length > 0) {
          this.#zip.problems.push({ recordingId, problems: toldProblems(file.problems, deidentify !== null) });
        }
      } finally {
        await file.close();
      }
      written++;
    }
    const last = sessions.at(-1);
    if (last) await this.#scans(last);
    if (sessions.length > 0) await this.#sessions(label, sessions, shiftMs);
    return written;
  }

  async #recording(session: Session, row: RecordingRecord, file: SignalFile, clock: DayClock): Promise<void> {
    const { deidentify } = this.#options;
    const udid = deidentify?.code('equipment', row.udid) ?? row.udid;
    const recordingId = deidentify?.code('recording', row.id) ?? row.id;
    const shiftUs = this.#shiftMs(row.subjectId) * 1000;
    for (const [index, channel] of file.header.channels.entries()) {
      const label = channelLabel(file, channel);
      for (const stretch of stretchesOf(file, index)) {
        const run = (session.runs.get(label) ?? 0) + 1;
        session.runs.set(label, run);
        const entity = isMotion(channel) ? { tracksys: label } : { recording: label };
        const stem = stemOf({ subject: session.subject, session: session.label, run, ...entity });
        const folder = isMotion(channel) ? 'motion' : 'beh';
        const { throwIfCancelled } = this.#context;
        const files = runFiles({ file, channel: index, stretch, label, udid, throwIfCancelled });
        for (const { suffix, content } of files) {
          await this.#zip.add(`sub-${session.subject}/ses-${session.label}/${folder}/${stem}${suffix}`, content);
        }
        const startMs = stretch.firstUs / 1000;
        session.scans.push(
          tsvRow([
            `${folder}/${stem}${files[0]!.suffix}`,
            instantText(stretch.firstUs + shiftUs),
            formatOffset(offsetMsAt(startMs, zoneAt(startMs, clock))),
            recordingId,
          ]),
        );
      }
    }
  }

  async #scans({ subject, label, scans }: Session): Promise<void> {
    if (scans.length === 0) return;
    const stem = `sub-${subject}/ses-${label}/sub-${subject}_ses-${label}_scans`;
    await this.#zip.add(`${stem}.tsv`, [tsvRow(['filename', 'acq_time', 'utc_offset', 'recording_id']), ...scans]);
    await this.#zip.add(`${stem}.json`, [
      jsonText({
        utc_offset: { Description: "What the subject's clock showed beyond UTC at acq_time" },
        recording_id: { Description: 'The recording of one sensor that the file is part of' },
      }),
    ]);
  }

  async #sessions(subject: string, sessions: readonly Session[], shiftMs: number): Promise<void> {
    const written = sessions.filter(({ scans }) => scans.length > 0);
    if (written.length === 0) return;
    await this.#zip.add(`sub-${subject}/sub-${subject}_sessions.tsv`, [
      tsvRow(['session_id', 'acq_time']),
      ...written.map(({ label, startUs }) => tsvRow([`ses-${label}`, instantText(startUs + shiftMs * 1000)])),
    ]);
  }

  #manifest(): string {
    const { deidentify, asOfTs, dataTs } = this.#options;
    return jsonText({
      format: 'outpost-study-bids',
      formatVersion: 1,
      isDeidentified: deidentify !== null,
      ...(deidentify ? {} : { requestedTs: asOfTs, dataTs }),
      problems: this.#zip.problems,
      files: this.#zip.members,
    });
  }
}
