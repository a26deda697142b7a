/** Builds what screens see from what is stored and what this page knows. */

import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import { recordingOffsetMs } from '../clock/recording-offset.ts';
import type {
  ClockState,
  Connection,
  Phase,
  PhoneMessage,
  PhoneSensor,
  PhoneSnapshot,
  Reach,
  StorageState,
  WaitingItem,
  WipeReason,
} from '../model.ts';
import type { OutboxRecord } from '../store/records.ts';
import { type Contents, NO_CONTENTS } from '../store/store.ts';
import { daysSeen } from './days.ts';
import { draftSeen } from './drafts.ts';
import { localDate } from './local-date.ts';

/** What is not stored. */
export interface PageState {
  phase: Phase;
  wipedBecause?: WipeReason;
  wipedUnsent?: number;
  connection: Connection;
  storage: StorageState;
  reach: Reach;
  updateWaits: boolean;
  version: string;
  /** Object addresses of kept pictures by message, and of queued ones by their own id. */
  pictureUrls: ReadonlyMap<string, string>;
  /** The recording that this page is sending. */
  sendingRecordingId?: string;
}

/** While the phone is locked or signed out, nothing of the subject is in the snapshot. */
export function snapshotOf(stored: Contents, page: PageState, clock: PhoneClock): PhoneSnapshot {
  const contents = page.phase === 'READY' ? stored : NO_CONTENTS;
  const { study } = contents.state;
  const nowTs = clock.siteNow();
  const timeZone = study?.timeZone;
  const today = localDate(nowTs, timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { pictureUrls: _urls, sendingRecordingId, ...rest } = page;
  const isSending = page.connection.state === 'SENDING';
  const messages = messagesSeen(contents, page, clock, isSending);
  const waiting = [
    ...stored.outbox.flatMap((record) => waitingItem(record, clock, isSending)),
    ...stored.recordings.map((row) => waitingRecording(row, clock, sendingRecordingId)),
  ].toSorted((a, b) => a.createdTs - b.createdTs);
  return {
    ...rest,
    ...(study && { siteName: study.siteName, studyName: study.studyName, subjectName: study.subjectName, timeZone }),
    ...(!study && page.phase === 'READY' && stored.state.session && { siteName: stored.state.session.siteName }),
    isRunning: study?.isRunning ?? false,
    // A locked screen still warns before it forgets what was not sent, without a word of it.
    waiting:
      page.phase === 'LOCKED' ? waiting.map(({ serial: _sensor, ...item }) => ({ ...item, title: '' })) : waiting,
    today,
    days: daysSeen(contents.days, { today, nowTs, drafts: contents.drafts, outbox: contents.outbox, clock }),
    tasks: Object.fromEntries(contents.tasks.map((task) => [task.id, task])),
    drafts: Object.fromEntries(contents.drafts.map((draft) => [draft.id, draftSeen(draft, clock)])),
    messages,
    unreadMessages: messages.filter(({ from, isRead }) => from === 'TEAM' && !isRead).length,
    sensors: contents.sensors.map(
      ({ side, ...sensor }): PhoneSensor => ({ ...sensor, side: side as PhoneSensor['side'] }),
    ),
    clock: clockSeen(clock),
    hasLock: stored.state.lock !== undefined,
    signOutWaits: (stored.state.signOuts ?? []).length > 0,
  };
}

function clockSeen(clock: PhoneClock): ClockState {
  const { state, offsetMs, uncertaintyMs } = clock.offsetAt(clock.stamp());
  return state === 'UNKNOWN' ? { state } : { state, offsetMs, uncertaintyMs };
}

function waitingItem(record: OutboxRecord, clock: PhoneClock, isSending: boolean): WaitingItem[] {
  if (record.kind === 'READ') return [];
  const { id, title, created, refused } = record;
  const isProblem = record.kind === 'MESSAGE' && record.message.problem !== undefined;
  return [
    {
      id,
      kind: isProblem ? 'PROBLEM' : record.kind,
      title,
      createdTs: clock.siteTime(created),
      state: refused ? 'REFUSED' : isSending ? 'SENDING' : 'WAITING',
      ...(refused && { code: refused.code }),
    },
  ];
}

function waitingRecording(row: RecordingRow, clock: PhoneClock, sendingId: string | undefined): WaitingItem {
  const { recordingId: id, state, file, code } = row;
  const atMs = file ? file.stopUs / 1000 : row.createdTs;
  // A recording keeps this phone's clock as it was set when it began.
  const offsetMs = recordingOffsetMs(row, clock) ?? clock.offsetAt(clock.stamp()).offsetMs;
  return {
    id,
    kind: 'RECORDING',
    title: row.displayName,
    serial: row.serial,
    createdTs: Math.round(atMs + offsetMs),
    state: state === 'FINISHED' ? (id === sendingId ? 'SENDING' : 'WAITING') : state,
    ...(file && { sentBytes: row.sentBytes ?? 0, totalBytes: file.sizeBytes }),
    ...(state === 'REFUSED' && { code: code ?? 'other' }),
  };
}

function messagesSeen(
  { messages, outbox }: Contents,
  { pictureUrls }: PageState,
  clock: PhoneClock,
  isSending: boolean,
): PhoneMessage[] {
  const known = messages.map(({ id, from, authorName, body, createdTs, isRead, problem, image }): PhoneMessage => {
    const url = pictureUrls.get(id);
    const { mimeType, sizeBytes } = image ?? {};
    return {
      id,
      from,
      authorName,
      body,
      createdTs,
      isRead,
      ...(from === 'SUBJECT' && { state: 'SENT' as const }),
      ...(problem && { isProblem: true }),
      pictures:
        mimeType === undefined && url === undefined
          ? []
          : [{ id, mimeType: mimeType ?? 'image/jpeg', sizeBytes: sizeBytes ?? 0, ...(url !== undefined && { url }) }],
    };
  });
  const ids = new Set(known.map(({ id }) => id));
  const queued = outbox.flatMap((record): PhoneMessage[] => {
    if (record.kind !== 'MESSAGE' || ids.has(record.id)) return [];
    const { image, body, problem, created } = record.message;
    return [
      {
        id: record.id,
        from: 'SUBJECT',
        authorName: '',
        body,
        createdTs: clock.siteTime(created),
        isRead: false,
        state: record.refused ? 'REFUSED' : isSending ? 'SENDING' : 'WAITING',
        ...(problem && { isProblem: true }),
        pictures: image
          ? [
              {
                id: image.id,
                mimeType: 'image/jpeg',
                sizeBytes: Math.floor((image.base64.length * 3) / 4),
                ...(pictureUrls.has(image.id) && { url: pictureUrls.get(image.id) }),
              },
            ]
          : [],
      },
    ];
  });
  return [...known, ...queued].toSorted((a, b) => a.createdTs - b.createdTs);
}
