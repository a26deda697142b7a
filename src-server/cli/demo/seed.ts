/**
 * Seeds the demo site in chronological order. Every step sets the site's clock to its own time, so that events, reports and
 * uploads are dated as in a real study.
 */

import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import type { Change, StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { OutpostError } from '../../errors.ts';
import type { Store } from '../../services/index.ts';
import type { PhoneReport } from '../../simulator/phone/phone.ts';
import { addDays, fixedZone, localDateIn, midnightWindow } from '../../study/day-windows.ts';
import type { DemoDevices } from './devices.ts';
import {
  ACTIVITIES,
  DEVICE_CONFIGS,
  type DemoSubject,
  DIARIES,
  MESSAGES,
  METADATA_FIELDS,
  PEOPLE,
} from './scenario.ts';
import type { SimulatedFile, SimulateOutcome } from './simulate.ts';

/** Local hour at which the first recording starts. 08:00 in Tokyo is the previous day in UTC. */
const START_HOUR = 8;

/** Wall clock that the seed sets step by step. It follows real time once released. */
export class DemoClock {
  readonly #realNow: () => number;
  #setMs: number | null;

  constructor(startMs: number, realNow: () => number = Date.now) {
    this.#setMs = startMs;
    this.#realNow = realNow;
  }

  /** Moves the clock forward: never backwards, so that report times stay in order, and never beyond real time. */
  moveTo(ms: number): void {
    this.#setMs = Math.max(this.#setMs ?? 0, Math.min(ms, this.#realNow()));
  }

  release(): void {
    this.#setMs = null;
  }

  now = (): number => this.#setMs ?? this.#realNow();
}

/** Returns the demo subjects. Their days end before `nowMs`, each in the subject's own zone. */
export function planDemoSubjects(options: {
  subjects: number;
  days: number;
  seed: number;
  nowMs: number;
}): DemoSubject[] {
  return Array.from({ length: options.subjects }, (_, index) => {
    const model = PEOPLE[index % PEOPLE.length]!;
    const person = { ...model, displayName: `N-${101 + index}` };
    const { timeZone } = person;
    let firstDate = addDays(localDateIn(options.nowMs, timeZone), -options.days);
    if (startOn(firstDate, timeZone) + options.days * DAY_MS > options.nowMs - HOUR_MS)
      firstDate = addDays(firstDate, -1);
    const startMs = startOn(firstDate, timeZone);
    const hex = (base: number) => (base + index).toString(16).padStart(2, '0').toUpperCase();
    return {
      person,
      seed: options.seed * 1000 + index,
      startMs,
      stopMs: startMs + options.days * DAY_MS,
      chestUdid: `D0:5F:B8:10:${hex(0x20)}:01`,
      thighUdid: `D0:5F:B8:10:${hex(0x20)}:02`,
      serial: (kind) =>
        `${kind}${(4101 + index).toString(36)}${(options.seed % 1296).toString(36).padStart(2, '0')}`.padEnd(8, 'x'),
      // The third subject forgot the sensors on their charger for an afternoon.
      gaps: index % PEOPLE.length === 2 ? [{ startMs: startMs + 5 * HOUR_MS, stopMs: startMs + 11 * HOUR_MS }] : [],
    };
  });
}

function startOn(date: string, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: { hour: START_HOUR } }).epochMilliseconds;
}

interface Step {
  atMs: number;
  run: () => Promise<void>;
}

export interface SeedDeps {
  store: Store;
  devices: DemoDevices;
  accountId: string;
  userId: string;
  clock: DemoClock;
  demoSubjects: DemoSubject[];
  /** The simulated recordings of one subject, once they are made. */
  simulated: (index: number) => Promise<SimulateOutcome>;
  onStep: (done: number, total: number, step: string) => void;
}

