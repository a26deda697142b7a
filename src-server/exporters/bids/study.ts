/**
 * A study's recordings as a BIDS dataset (Brain Imaging Data Structure 1.10): one session per subject and local date on
 * which a recording began. ECG and other potentials lie in `beh/` as `_physio`, acceleration and rotation in `motion/`, and what was
 * computed from them in `derivatives/outpost/`.
 */

import { join } from 'node:path';
import type { RecordingRecord, StudyDetailRecord } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { openSignalFile, type SignalFile } from '../../signals/index.ts';
import { type DayClock, localDateAt, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import { VERSION } from '../../version.ts';
import { beatChannelOf } from '../beats/recording-beats.ts';
import { beatOriginOf, requestedBeats } from '../beats/requested.ts';
import { decisionsInManifest } from '../study-export/data-decisions.ts';
import { DEFINITION, ZONE } from '../study-export/disclosure.ts';
import { ExportView, offsetAt } from '../study-export/export-view.ts';
import { untilOf } from '../study-export/exported-recordings.ts';
import type { Part } from '../study-export/part-file.ts';
import { type PartRequest, StudyParts } from '../study-export/parts.ts';
import { exportedSignatures, signatureRows } from '../study-export/signatures.ts';
import { snakeOf } from '../study-export/snake-case.ts';
import { exportedStudy, StudyZip } from '../study-export/study-zip.ts';
import type { SubjectFrame } from '../study-export/subject-frame.ts';
import { exportedSubjects } from '../study-export/subjects.ts';
import type {
  StudyExportContext,
  StudyExportFacts,
  StudyExportOptions,
  StudyExportWriter,
} from '../study-export/types.ts';
import { disclosedProblems, unreadable } from '../study-export/unreadable.ts';
import { declaredText } from './declared.ts';
import { Derivatives } from './derivatives.ts';
import { addEvent, eventsOf, eventsSidecar, noEvents, type SessionEvents } from './events.ts';
import { BIDS_PYTHON, BIDS_R } from './load-scripts.ts';
import {
  BIDS_VERSION,
  instantText,
  jsonText,
  SCANS_HEADER,
  scansSidecar,
  stemOf,
  TASK,
  tsvRow,
  uniqueLabels,
} from './names.ts';
import { type BidsParticipant, participantColumns, participantsTsv, readmeOf } from './participants.ts';
import { BEATS_MEMBER, channelLabel, isMotion, runFiles, type Segment, segmentsOf } from './runs.ts';
import { type Placed, placeRuns, type Run } from './session-runs.ts';

/** BIDS requires shifted dates to lie in 1925 or before: another hundred years in whole weeks. */
const FURTHER_SHIFT_MS = -5218 * 7 * DAY_MS;

/** @throws NOT_FOUND (study), CANCELLED, DISK_FULL and other errors of writing */
export const writeBidsStudy: StudyExportWriter = async (context, options, out) => {
  const study = await exportedStudy(context, options);
  return await new BidsStudy(
    context,
    options,
    study,
    new StudyZip(context, out, options.deidentify ? declaredText : undefined),
  ).write();
};

/** The recordings of one subject that began on one local date. */
interface Session {
  subject: string;
  label: string;
  rows: RecordingRecord[];
}

interface WrittenSession {
  label: string;
  startUs: number;
}

/** A segment of one channel of one recording. */
interface SessionSegment extends Segment {
  label: string;
  row: RecordingRecord;
  channel: number;
  folder: 'motion' | 'beh';
}

class BidsStudy {
  readonly #context: StudyExportContext;
  readonly #options: StudyExportOptions;
  readonly #zip: StudyZip;
  readonly #view: ExportView;
  readonly #derivatives: Derivatives;
  #hasEvents = false;

  constructor(context: StudyExportContext, options: StudyExportOptions, study: StudyDetailRecord, zip: StudyZip) {
    this.#context = context;
    this.#options = options;
    this.#zip = zip;
    this.#view = new ExportView(study, options, context);
    this.#derivatives = new Derivatives(context, options, this.#view, zip);
  }

  async write(): Promise<StudyExportFacts> {
    return await this.#zip.complete(async () => {
      const participants = await this.#participants();
      const parts = await StudyParts.start('BIDS', () => this.#requests(participants), this.#context);
      try {
        return await this.#members(participants, parts);
      } finally {
        await parts.close();
      }
    });
  }

  async #members(
    participants: readonly BidsParticipant[],
    parts: StudyParts,
  ): Promise<{ subjects: number; recordings: number }> {
    const { store } = this.#context;
    const name = await this.#dataset();
    let recordings = 0;
    const present: BidsParticipant[] = [];
    for (const participant of participants) {
      const zones = await store.subjects.zones(participant.subject.id);
      const frame = this.#frame(participant, zones);
      const written = await this.#subject(participant, frame, parts);
      if (written > 0) {
        present.push(participant);
        const { subject, label } = participant;
        await this.#derivatives.tables(label, {
          ...{ subject, zones, frame, id: label },
          untilMs: untilOf(this.#context, subject.id),
        });
      }
      recordings += written;
    }
    await this.#participantTables(present);
    await this.#signatures(participants);
    await this.#derivatives.finish(name);
    // BIDS forbids a sidecar without a file that it describes.
    if (this.#hasEvents) await this.#zip.add(`task-${TASK}_events.json`, [eventsSidecar(TASK)]);
    await this.#zip.add('outpost.json', [this.#manifest()]);
    return { subjects: participants.length, recordings };
  }

  async #participants(): Promise<BidsParticipant[]> {
    const view = this.#view;
    const subjects = await exportedSubjects(this.#context, this.#options);
    const names = subjects.map((one) => (view.isDeidentified ? view.id('subject', one.id) : one.displayName));
    const labels = uniqueLabels(names, 'subject');
    const shown = (text: string | undefined) => view.show(DEFINITION, text, null) as string | undefined;
    return subjects.map((subject, i) => ({
      ...{ subject, label: labels[i]!, name: names[i]! },
      group: shown(subject.participation?.group),
      stratum: shown(subject.participation?.stratum),
    }));
  }

  /** Writes what describes the dataset; returns its name. */
  async #dataset(): Promise<string> {
    const { isDeidentified, study } = this.#view;
    const name = isDeidentified ? `Study ${this.#view.id('study', study.id)}` : study.displayName;
    const description = {
      Name: name,
      BIDSVersion: BIDS_VERSION,
      DatasetType: 'raw',
      GeneratedBy: [{ Name: 'Outpost', Version: VERSION }],
    };
    await this.#zip.add('dataset_description.json', [jsonText(description)]);
    await this.#zip.add('README', [readmeOf(name, isDeidentified ? this.#options.words : null)]);
    await this.#zip.add('.bidsignore', ['outpost.json\nsignatures.tsv\n']);
    await this.#zip.add('code/load.py', [BIDS_PYTHON]);
    await this.#zip.add('code/load.R', [BIDS_R]);
    return name;
  }

  /** Only participants with a folder: BIDS forbids others. */
  async #participantTables(participants: readonly BidsParticipant[]): Promise<void> {
    const { isDeidentified } = this.#view;
    await this.#zip.add('participants.tsv', [participantsTsv(participants, isDeidentified)]);
    await this.#zip.add('participants.json', [jsonText(participantColumns(participants, isDeidentified))]);
  }

  /** Not a file of BIDS: the column names are those of the other formats in its style. */
  async #signatures(participants: readonly BidsParticipant[]): Promise<void> {
    const frames = new Map<string, SubjectFrame>();
    for (const participant of participants) {
      const { id } = participant.subject;
      frames.set(id, this.#frame(participant, await this.#context.store.subjects.zones(id)));
    }
    const rows: string[] = [];
    const signatures = exportedSignatures(this.#context, this.#options, frames);
    for await (const cells of signatureRows(this.#view, signatures))
      rows.push(tsvRow(rows.length > 0 ? cells : cells.map(snakeOf)));
    await this.#zip.add('signatures.tsv', rows);
  }

  /** Times of a subject; shifted ones lie in 1925 or before. */
  #frame({ subject }: BidsParticipant, zones: DayClock): SubjectFrame {
    const frame = this.#view.frame(subject, zones);
    if (!this.#view.isDeidentified) return frame;
    return {
      ...frame,
      shiftMs: frame.shiftMs + FURTHER_SHIFT_MS,
      shiftDays: frame.shiftDays + FURTHER_SHIFT_MS / DAY_MS,
    };
  }

  /** Complete recordings of a subject that existed at the time of the request. */
  async #rows({ subject }: BidsParticipant): Promise<RecordingRecord[]> {
    const { asOfTs } = this.#options;
    return (await this.#context.store.recordings.listForSubject(subject.id)).filter(
      ({ createdTs, status }) => createdTs <= asOfTs && status === 'COMPLETE',
    );
  }

  async *#requests(participants: readonly BidsParticipant[]): AsyncGenerator<PartRequest> {
    for (const participant of participants) {
      const frame = this.#frame(participant, await this.#context.store.subjects.zones(participant.subject.id));
      const view = this.#view.signalView(frame);
      for (const row of await this.#rows(participant)) {
        const hasBeats = beatOriginOf(row) !== undefined;
        yield { row, view, ...(hasBeats && { beats: await requestedBeats(this.#context, this.#view, row) }) };
      }
    }
  }

  /** Writes a subject's sessions; answers how many recordings there are. */
  async #subject(participant: BidsParticipant, frame: SubjectFrame, parts: StudyParts): Promise<number> {
    const { label } = participant;
    const rows = await this.#rows(participant);
    const sessions: Session[] = [];
    for (const row of rows) {
      const date = this.#view.date(localDateAt(row.startUs / 1000, frame.clock), frame).replaceAll('-', '');
      const last = sessions.at(-1);
      if (last?.label === date) last.rows.push(row);
      else sessions.push({ subject: label, label: date, rows: [row] });
    }
    let written = 0;
    const present: WrittenSession[] = [];
    for (const session of sessions) {
      const { recordings, startUs } = await this.#session(session, frame, parts);
      written += recordings;
      if (startUs !== null) present.push({ label: session.label, startUs });
    }
    await this.#sessions(label, present, frame);
    return written;
  }

  /** Opens a recording for `use`; undefined when it cannot be read, which the manifest then lists. */
  async #open<T>(
    row: RecordingRecord,
    frame: SubjectFrame,
    use: (file: SignalFile) => T | Promise<T>,
  ): Promise<T | undefined> {
    const path = join(this.#context.signalsDir, `${row.id}.sig`);
    const problem = await unreadable(path);
    if (problem !== undefined) return undefined;
    const file = await openSignalFile(path, this.#view.signalView(frame));
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** Stretches of all recordings of a session, from their indexes. */
  async #segments({ rows }: Session, frame: SubjectFrame): Promise<SessionSegment[]> {
    const found: SessionSegment[] = [];
    for (const row of rows) {
      this.#context.throwIfCancelled();
      await this.#open(row, frame, (file) => {
        for (const [channel, described] of file.header.channels.entries()) {
          const label = channelLabel(file, described);
          const folder = isMotion(described) ? 'motion' : 'beh';
          for (const segment of segmentsOf(file, channel)) found.push({ ...segment, label, row, channel, folder });
        }
      });
    }
    return found;
  }

  /** Writes a session; answers how many recordings it has, and when its first sample was. */
  async #session(
    session: Session,
    frame: SubjectFrame,
    parts: StudyParts,
  ): Promise<{ recordings: number; startUs: number | null }> {
    const { placed, runs } = placeRuns(await this.#segments(session, frame));
    const scans: string[] = [];
    const beats: string[] = [];
    const runsOf = new Map<string, number>();
    const zeros = new Map<string, number>();
    for (const { segment, run } of placed) {
      const key = `${segment.folder} ${run}`;
      zeros.set(key, Math.min(zeros.get(key) ?? segment.firstUs, segment.firstUs));
    }
    let recordings = 0;
    for (const row of session.rows) {
      const recordingId = this.#view.id('recording', row.id);
      const part = await parts.take(row.id);
      if ('problem' in part) {
        this.#zip.problems.push({ recordingId, problems: [part.problem] });
        continue;
      }
      const own = placed.filter(({ segment }) => segment.row === row);
      try {
        await this.#open(row, frame, async (file) => {
          for (const one of own) scans.push(await this.#run(session, file, part, one, zeros, frame));
          const found = beatChannelOf(file);
          if (!found || !part.names.includes(BEATS_MEMBER)) return;
          const label = channelLabel(file, file.header.channels[found.index]!);
          const run = (runsOf.get(label) ?? 0) + 1;
          runsOf.set(label, run);
          const place = { subject: session.subject, session: session.label, label, run };
          const { method } = await requestedBeats(this.#context, this.#view, row);
          const name = await this.#derivatives.beats(place, part, method, found.origin);
          beats.push(tsvRow([name, ...this.#instant(file.startUs, frame), recordingId]));
        });
        if (part.problems.length > 0) {
          const problems = disclosedProblems(part.problems, this.#view.isDeidentified);
          this.#zip.problems.push({ recordingId, problems });
        }
      } finally {
        await part.close();
      }
      recordings++;
    }
    await this.#events(session, runs, zeros, frame);
    await this.#scans(session, scans);
    await this.#derivatives.scans({ subject: session.subject, session: session.label }, beats);
    return { recordings, startUs: scans.length > 0 ? placed[0]!.segment.firstUs : null };
  }

  /** Writes the files of one run of a sensor; returns its row of the session's scans. */
  async #run(
    session: Session,
    file: SignalFile,
    part: Part,
    { segment, run, part: acq }: Placed<SessionSegment>,
    zeros: ReadonlyMap<string, number>,
    frame: SubjectFrame,
  ): Promise<string> {
    const { label, channel, folder, row } = segment;
    const entity = folder === 'motion' ? { tracksys: label } : { recording: label };
    const stem = stemOf({ subject: session.subject, session: session.label, acq, run, ...entity });
    const startSeconds = (segment.firstUs - zeros.get(`${folder} ${run}`)!) / 1e6;
    const udid = row.udid && this.#view.id('equipment', row.udid);
    const files = runFiles({ file, channel, segment, label, udid, startSeconds, part });
    for (const { suffix, content } of files) {
      await this.#zip.add(`sub-${session.subject}/ses-${session.label}/${folder}/${stem}${suffix}`, content);
    }
    const name = `${folder}/${stem}${files[0]!.suffix}`;
    return tsvRow([name, ...this.#instant(segment.firstUs, frame), this.#view.id('recording', row.id)]);
  }

  /** `acq_time` and `utc_offset` of an instant as the export shows it. */
  #instant(shownUs: number, frame: SubjectFrame): [string, string] {
    const trueMs = shownUs / 1000 - frame.shiftMs;
    // Shifted times are local already.
    const offsetMs = this.#view.isDeidentified ? 0 : offsetMsAt(trueMs, zoneAt(trueMs, frame.clock));
    return [instantText(shownUs, offsetMs), this.#view.show(ZONE, offsetAt(trueMs, frame.clock), frame) as string];
  }

  async #events(
    session: Session,
    runs: readonly Run[],
    zeros: ReadonlyMap<string, number>,
    frame: SubjectFrame,
  ): Promise<void> {
    const { asOfTs } = this.#options;
    const first = runs[0];
    const last = runs.at(-1);
    if (!first || !last) return;
    const { subjectId } = session.rows[0]!;
    const { shiftMs } = frame;
    const span = {
      fromTs: Math.floor(first.firstUs / 1000) - shiftMs - DAY_MS,
      toTs: Math.ceil(last.lastUs / 1000) - shiftMs,
    };
    const events: SessionEvents = noEvents();
    for await (const slice of this.#context.store.annotations.slices(subjectId, span)) {
      for (const annotation of slice) {
        if (annotation.createdTs > asOfTs) continue;
        addEvent(events, this.#view.annotation(annotation, frame));
      }
    }
    for (const run of runs) {
      for (const folder of ['beh', 'motion']) {
        const zeroUs = zeros.get(`${folder} ${run.run}`);
        const rows = zeroUs === undefined ? null : eventsOf(events, run, zeroUs);
        if (rows === null) continue;
        this.#hasEvents = true;
        const stem = stemOf({ subject: session.subject, session: session.label, run: run.run });
        await this.#zip.add(`sub-${session.subject}/ses-${session.label}/${folder}/${stem}_events.tsv`, rows);
      }
    }
  }

  async #scans({ subject, label }: Session, scans: readonly string[]): Promise<void> {
    if (scans.length === 0) return;
    const stem = `sub-${subject}/ses-${label}/sub-${subject}_ses-${label}_scans`;
    await this.#zip.add(`${stem}.tsv`, [SCANS_HEADER, ...scans]);
    await this.#zip.add(`${stem}.json`, [scansSidecar('When the first sample was taken')]);
  }

  async #sessions(subject: string, sessions: readonly WrittenSession[], frame: SubjectFrame): Promise<void> {
    if (sessions.length === 0) return;
    await this.#zip.add(`sub-${subject}/sub-${subject}_sessions.tsv`, [
      tsvRow(['session_id', 'acq_time', 'utc_offset']),
      ...sessions.map(({ label, startUs }) => tsvRow([`ses-${label}`, ...this.#instant(startUs, frame)])),
    ]);
    await this.#zip.add(`sub-${subject}/sub-${subject}_sessions.json`, [
      jsonText({ utc_offset: { Description: "What the participant's clock showed beyond UTC at acq_time" } }),
    ]);
  }

  #manifest(): string {
    const { asOfTs, dataTs, auditReceipt } = this.#options;
    const { isDeidentified } = this.#view;
    return jsonText({
      format: 'outpost-study-bids',
      formatVersion: 1,
      isDeidentified,
      ...(isDeidentified ? {} : { requestedTs: asOfTs, dataTs, auditReceipt }),
      ...decisionsInManifest(this.#context, (subjectId) => this.#view.id('subject', subjectId)),
      problems: this.#zip.problems,
      files: this.#zip.members,
    });
  }
}
