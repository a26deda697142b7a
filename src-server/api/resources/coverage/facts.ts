/** Reads the facts behind missing data of a subject in a dozen queries. */
import { type EquipmentRecord, type StudyRecord, type SubjectRecord, serialsByAddress } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import type { Holding } from '../../../study/coverage/days.ts';
import type { DeviceFacts, WhyFacts } from '../../../study/coverage/facts.ts';
import type { TimeSpan } from '../../../study/coverage/spans.ts';
import type { DayClock } from '../../../study/day-windows.ts';
import type { AnalysePayload, JobRow } from '../../../study/jobs.ts';
import { programEndMs } from '../../../study/program.ts';
import type { ApiDeps } from '../../deps.ts';
import type { RecordingBreaks } from './breaks.ts';
import { unreadableSpans } from './unreadable.ts';

const JOB_LIMIT = 500;

export async function holdingsOf(deps: ApiDeps, subjectId: string): Promise<Holding[]> {
  return (await deps.store.equipment.holdingsOf(subjectId)).map(({ equipmentId, assignedTs, unassignedTs }) => ({
    sensorId: equipmentId,
    startMs: assignedTs,
    stopMs: unassignedTs ?? Number.POSITIVE_INFINITY,
  }));
}

/**
 * Returns hubs and phones that the subject has held, and unassigned hubs in the clinic: those ever paired, or held now.
 */
async function devicesOf(
  { store }: ApiDeps,
  { id: subjectId }: SubjectRecord,
  accountId: string,
  held: readonly EquipmentRecord[],
): Promise<DeviceFacts[]> {
  const own = new Set(held.map(({ id }) => id));
  const inClinic = (await store.equipment.freeHubs(accountId)).filter(({ id }) => !own.has(id));
  const candidates = [
    ...held.filter((item) => item.type !== 'SENSOR' && item.accountId === accountId),
    ...inClinic,
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  const ids = candidates.map(({ id }) => id);
  const credentials = Map.groupBy(
    await store.devices.listOfEquipment(accountId, ids),
    ({ equipmentId }) => equipmentId,
  );
  const heard = await store.equipment.lastHeard(accountId, ids);
  return candidates.flatMap((item) => {
    const tokens = credentials.get(item.id) ?? [];
    const lastContactTs = Math.max(item.lastContactTs ?? 0, heard.get(item.id) ?? 0);
    const isHeldNow = item.holder?.subjectId === subjectId;
    if (tokens.length === 0 && lastContactTs === 0 && !isHeldNow) return [];
    return [
      {
        id: item.id,
        displayName: item.displayName,
        ...(lastContactTs > 0 && { lastContactTs }),
        isRevoked: tokens.length > 0 && tokens.every(({ revokedTs }) => revokedTs !== undefined),
        isHeldNow,
      },
    ];
  });
}

/** The facts for {@link whyNoData} over one local day, or for {@link whyGap} over any span. */
export async function whyFacts(
  deps: ApiDeps,
  study: StudyRecord,
  subject: SubjectRecord,
  clock: DayClock,
  day: TimeSpan & { date?: string },
  breaks: RecordingBreaks,
): Promise<WhyFacts> {
  const { store } = deps;
  const held = await store.equipment.everHeldBy(subject.id);
  const sensors = held.filter(({ type }) => type === 'SENSOR');
  const serialOf = serialsByAddress(held);
  const states = ['queued', 'running', 'failed', 'parked'] as const;
  const jobs = await deps.jobs.list({ studyIds: [study.id], states, limit: JOB_LIMIT });
  const [analysed] =
    day.date === undefined ? [] : await store.analytics.days(subject.id, { fromDate: day.date, toDate: day.date });
  const end = programEndMs(study.program, subject, clock);
  // Includes neighbouring days: earlier recordings show where a sensor is worn.
  const path = await breaks.addTo(
    await store.dataPaths.list(study.id, {
      fromTs: day.startMs - LOOK_AROUND_MS,
      toTs: day.stopMs + LOOK_AROUND_MS,
      subjectId: subject.id,
    }),
    day,
  );
  const ecg = path.flatMap((item) => (item.state === 'ANALYSED' ? (item.ecg ?? []) : []));
  return {
    nowMs: deps.clock(),
    study: {
      id: study.id,
      state: study.lifecycleState,
      ...(study.startedTs !== undefined && { startedTs: study.startedTs }),
      ...(study.stoppedTs !== undefined && { stoppedTs: study.stoppedTs }),
    },
    subject: {
      id: subject.id,
      createdTs: subject.createdTs,
      isHidden: subject.isHidden,
      ...(end !== undefined && { programEndMs: end }),
    },
    sensors,
    contacts: (
      await Promise.all(
        sensors.map(async ({ id }) =>
          (
            await store.equipment.contacts(id, day.startMs, day.stopMs)
          ).map(({ contactTs, batteryPercent }) => ({
            sensorId: id,
            atTs: contactTs,
            ...(batteryPercent !== undefined && { batteryPercent }),
          })),
        ),
      )
    ).flat(),
    holdings: await holdingsOf(deps, subject.id),
    devices: await devicesOf(deps, subject, study.accountId, held),
    path,
    faults: (await store.faults.listForSubject(subject.id)).map(({ faultTs, faultClass, equipmentId, sensorId }) => ({
      faultTs,
      ...(faultClass !== undefined && { faultClass }),
      ...((equipmentId ?? serialOf(sensorId)) !== undefined && { equipmentId: equipmentId ?? serialOf(sensorId) }),
    })),
    analyses: jobs.flatMap((job) => {
      const { subjectId, fromMs, toMs, runId } = job.payload as AnalysePayload;
      // An analysis run beside the results in use explains no missing ones.
      if (job.kind !== 'analyse' || subjectId !== subject.id || runId !== undefined) return [];
      const hasFailed = (job.state === 'failed' || job.state === 'parked') && !isVersionAwaited(job);
      return [{ jobId: job.id, hasFailed, fromMs, toMs, ...(job.error && { detail: job.error.message }) }];
    }),
    ...(analysed && {
      day: {
        wornSeconds: analysed.validSeconds.WEAR ?? 0,
        unreadable: await unreadableSpans(store, subject.id, day, ecg),
        unresolvedSeconds: analysed.validSeconds.RHYTHM_UNRESOLVED ?? 0,
      },
    }),
  };
}

/** It waits for the program that has the version of the study; Today says so once for all of them. */
const isVersionAwaited = ({ error }: JobRow) => error?.code === 'VERSION_NOT_AVAILABLE';

const LOOK_AROUND_MS = 14 * DAY_MS;