/** Runs all steps and returns the ids. Uploads are awaited one by one; their analysis runs in the background. */
export async function seedDemo(deps: SeedDeps): Promise<{ studyId: string; subjectIds: string[] }> {
  const { store, clock, demoSubjects, onStep } = deps;
  const change: Change = { actor: { type: 'USER', id: deps.userId } };
  const study = await createStudy(deps, change);
  const subjects: SubjectRecord[] = [];
  for (const member of demoSubjects) {
    clock.moveTo(clock.now() + 4 * MINUTE_MS);
    subjects.push(await enrol(store, deps.accountId, study, member, change));
    await deps.devices.pairKit(member);
  }
  await addComparisonStudy(deps, change);
  const total = demoSubjects.length + 1;
  const steps: Step[] = [];
  for (const [index, member] of demoSubjects.entries()) {
    onStep(index, total, `simulating ${member.person.displayName}`);
    steps.push(...subjectSteps(deps, study, subjects[index]!, member, await deps.simulated(index), change));
  }
  steps.sort((a, b) => a.atMs - b.atMs);
  for (const [index, step] of steps.entries()) {
    onStep(demoSubjects.length + index / steps.length, total, 'adding recordings, tasks and messages');
    clock.moveTo(step.atMs);
    await step.run();
  }
  return { studyId: study.id, subjectIds: subjects.map((subject) => subject.id) };
}

async function createStudy(deps: SeedDeps, change: Change): Promise<StudyDetailRecord> {
  const { store, clock } = deps;
  const { id } = await store.studies.create(
    {
      accountId: deps.accountId,
      displayName: 'Everyday rhythm',
      title: 'Heart rhythm, movement and sleep in everyday life: a home study',
    },
    change,
  );
  const study = await store.studies.putDefinition(
    id,
    {
      metadataFields: METADATA_FIELDS.map((field) => ({ ...field, values: [...field.values] })),
      activities: ACTIVITIES.map((activity) => ({
        ...activity,
        mode: 'UNSUPERVISED',
        pipelineIds: [],
        questions: activity.questions.map((question) => ({ ...question, values: [...question.values] })),
      })),
      diaries: DIARIES.map((diary) => ({
        ...diary,
        mode: 'UNSUPERVISED',
        pipelineIds: [],
        questions: diary.questions.map((question) => ({ ...question, values: [...question.values] })),
      })),
      deviceConfigs: DEVICE_CONFIGS.map((config) => ({
        ...config,
        pipelineIds: [],
        physicalConfig: { ...config.physicalConfig },
        sensorConfig: { ...config.sensorConfig },
      })),
    },
    change,
  );
  const [calibration, walk, breathing] = study.activities;
  const [morning, evening] = study.diaries;
  if (!calibration || !walk || !breathing || !morning || !evening)
    throw new OutpostError('INTERNAL', 'The demo study lacks one of its tasks.');
  await store.studies.putDefinition(
    id,
    {
      program: {
        days: 14,
        tasks: [
          { taskId: calibration.id, type: 'activity', days: [0] },
          { taskId: walk.id, type: 'activity', days: 'daily' },
          { taskId: breathing.id, type: 'activity', days: [1, 3, 5] },
          { taskId: morning.id, type: 'diary', days: 'daily', window: { start: '05:00', end: '12:00' } },
          { taskId: evening.id, type: 'diary', days: 'daily', window: { start: '18:00', end: '23:59' } },
        ],
      },
    },
    change,
  );
  clock.moveTo(clock.now() + 20 * MINUTE_MS);
  await store.studies.move(id, 'start', change);
  return (await store.studies.getDetail(id)) as StudyDetailRecord;
}

async function enrol(
  store: Store,
  accountId: string,
  study: StudyDetailRecord,
  member: DemoSubject,
  change: Change,
): Promise<SubjectRecord> {
  const { person, serial } = member;
  const subject = await store.subjects.create(
    study.id,
    {
      displayName: person.displayName,
      timezone: person.timeZone,
      age: person.age,
      gender: person.gender,
      height: person.heightM,
      weight: person.weightKg,
      metadataFields: METADATA_FIELDS.map((field, index) => ({
        displayName: field.displayName,
        value: person.metadata[index] ?? '',
      })),
      programStartTs: member.startMs,
    },
    change,
  );
  const number = person.displayName.slice(2);
  const kit = [
    { id: serial('h'), type: 'LINK_HUB' as const, displayName: `Charging station ${number}` },
    { id: serial('p'), type: 'LINK_PHONE' as const, displayName: `Phone ${number}` },
    { id: serial('c'), type: 'SENSOR' as const, displayName: `Chest ${number}`, udid: member.chestUdid },
    { id: serial('t'), type: 'SENSOR' as const, displayName: `Thigh ${number}`, udid: member.thighUdid },
  ];
  for (const item of kit) {
    await store.equipment.register({ accountId, ...item, hardwareId: 'simulated', firmwareId: '1.0.0' }, change);
    await store.equipment.assign(item.id, { studyId: study.id, subjectId: subject.id }, change);
  }
  return subject;
}

