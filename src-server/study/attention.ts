/** Items that need a person's attention, each with its evidence and one action. Pure. */

import { HOUR_MS } from '../durations.ts';
import { ATTENTION_REASONS } from '../vocabulary/coverage.ts';
import type { SubjectStatus, VisitState } from '../vocabulary/participation.ts';
import type { ProblemKind } from '../vocabulary/problems.ts';
import type { QueryState } from '../vocabulary/queries.ts';
import type { Action, Evidence } from './coverage/causes.ts';
import type { LifecycleState } from './lifecycle.ts';
import { isVisitOverdue, lastVisitDate } from './participation.ts';

export type AttentionReason = (typeof ATTENTION_REASONS)[number];

export interface AttentionItem {
  /** Stable for as long as the item is the same. */
  id: string;
  reason: AttentionReason;
  sentence: string;
  studyId?: string;
  subjectId?: string;
  /** Epoch ms. */
  sinceTs: number;
  evidence: Evidence;
  /** A snooze ends when this changes: the item is no longer the one that was snoozed. */
  evidenceKey: string;
  action: Action;
  /** Assigned to the caller, or waiting for them. */
  isMine?: boolean;
}

interface UnreadMessage {
  id: string;
  createdTs: number;
  /** Begin of its text, which is empty in a message that is only a picture. */
  excerpt: string;
  /** The subject reports a problem with it. The sensor is as reported. */
  problem?: { kind: ProblemKind; sensorId?: string; sensorName?: string };
}

export interface AttentionSubject {
  id: string;
  studyId: string;
  createdTs: number;
  isHidden: boolean;
  isTest: boolean;
  /** End of the last recording. */
  lastDataTs?: number;
  programEndMs?: number;
  programStartTs?: number | undefined;
  /** When the subject withdrew or completed. */
  programStopTs?: number | undefined;
  /** Absent: enrolled. */
  status?: SubjectStatus;
  /** Days of the program before today, ascending. */
  days: readonly { date: string; tasksAssigned: number; tasksCompleted: number }[];
  held: readonly { id: string; displayName: string }[];
  flatBatteries: readonly { faultTs: number; sensorId: string; sensorName: string }[];
  unread: readonly UnreadMessage[];
}

export interface AttentionStudy {
  id: string;
  state: LifecycleState;
  startedTs?: number;
  stoppedTs?: number;
}

/** What a subject reports, as a sentence of the study team, and the one thing to do. */
const PROBLEMS: Record<ProblemKind, { sentence: string; action: Action['kind'] }> = {
  SENSOR_OFF: { sentence: 'A sensor came off', action: 'CALL_SUBJECT' },
  SENSOR_BROKEN: { sentence: 'A sensor does not work', action: 'REPLACE_SENSOR' },
  SKIN: { sentence: 'The skin is irritated', action: 'CALL_SUBJECT' },
  TASK_UNCLEAR: { sentence: 'A task is unclear', action: 'ANSWER_MESSAGE' },
  APP: { sentence: 'The app does not work as expected', action: 'ANSWER_MESSAGE' },
  OTHER: { sentence: 'Another problem', action: 'ANSWER_MESSAGE' },
};

const NO_DATA_MS = 48 * HOUR_MS;
const RETURN_WITHIN_MS = 24 * HOUR_MS;
const MISSED_DAYS = 3;
/** Once is an accident; this often within the days covered is a habit or a worn battery. */
const LOW_BATTERY_TIMES = 2;

const daysText = (ms: number) => {
  const days = Math.floor(ms / (24 * HOUR_MS));
  return `${days} ${days === 1 ? 'day' : 'days'}`;
};

/** Long enough to recognise a note or a message. */
const EXCERPT = 120;

