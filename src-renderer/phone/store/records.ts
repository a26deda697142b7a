/** What the phone keeps. Times of the subject's actions are stamps by the phone's clock; `...Ts` are by the site's. */
import type { RouteId, Routes } from '../../../src-server/api/contract/index.ts';
import type { ResponseOf } from '../../../src-server/api/contract/route.ts';
import type { Outgoing } from '../../../src-server/phone-protocol/batch.ts';
import type { Stamp } from '../clock/epochs.ts';
import type { DraftAnswer } from '../model.ts';

type Answer<K extends RouteId> = ResponseOf<Routes[K]>;

export interface Session {
  siteId: string;
  siteName: string;
  studyId: string;
  subjectId: string;
  credentialId: string;
  token: string;
}

export type DayRecord = Answer<'getPhoneProgram'>['days'][number];
export type TaskRecord = Answer<'listPhoneTasks'>['items'][number];
export type KeptSensor = Answer<'listPhoneSensors'>['items'][number];

type SiteMessage = Answer<'listPhoneMessages'>['items'][number];
/** The signed address of a picture is of use for an hour only. */
export type KeptMessage = SiteMessage;

export interface DraftMarkRecord {
  id: string;
  displayName: string;
  start: Stamp;
  stop: Stamp;
}

export interface DraftRecord {
  id: string;
  taskId: string;
  date: string;
  /** Start of the window, by the site's clock. */
  intendedTs?: number;
  opened: Stamp;
  started?: Stamp;
  stopped?: Stamp;
  /** Running time before the present run, by the monotonic clock. */
  elapsedMs: number;
  running?: Stamp;
  answers: Record<string, DraftAnswer>;
  position: number;
  marks: DraftMarkRecord[];
}

/** A report as the subject made it; it gets its final text when it is first sent, as its clock may be known only then. */
export interface ReportContent {
  taskId: string;
  date: string;
  intendedTs?: number;
  opened: Stamp;
  started: Stamp;
  stopped: Stamp;
  completed: Stamp;
  answers: ({ questionId: string; value: string } | { questionId: string; skipped: true })[];
  marks: DraftMarkRecord[];
}

export interface MessageContent {
  body: string;
  created: Stamp;
  problem?: { kind: string; sensorSerial?: string };
  image?: { id: string; base64: string };
}

interface OutboxBase {
  /** Given by the store. */
  sequence?: number;
  id: string;
  title: string;
  created: Stamp;
  /** The text that every attempt sends; absent before the first one. */
  json?: string;
  /** The site refused it permanently. */
  refused?: { code: string; message: string };
}

export type OutboxRecord = OutboxBase &
  ({ kind: 'REPORT'; report: ReportContent } | { kind: 'MESSAGE'; message: MessageContent } | { kind: 'READ' });

export const outgoing = ({ id, kind, json }: OutboxRecord & { json: string }): Outgoing => ({ id, kind, json });

/** Every instant by the phone's clock that a draft or a queued item holds. */
export function stampsOf(record: DraftRecord | OutboxRecord): Stamp[] {
  if (!('kind' in record)) return timesOf(record);
  return [record.created, ...(record.kind === 'REPORT' ? timesOf(record.report) : [])];
}

function timesOf(item: DraftRecord | ReportContent): Stamp[] {
  const { opened, started, stopped, marks } = item;
  const last = 'completed' in item ? item.completed : item.running;
  return [opened, started, stopped, last, ...marks.flatMap(({ start, stop }) => [start, stop])].filter(
    (stamp) => stamp !== undefined,
  );
}