/** Adds a second study, so that lists and filters have more than one entry. */
async function addComparisonStudy(deps: SeedDeps, change: Change): Promise<void> {
  const { store } = deps;
  const { id } = await store.studies.create(
    { accountId: deps.accountId, displayName: 'Walk pilot', title: 'Six-minute walk with one sensor: pilot' },
    change,
  );
  await store.studies.putDefinition(
    id,
    {
      deviceConfigs: [
        {
          ...DEVICE_CONFIGS[1],
          pipelineIds: [],
          physicalConfig: { ...DEVICE_CONFIGS[1].physicalConfig },
          sensorConfig: { ...DEVICE_CONFIGS[1].sensorConfig },
        },
      ],
    },
    change,
  );
  await store.studies.move(id, 'start', change);
  await store.subjects.create(
    id,
    { displayName: 'W-01', timezone: 'US/Central', age: 45, gender: 'FEMALE', height: 1.7, weight: 65 },
    change,
  );
}

function subjectSteps(
  deps: SeedDeps,
  study: StudyDetailRecord,
  subject: SubjectRecord,
  member: DemoSubject,
  simulated: SimulateOutcome,
  change: Change,
): Step[] {
  return [
    ...deliverySteps(deps, member, simulated.files),
    ...chargingSteps(deps, member, simulated.files),
    ...taskSteps(deps.devices, study, member, simulated),
    ...labelSteps(deps.store, study, subject, simulated, change),
    ...messageSteps(deps, study, subject, member, change),
  ];
}

/** The hub uploads each recording an hour after the sensor was placed on it, together with its faults. */
function deliverySteps({ devices }: SeedDeps, member: DemoSubject, files: SimulatedFile[]): Step[] {
  return files.map((file, index) => ({
    atMs: file.stopMs + HOUR_MS,
    run: async () => {
      const fault =
        index % 3 !== 1
          ? undefined
          : index % 2 === 0
            ? ({ faultClass: 'FLAT_BATTERY', faultFlag: 'BATTERY_DEPLETED' } as const)
            : ({ faultClass: 'LOST_CONTACT', faultFlag: 'CONTACT_LOST' } as const);
      await devices.deliver(member, file, { batteryPercent: 18 + ((index * 23) % 60), fault });
    },
  }));
}

/** Battery reports while sensors charge: between two recordings, and during a forgotten afternoon. */
function chargingSteps({ devices }: SeedDeps, member: DemoSubject, files: SimulatedFile[]): Step[] {
  const evenings = [...Map.groupBy(files, ({ udid }) => udid)].flatMap(([udid, own]) =>
    own.slice(1).map((file, i) => ({ udids: [udid], startMs: own[i]!.stopMs, stopMs: file.startMs })),
  );
  const udids = [member.chestUdid, member.thighUdid];
  return [...evenings, ...member.gaps.map((gap) => ({ ...gap, udids }))].flatMap(({ udids, startMs, stopMs }) => {
    const reports = 3;
    return Array.from({ length: reports }, (_, i) => ({
      atMs: Math.round(startMs + ((i + 0.5) / reports) * (stopMs - startMs)),
      run: () => devices.charge(member, udids, 30 + (60 * (i + 1)) / reports),
    }));
  });
}