const excerptOf = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT).toWellFormed()}…` : line;
};

/**
 * Returns the items of one subject. Hidden and test subjects only have one for equipment not returned. Messages from before the end of
 * the study still need to be read after it.
 */
export function subjectAttention(study: AttentionStudy, subject: AttentionSubject, nowMs: number): AttentionItem[] {
  const place = { studyId: study.id, subjectId: subject.id };
  const target: Action['target'] = { type: 'subject', id: subject.id };
  const make = (
    reason: AttentionReason,
    of: string,
    rest: Pick<AttentionItem, 'sentence' | 'sinceTs' | 'evidence' | 'evidenceKey'>,
    kind: Action['kind'],
  ): AttentionItem => ({ id: `${reason}:${of}`, reason, ...place, ...rest, action: { kind, target } });
  const items: AttentionItem[] = [];

  const programEnd = subject.programEndMs ?? Number.POSITIVE_INFINITY;
  const endTs = study.state === 'COMPLETE' ? Math.min(study.stoppedTs ?? nowMs, programEnd) : programEnd;
  const [first] = subject.held;
  // Who withdraws or completes gives the equipment back at once.
  const returnWithinMs = subject.programStopTs === undefined ? RETURN_WITHIN_MS : 0;
  if (first && nowMs - endTs >= returnWithinMs) {
    const count = subject.held.length;
    const sentence = `${count} ${count === 1 ? 'piece' : 'pieces'} of equipment not returned ${daysText(nowMs - endTs)} after the end.`;
    const evidence = { count, atTs: endTs, detail: subject.held.map(({ displayName }) => displayName).join(', ') };
    const evidenceKey = subject.held.map(({ id }) => id).join(' ');
    items.push(
      make('NOT_RETURNED', subject.id, { sentence, sinceTs: endTs, evidence, evidenceKey }, 'TAKE_BACK_EQUIPMENT'),
    );
  }
  if (study.state === 'INITIALIZED' || subject.isHidden || subject.isTest) return items;
  const isRunning = study.state === 'IN_PROGRESS';

  if (isRunning && nowMs < endTs && (subject.status ?? 'ENROLLED') === 'ENROLLED') {
    // Ignore times that a fast clock put into the future; they would suppress the item until then.
    const { lastDataTs = 0, createdTs, programStartTs = 0 } = subject;
    const begun = [lastDataTs, study.startedTs ?? 0, createdTs, programStartTs].filter((ts) => ts <= nowMs);
    const sinceTs = Math.max(0, ...begun);
    if (sinceTs > 0 && nowMs - sinceTs >= NO_DATA_MS) {
      const evidence = {
        seconds: Math.floor((nowMs - sinceTs) / 1000),
        ...(subject.lastDataTs !== undefined && { atTs: subject.lastDataTs }),
      };
      const sentence = `No data for ${daysText(nowMs - sinceTs)}.`;
      const evidenceKey = String(subject.lastDataTs ?? 'none');
      items.push(make('NO_DATA', subject.id, { sentence, sinceTs, evidence, evidenceKey }, 'FIND_CAUSE'));
    }
    const due = subject.days.filter(({ tasksAssigned }) => tasksAssigned > 0);
    const done = due.findLastIndex(({ tasksCompleted }) => tasksCompleted > 0);
    const missed = due.slice(done + 1);
    const [start] = missed;
    if (start && missed.length >= MISSED_DAYS) {
      const sentence = `No task was completed on the last ${missed.length} days with tasks.`;
      const rest = {
        sentence,
        sinceTs: Date.parse(start.date),
        evidence: { count: missed.length, detail: start.date },
        evidenceKey: start.date,
      };
      items.push(make('MISSED_TASKS', subject.id, rest, 'CALL_SUBJECT'));
    }
  }
  const flatBatteries = isRunning ? subject.flatBatteries : [];
  for (const [sensorId, faults] of Map.groupBy(flatBatteries, (fault) => fault.sensorId)) {
    const last = faults.reduce((a, b) => (b.faultTs > a.faultTs ? b : a));
    if (faults.length < LOW_BATTERY_TIMES) continue;
    const sentence = `The battery of ${last.sensorName} ran flat ${faults.length} times in a week.`;
    const evidence = { count: faults.length, sensorId, sensorName: last.sensorName, atTs: last.faultTs };
    const rest = { sentence, sinceTs: last.faultTs, evidence, evidenceKey: String(last.faultTs) };
    items.push(make('LOW_BATTERY', `${subject.id}:${sensorId}`, rest, 'CHARGE'));
  }
  for (const { id, createdTs, problem } of subject.unread) {
    if (!problem) continue;
    const { kind, sensorId, sensorName } = problem;
    const { sentence, action } = PROBLEMS[kind];
    const rest = {
      sentence: `The subject reports: ${sentence}${sensorName === undefined ? '' : ` (${sensorName})`}.`,
      sinceTs: createdTs,
      evidence: {
        code: kind,
        atTs: createdTs,
        ...(sensorId !== undefined && { sensorId }),
        ...(sensorName !== undefined && { sensorName }),
      },
      evidenceKey: id,
    };
    items.push(make(kind === 'SKIN' ? 'SKIN_PROBLEM' : 'PROBLEM_REPORTED', id, rest, action));
  }
  const unread = subject.unread.filter(({ problem }) => !problem);
  const oldest = unread[0];
  if (oldest) {
    const count = unread.length;
    const sentence = count === 1 ? '1 message is unread.' : `${count} messages are unread.`;
    const newest = unread.at(-1) ?? oldest;
    const excerpt = excerptOf(newest.excerpt);
    const rest = {
      // Without the text: sentences are in emails, which other people may read.
      sentence,
      sinceTs: oldest.createdTs,
      evidence: { count, atTs: oldest.createdTs, ...(excerpt && { detail: excerpt }) },
      evidenceKey: newest.id,
    };
    items.push(make('UNREAD_MESSAGE', subject.id, rest, 'ANSWER_MESSAGE'));
  }
  return items;
}

/** The follow-up of a note, due today or before. */
export interface AttentionFollowUp {
  id: string;
  studyId: string;
  subjectId?: string | undefined;
  body: string;
  followUpDate: string;
  assigneeId?: string | undefined;
  assigneeName?: string | undefined;
  /** Start of its date where the caller is. */
  dueTs: number;
}

/** @param userId the caller, whose own come first */
export function followUpAttention(
  followUps: readonly AttentionFollowUp[],
  userId: string,
  nowMs: number,
): AttentionItem[] {
  return followUps.map(({ id, studyId, subjectId, body, followUpDate, assigneeId, assigneeName, dueTs }) => {
    const excerpt = excerptOf(body);
    return {
      id: `FOLLOW_UP_DUE:${id}`,
      reason: 'FOLLOW_UP_DUE',
      sentence: `A follow-up is due${assigneeName === undefined ? '' : ` (${assigneeName})`}${excerpt && `: ${excerpt}`}`,
      studyId,
      ...(subjectId !== undefined && { subjectId }),
      sinceTs: dueTs,
      evidence: {
        count: Math.max(0, Math.floor((nowMs - dueTs) / (24 * HOUR_MS))),
        ...(excerpt && { detail: excerpt }),
        ...(assigneeName !== undefined && { personName: assigneeName }),
      },
      evidenceKey: `${followUpDate} ${assigneeId ?? ''}`,
      action: { kind: 'FOLLOW_UP', target: { type: 'note', id } },
      ...(assigneeId === userId && { isMine: true }),
    };
  });
}

export interface AttentionQuery {
  id: string;
  studyId: string;
  subjectId: string;
  state: QueryState;
  assigneeId?: string | undefined;
  openedBy: string;
  openedTs: number;
  stateTs: number;
}

/** The people of a study, and what the caller may do there by role. */
export interface QueryPeople {
  /** Whether a person may still see the study; one who was disabled or left it may not. */
  isPresent: (userId: string) => boolean;
  mayAnswer: boolean;
  mayResolve: boolean;
}

/**
 * Queries that concern the caller, in one item per subject and state: open ones that are assigned to them, or to nobody when they may
 * answer, and answered ones that they opened. Nothing waits for a person who is absent: an open query that is assigned to them counts
 * as unassigned, and an answered one that they opened waits for those who may resolve it.
 */
export function queryAttention(
  queries: readonly AttentionQuery[],
  userId: string,
  peopleOf: (studyId: string) => QueryPeople,
): AttentionItem[] {
  const concerned = queries.filter(({ state, assigneeId, openedBy, studyId }) => {
    const { isPresent, mayAnswer, mayResolve } = peopleOf(studyId);
    if (state === 'ANSWERED') return openedBy === userId || (mayResolve && !isPresent(openedBy));
    return state === 'OPEN' && (assigneeId === userId || (mayAnswer && !(assigneeId && isPresent(assigneeId))));
  });
  return [...Map.groupBy(concerned, ({ subjectId, state }) => `${state}:${subjectId}`)].map(([key, group]) => {
    const [first] = group as [AttentionQuery, ...AttentionQuery[]];
    const { studyId, subjectId } = first;
    const isOpen = first.state === 'OPEN';
    const count = group.length;
    const sinceTs = Math.min(...group.map(({ stateTs, openedTs }) => (isOpen ? openedTs : stateTs)));
    const words = count === 1 ? '1 query' : `${count} queries`;
    return {
      // The snooze of one person leaves the items of others alone.
      id: `QUERY_${key}:${userId}`,
      reason: isOpen ? 'QUERY_OPEN' : 'QUERY_ANSWERED',
      sentence: isOpen ? `${words} to answer.` : `${words} answered, to be resolved.`,
      ...{ studyId, subjectId, sinceTs, evidence: { count, atTs: sinceTs } },
      evidenceKey: group.map(({ id, stateTs }) => `${id} ${stateTs}`).join(' '),
      action: { kind: isOpen ? 'ANSWER_QUERY' : 'RESOLVE_QUERY', target: { type: 'subject', id: subjectId } },
      ...(group.some(({ assigneeId, openedBy }) => (isOpen ? assigneeId : openedBy) === userId) && { isMine: true }),
    };
  });
}

export interface AttentionVisit {
  id: string;
  studyId: string;
  subjectId: string;
  displayName: string;
  state: VisitState;
  fromDate: string;
  toDate: string;
  date?: string | undefined;
  time?: string | undefined;
  isOptional: boolean;
  isStopped: boolean;
  /** From when Today shows it, which may be before the subject was enrolled. */
  attentionDate?: string | undefined;
  /** Since when the subject takes part. */
  statusDate: string;
}

/**
 * Visits that are overdue, today or tomorrow, or have no date although their window is near.
 * @param todayOf local date of a subject
 */
export function visitAttention(
  visits: readonly AttentionVisit[],
  todayOf: (subjectId: string) => string,
): AttentionItem[] {
  return visits.flatMap((visit): AttentionItem[] => {
    const { id, studyId, subjectId, displayName, state, fromDate, toDate, time, attentionDate, statusDate } = visit;
    const today = todayOf(subjectId);
    const lastDate = lastVisitDate(visit);
    const isOverdue = isVisitOverdue(visit, today);
    const reason = isOverdue ? 'VISIT_OVERDUE' : state === 'SCHEDULED' ? 'VISIT_DUE' : 'VISIT_TO_SCHEDULE';
    // Where the day begins first it may be shown already; this subject has not reached that day yet.
    if (attentionDate !== undefined && attentionDate > today) return [];
    const [, since = lastDate] = [attentionDate ?? fromDate, isOverdue ? lastDate : statusDate].sort();
    const at = time === undefined ? '' : ` at ${time}`;
    const days = Math.round((Date.parse(today) - Date.parse(lastDate)) / (24 * HOUR_MS));
    const sentences = {
      VISIT_OVERDUE: `The visit ${displayName} is overdue since ${lastDate}.`,
      VISIT_DUE: `The visit ${displayName} is ${days === 0 ? 'today' : 'tomorrow'}${at}.`,
      VISIT_TO_SCHEDULE: `The visit ${displayName} needs a date between ${fromDate} and ${toDate}.`,
    };
    return [
      {
        id: `${reason}:${id}`,
        reason,
        sentence: sentences[reason],
        ...{ studyId, subjectId, sinceTs: Date.parse(since) },
        evidence: {
          count: Math.max(0, days),
          detail: displayName,
          date: lastDate,
          ...(time !== undefined && { time }),
        },
        evidenceKey: `${state} ${lastDate} ${time ?? ''}`,
        action: { kind: 'OPEN_VISITS', target: { type: 'subject', id: subjectId } },
      },
    ];
  });
}

export interface AttentionConsent {
  studyId: string;
  subjectId: string;
  status: SubjectStatus;
  statusDate: string;
  consentVersion?: string | undefined;
}

/** Enrolled subjects whose consent is missing or outdated; screening includes asking for it. */
export function consentAttention(consents: readonly AttentionConsent[]): AttentionItem[] {
  return consents.flatMap(({ studyId, subjectId, status, statusDate, consentVersion }): AttentionItem[] => {
    if (status !== 'ENROLLED') return [];
    return [
      {
        id: `CONSENT_DUE:${subjectId}`,
        reason: 'CONSENT_DUE',
        sentence:
          consentVersion === undefined
            ? 'The consent is missing.'
            : `The subject consented to version ${consentVersion} of the form and has to consent again.`,
        ...{ studyId, subjectId, sinceTs: Date.parse(statusDate) },
        evidence: consentVersion === undefined ? {} : { detail: consentVersion },
        evidenceKey: consentVersion ?? 'none',
        action: { kind: 'RECORD_CONSENT', target: { type: 'subject', id: subjectId } },
      },
    ];
  });
}

export interface AttentionUpload {
  id: string;
  state: 'QUARANTINED' | 'REFUSED';
  sensorId: string;
  sensorName?: string;
  /** Absent: a user sent it. */
  deviceId?: string;
  code: string;
  message?: string;
  studyId?: string;
  subjectId?: string;
  modifiedTs: number;
}

/** Returns the items of files from devices. Refusals of one sensor for one reason make one item. */
export function uploadAttention(uploads: readonly AttentionUpload[]): AttentionItem[] {
  const groups = Map.groupBy(uploads, ({ id, state, sensorId, code }) =>
    state === 'QUARANTINED' ? `UPLOAD_QUARANTINED:${id}` : `UPLOAD_REFUSED:${sensorId}:${code}`,
  );
  return [...groups].map(([id, group]): AttentionItem => {
    const last = group.reduce((a, b) => (b.modifiedTs > a.modifiedTs ? b : a));
    const { state, studyId, subjectId, sensorId, sensorName = sensorId, code, message } = last;
    const isQuarantined = state === 'QUARANTINED';
    const why = (message ?? code).replace(/\.$/, '');
    return {
      id,
      reason: isQuarantined ? 'UPLOAD_QUARANTINED' : 'UPLOAD_REFUSED',
      sentence: isQuarantined
        ? `A recording from ${sensorName} is waiting for a decision: ${why}.`
        : `Recordings from ${sensorName} were refused: ${why}.`,
      ...(studyId !== undefined && { studyId }),
      ...(subjectId !== undefined && { subjectId }),
      sinceTs: Math.min(...group.map(({ modifiedTs }) => modifiedTs)),
      evidence: {
        ...{ sensorId, sensorName, uploadId: last.id, count: group.length, code },
        ...(last.deviceId !== undefined && { deviceId: last.deviceId }),
        ...(message !== undefined && { detail: message }),
      },
      evidenceKey: `${code} ${last.id}`,
      action: { kind: isQuarantined ? 'DECIDE_UPLOAD' : 'SHOW_UPLOAD', target: { type: 'upload', id: last.id } },
    };
  });
}

const rankOf = ({ reason }: Pick<AttentionItem, 'reason'>): number => ATTENTION_REASONS.indexOf(reason);

/** Sorts by reason, the caller's own first, then oldest first. */
export function inAttentionOrder<T extends Pick<AttentionItem, 'reason' | 'sinceTs' | 'id' | 'isMine'>>(
  items: readonly T[],
): T[] {
  const isOthers = ({ isMine }: T) => (isMine === true ? 0 : 1);
  return [...items].sort(
    (a, b) => rankOf(a) - rankOf(b) || isOthers(a) - isOthers(b) || a.sinceTs - b.sinceTs || (a.id < b.id ? -1 : 1),
  );
}