/** Most tasks are completed in the subject's own day. Reports follow after minutes, or hours when offline. */
function taskSteps(
  devices: DemoDevices,
  study: StudyDetailRecord,
  member: DemoSubject,
  simulated: SimulateOutcome,
): Step[] {
  const steps: Step[] = [];
  const byName = new Map([...study.activities, ...study.diaries].map((task) => [task.displayName, task]));
  const report = (
    name: string,
    startMs: number,
    stopMs: number,
    answers: string[],
    delayMs: number,
    marks: PhoneReport['marks'] = [],
  ) => {
    const task = byName.get(name);
    if (!task || stopMs + delayMs > member.stopMs + 3 * HOUR_MS) return;
    steps.push({
      atMs: stopMs + delayMs,
      run: async () => {
        await devices.report(member, {
          taskId: task.id,
          startTs: startMs,
          stopTs: stopMs,
          openedTs: startMs,
          completedTs: stopMs,
          answers: answers.map((value, index) => ({ questionId: task.questions[index]!.id, value })),
          marks,
        });
      },
    });
  };
  const first = simulated.calibrations[0]?.span;
  if (first) {
    // The phone marks each posture as it is held, and sends the report after the last one.
    const marks = simulated.calibrations.map(({ posture, span }) => ({
      id: randomUUID(),
      displayName: `Calibration: ${posture.toLowerCase()}`,
      startTs: span.startMs,
      stopTs: span.stopMs,
    }));
    const lastMs = Math.max(...marks.map(({ stopTs }) => stopTs));
    report('Posture calibration', first.startMs, first.stopMs, [], lastMs - first.stopMs + 2 * MINUTE_MS, marks);
  }
  const dates = daysOf(member);
  for (const [day, { startMs, stopMs }] of dates.entries()) {
    const walk = simulated.walks.find((span) => span.startMs >= startMs && span.stopMs <= stopMs);
    if (walk) {
      const answers = [String(3 + (day % 3)), day % 2 === 0 ? 'NO' : 'YES'];
      report(
        'Six-minute walk',
        walk.startMs,
        Math.min(walk.stopMs, walk.startMs + 6 * MINUTE_MS),
        answers,
        5 * HOUR_MS,
      );
    }
    const night = simulated.sleep.find((span) => span.stopMs > startMs && span.stopMs < startMs + 12 * HOUR_MS);
    if (night) {
      const gotUp = Temporal.Instant.fromEpochMilliseconds(night.stopMs + 10 * MINUTE_MS).toZonedDateTimeISO(
        member.person.timeZone,
      );
      const answers = [
        gotUp.toPlainTime().toString({ smallestUnit: 'minute' }),
        String(6 + (day % 3)),
        day % 2 === 0 ? 'NO' : 'YES',
      ];
      report('Morning diary', night.stopMs + 30 * MINUTE_MS, night.stopMs + 32 * MINUTE_MS, answers, MINUTE_MS);
    }
    // The last evening diary stays open, so that the unfinished day has a task due.
    const evening = startMs + 20 * HOUR_MS;
    if (day < dates.length - 1) {
      const answers = [String(1 + (day % 3)), day % 2 === 0 ? 'At home' : 'Outdoors', day % 2 === 0 ? 'NO' : 'YES'];
      report('Evening diary', evening, evening + 3 * MINUTE_MS, answers, 2 * MINUTE_MS);
    }
    if (day === 1) report('Paced breathing', evening - HOUR_MS, evening - HOUR_MS + 2 * MINUTE_MS, ['Calm'], MINUTE_MS);
  }
  return steps;
}

function daysOf(member: DemoSubject): { startMs: number; stopMs: number }[] {
  const clock = fixedZone(member.person.timeZone);
  const days: { startMs: number; stopMs: number }[] = [];
  let date = localDateIn(member.startMs, member.person.timeZone);
  for (;;) {
    const window = midnightWindow(date, clock);
    if (window.startMs >= member.stopMs) return days;
    days.push(window);
    date = addDays(date, 1);
  }
}

/** Labels that a coordinator made while reviewing. */
function labelSteps(
  store: Store,
  study: StudyDetailRecord,
  subject: SubjectRecord,
  simulated: SimulateOutcome,
  change: Change,
): Step[] {
  const place = { studyId: study.id, subjectId: subject.id };
  const steps: Step[] = [];
  const walk = simulated.walks.at(-1);
  if (walk) {
    steps.push({
      atMs: walk.stopMs + 20 * HOUR_MS,
      run: async () => {
        await store.annotations.addLabels(
          [{ ...place, type: 'recording', displayName: 'Long walk', startTs: walk.startMs, stopTs: walk.stopMs }],
          change,
        );
      },
    });
  }
  return steps;
}

function messageSteps(
  { store, devices }: SeedDeps,
  study: StudyDetailRecord,
  subject: SubjectRecord,
  member: DemoSubject,
  change: Change,
): Step[] {
  return MESSAGES.map(({ from, hoursBeforeEnd, body }, index) => ({
    atMs: Math.max(member.startMs, member.stopMs - hoursBeforeEnd * HOUR_MS),
    run: async () => {
      if (from === 'USER') {
        const { id } = await store.messages.post({ studyId: study.id, subjectId: subject.id, body }, change);
        await devices.read(member, id);
        return;
      }
      const id = await devices.write(member, body);
      if (index < MESSAGES.length - 1) await store.messages.markRead(id, change);
    },
  }));
}

/** A day before the first recording: the study is set up and the kits are handed out. */
export function demoStart(demoSubjects: DemoSubject[]): number {
  return Math.min(...demoSubjects.map((member) => member.startMs)) - DAY_MS;
}
