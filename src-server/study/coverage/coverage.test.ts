import { describe, expect, it } from 'vitest';
import { CAUSE_CODES, GAP_REASONS } from '../../vocabulary/coverage.ts';
import type { CauseCode } from './causes.ts';
import { coverageDays, type PathItem } from './days.ts';
import type { WhyFacts } from './facts.ts';
import { type Gap, whyGap } from './gaps.ts';
import { holesIn, lengthMs } from './spans.ts';
import { whyNoData } from './why.ts';

const HOUR = 3_600_000;
const DAY = { startMs: 100 * 24 * HOUR, stopMs: 101 * 24 * HOUR };
const NOW = DAY.stopMs + 24 * HOUR;

const item = (more: Partial<PathItem>): PathItem => ({
  recordingId: 'r1',
  sensorId: 'S1',
  state: 'ANALYSED',
  startTs: DAY.startMs,
  stopTs: DAY.stopMs - 1,
  sizeBytes: 1000,
  deviceId: 'H1',
  reportedTs: NOW - HOUR,
  ...more,
});

const facts = (more: Partial<WhyFacts> = {}): WhyFacts => ({
  nowMs: NOW,
  study: { id: 'study', state: 'IN_PROGRESS', startedTs: 0 },
  subject: { id: 'subject', createdTs: 1, isHidden: false },
  sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: NOW }],
  holdings: [{ sensorId: 'S1', startMs: 2, stopMs: Number.POSITIVE_INFINITY }],
  devices: [{ id: 'H1', displayName: 'Hub', lastContactTs: NOW, isRevoked: false }],
  path: [],
  faults: [],
  contacts: [],
  analyses: [],
  ...more,
});

const fault = (faultClass: string, equipmentId = 'S1') => ({
  faults: [{ faultTs: DAY.startMs + HOUR, faultClass, equipmentId }],
});
const study = (more: Partial<WhyFacts['study']>) => ({
  study: { id: 'study', state: 'IN_PROGRESS' as const, startedTs: 0, ...more },
});
const subject = (more: Partial<WhyFacts['subject']>) => ({
  subject: { id: 'subject', createdTs: 1, isHidden: false, ...more },
});
const FOREVER = Number.POSITIVE_INFINITY;
const WORN = { day: { wornSeconds: 22 * 3600, unreadable: [] } };
/** A recording of the whole day of which two hours are missing. */
const broken = (more: Partial<WhyFacts>) => ({
  ...stored({ breaks: [{ startMs: DAY.startMs + HOUR, stopMs: DAY.startMs + 3 * HOUR }] }),
  ...WORN,
  ...more,
});
const stored = (more: Partial<PathItem>) => ({ path: [item({ location: 'MEDIAL_CHEST', ...more })] });

const charging = (...levels: number[]) => ({
  contacts: levels.map((batteryPercent, i) => ({
    sensorId: 'S1',
    atTs: DAY.startMs + (1 + i) * HOUR,
    batteryPercent,
  })),
});

/** Each case: the expected cause, its action, and the one fact that differs from an ordinary day without data. */
const CASES: [CauseCode, string, Partial<WhyFacts>][] = [
  ['DAY_TO_COME', 'WAIT subject', { nowMs: DAY.startMs }],
  ['BEFORE_STUDY_START', 'SHOW_STUDY study', study({ startedTs: DAY.stopMs })],
  ['STUDY_STOPPED', 'REOPEN_STUDY study', study({ state: 'COMPLETE', stoppedTs: DAY.startMs })],
  ['STUDY_NOT_STARTED', 'START_STUDY study', study({ state: 'INITIALIZED', startedTs: undefined })],
  ['BEFORE_ENROLMENT', 'SHOW_SUBJECT subject', subject({ createdTs: DAY.stopMs })],
  ['PROGRAM_OVER', 'TAKE_BACK_EQUIPMENT subject', subject({ programEndMs: DAY.startMs })],
  ['SUBJECT_HIDDEN', 'SHOW_SUBJECT subject', subject({ isHidden: true })],
  ['NOTHING_ASSIGNED', 'ASSIGN_EQUIPMENT subject', { holdings: [] }],
  ['UPLOAD_QUARANTINED', 'DECIDE_UPLOAD u1', stored({ state: 'QUARANTINED', uploadId: 'u1' })],
  [
    'CLOCK_WRONG',
    'DECIDE_UPLOAD u1',
    stored({ state: 'QUARANTINED', uploadId: 'u1', hasWrongClock: true, startTs: 0, stopTs: 9 }),
  ],
  ['UPLOAD_REFUSED', 'CHECK_DEVICE H1', stored({ state: 'REJECTED', refusedBy: 'SITE', code: 'FILE_DAMAGED' })],
  ['UPLOAD_REFUSED', 'REOPEN_STUDY study', stored({ state: 'REJECTED', refusedBy: 'SITE', code: 'STUDY_COMPLETE' })],
  [
    'UPLOAD_REFUSED',
    'ASSIGN_EQUIPMENT subject',
    stored({ state: 'REJECTED', refusedBy: 'SITE', code: 'SENSOR_UNASSIGNED' }),
  ],
  ['UPLOAD_REJECTED', 'SHOW_UPLOAD u1', stored({ state: 'REJECTED', refusedBy: 'STAFF', uploadId: 'u1' })],
  ['RECORDING_REJECTED', 'RESTORE_RECORDING r1', stored({ state: 'REJECTED' })],
  ['RECORDING_DAMAGED', 'RESTORE_RECORDING r1', stored({ fileProblem: 'DAMAGED' })],
  ['UPLOAD_STALLED', 'CHECK_DEVICE H1', stored({ state: 'RECEIVING' })],
  ['UPLOAD_IN_PROGRESS', 'WAIT u1', stored({ state: 'RECEIVING', uploadId: 'u1', reportedTs: NOW - 1000 })],
  ['BEING_CHECKED', 'WAIT u1', stored({ state: 'RECEIVED', uploadId: 'u1' })],
  ['HUB_HOLDS', 'CHECK_DEVICE H1', stored({ state: 'ON_HUB' })],
  ['SENSOR_HOLDS', 'PUT_ON_HUB S1', stored({ state: 'ON_SENSOR' })],
  ['ON_CHARGER', 'CALL_SUBJECT subject', charging(40, 60, 80, 100, 100)],
  ['FLAT_BATTERY', 'CHARGE S1', fault('FLAT_BATTERY')],
  ['FULL_MEMORY', 'PUT_ON_HUB S1', fault('FULL_MEMORY')],
  ['CLOCK_NOT_SET', 'PUT_ON_HUB S1', fault('CLOCK_NOT_SET')],
  ['FIRMWARE_RESET', 'REPLACE_SENSOR S1', fault('FIRMWARE_RESET')],
  ['HUB_ERROR', 'CHECK_DEVICE H1', fault('HUB_ERROR', 'H1')],
  ['LOST_CONTACT', 'PUT_ON_HUB S1', fault('LOST_CONTACT')],
  ['NO_DEVICE', 'PAIR_DEVICE subject', { devices: [] }],
  ['DEVICE_REVOKED', 'PAIR_DEVICE H1', { devices: [{ id: 'H1', displayName: 'Hub', isRevoked: true }] }],
  [
    'DEVICE_NOT_SEEN',
    'CHECK_DEVICE H1',
    { devices: [{ id: 'H1', displayName: 'Hub', isRevoked: false, lastContactTs: DAY.startMs }] },
  ],
  [
    'DEVICE_NOT_SEEN',
    'CHECK_DEVICE H1',
    {
      sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: DAY.startMs }],
      devices: [
        { id: 'H1', displayName: 'Hub', isRevoked: false, lastContactTs: DAY.startMs, isHeldNow: true },
        { id: 'H2', displayName: 'Hub of the clinic', isRevoked: false, lastContactTs: NOW },
      ],
    },
  ],
  [
    'DEVICE_NOT_SEEN',
    'CHECK_DEVICE H1',
    {
      sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: DAY.startMs + 1 }],
      devices: [
        { id: 'H1', displayName: 'Hub', isRevoked: false, lastContactTs: DAY.startMs, isHeldNow: true },
        { id: 'H2', displayName: 'Hub of the clinic', isRevoked: false, lastContactTs: NOW },
      ],
    },
  ],
  [
    'DEVICE_NOT_SEEN',
    'CHECK_DEVICE H1',
    {
      devices: [
        { id: 'H1', displayName: 'Hub', isRevoked: false, isHeldNow: true },
        { id: 'H2', displayName: 'Hub of the clinic', isRevoked: false, lastContactTs: NOW },
      ],
    },
  ],
  [
    'DEVICE_REVOKED',
    'PAIR_DEVICE H1',
    {
      sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: DAY.startMs }],
      devices: [
        { id: 'H1', displayName: 'Hub', isRevoked: true, isHeldNow: true, lastContactTs: DAY.startMs },
        { id: 'H2', displayName: 'Hub of the clinic', isRevoked: false, lastContactTs: NOW },
      ],
    },
  ],
  ['SENSOR_NOT_SEEN', 'PUT_ON_HUB S1', { sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: DAY.startMs }] }],
  [
    'FLAT_BATTERY',
    'CHARGE S1',
    { sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: NOW, batteryPercent: 2 }] },
  ],
  ['NEVER_RECORDED', 'CALL_SUBJECT subject', {}],
  ['NOT_RECORDING', 'CALL_SUBJECT subject', stored({ startTs: 5, stopTs: 6 })],
  ['NOTHING_ASSIGNED', 'WAIT subject', { holdings: [{ sensorId: 'S1', startMs: NOW - HOUR, stopMs: FOREVER }] }],
  ['SAMPLES_MISSING', 'CALL_SUBJECT subject', broken({})],
  ['FLAT_BATTERY', 'CHARGE S1', broken(fault('FLAT_BATTERY'))],
  ['SAMPLES_MISSING', 'CALL_SUBJECT subject', broken({ holdings: [], sensors: [] })],
  ['SAMPLES_MISSING', 'CALL_SUBJECT subject', broken(subject({ createdTs: DAY.stopMs }))],
  ['ANALYSIS_WAITING', 'WAIT subject', stored({ state: 'VERIFIED' })],
  [
    'ANALYSIS_FAILED',
    'RETRY_JOB j1',
    {
      ...stored({ state: 'VERIFIED' }),
      analyses: [{ jobId: 'j1', hasFailed: true, fromMs: DAY.startMs, toMs: DAY.stopMs }],
    },
  ],
  ['NOT_WORN', 'CALL_SUBJECT subject', { ...stored({}), day: { wornSeconds: 20 * 3600, unreadable: [] } }],
  ['NOT_WORN', 'CALL_SUBJECT subject', stored({})],
  [
    'SIGNAL_UNREADABLE',
    'CHECK_ELECTRODES subject',
    {
      ...stored({}),
      day: { wornSeconds: 24 * 3600, unreadable: [{ startMs: DAY.startMs, stopMs: DAY.startMs + HOUR }] },
    },
  ],
  [
    'ECG_MISSING',
    'CHECK_ELECTRODES subject',
    {
      ...stored({ ecg: [{ startMs: DAY.startMs, stopMs: DAY.stopMs - 2 * HOUR }] }),
      day: { wornSeconds: 24 * 3600, unreadable: [] },
    },
  ],
  [
    'RHYTHM_UNRESOLVED',
    'SHOW_SUBJECT subject',
    { ...stored({}), day: { wornSeconds: 24 * 3600, unreadable: [], unresolvedSeconds: 4 * 3600 } },
  ],
];

/** A two-hour gap in the middle of the day. */
const gap = (more: Partial<Gap> = {}): Gap => ({
  ...{ startMs: DAY.startMs + HOUR, stopMs: DAY.startMs + 3 * HOUR, sensorId: 'S1', isBetween: true },
  ...more,
});
const within = { recordingId: 'r1', isBetween: false };

const GAP_CASES: [string, CauseCode[], Gap, Partial<WhyFacts>][] = [
  ['nothing known between recordings', ['RECORDING_STOPPED'], gap(), {}],
  ['nothing known within a recording', ['SAMPLES_MISSING'], gap(within), stored({})],
  ['nothing known of a sensor of elsewhere', ['REASON_UNKNOWN'], gap({ sensorId: 'AA', isBetween: false }), {}],
  ['a battery that fills', ['ON_CHARGER'], gap(within), charging(40, 55, 70)],
  ['a full battery on its charger', ['ON_CHARGER'], gap(), charging(100, 100)],
  ['a battery that runs down', ['RECORDING_STOPPED'], gap(), charging(70, 55)],
  ['one look at the battery', ['RECORDING_STOPPED'], gap({ stopMs: DAY.startMs + 1.5 * HOUR }), charging(40, 55)],
  ['a fault at its start', ['FLAT_BATTERY'], gap(), fault('FLAT_BATTERY')],
  [
    'a fault of a sensor and then its charger',
    ['ON_CHARGER', 'FLAT_BATTERY'],
    gap(),
    { ...fault('FLAT_BATTERY'), ...charging(5, 90) },
  ],
  [
    'a fault half an hour from a break of seconds',
    ['RECORDING_STOPPED'],
    gap({ startMs: DAY.startMs + 1.5 * HOUR, stopMs: DAY.startMs + 1.5 * HOUR + 5000 }),
    fault('FLAT_BATTERY'),
  ],
  ['a damaged file', ['RECORDING_DAMAGED'], gap(within), stored({ fileProblem: 'DAMAGED' })],
  ['a recording on the hub', ['HUB_HOLDS'], gap(), stored({ state: 'ON_HUB' })],
  [
    'a recording of another sensor on the hub',
    ['RECORDING_STOPPED'],
    gap(),
    stored({ sensorId: 'S2', state: 'ON_HUB' }),
  ],
  ...GAP_REASONS.map((reason): [string, CauseCode[], Gap, Partial<WhyFacts>] => [
    'a mark within a recording',
    [reason],
    gap({ ...within, reason }),
    stored({}),
  ]),
  ['a mark at the end of a recording', ['SENSOR_RESTART'], gap({ reason: 'SENSOR_RESTART' }), {}],
  ['a mark and a fault', ['FLAT_BATTERY', 'LINK_LOST'], gap({ reason: 'LINK_LOST' }), fault('FLAT_BATTERY')],
  ['the end of the last recording', ['NEVER_RECORDED'], gap({ isBetween: false }), {}],
  ['a time before the enrolment', ['BEFORE_ENROLMENT'], gap(), subject({ createdTs: DAY.stopMs })],
];

describe('causes of a signal gap', () => {
  it.each(GAP_CASES)('%s: %j', (_, codes, one, more) => {
    expect(whyGap(facts(more), one).map(({ code }) => code)).toEqual(codes);
  });

  it('gives the start and end of the time on the charger', () => {
    const [cause] = whyGap(facts(charging(40, 55, 70)), gap());
    expect(cause).toMatchObject({
      evidence: { sensorName: 'Chest', atTs: DAY.startMs + HOUR, untilTs: DAY.startMs + 3 * HOUR, percent: 70 },
      sentence: expect.stringMatching(/^Chest was on its charger from .+ until .+\.$/),
    });
  });
});

describe('causes of missing data', () => {
  it.each(CASES)('%s: %s', (code, action, more) => {
    const { causes } = whyNoData(facts(more), DAY);
    const [first] = causes;
    expect(first?.code).toBe(code);
    expect(`${first?.action.kind} ${first?.action.target.id}`).toBe(action);
    expect(first?.sentence).toMatch(/^[A-Z].*\.$/);
  });

  it('covers every cause', () => {
    const covered = [...CASES.map(([code]) => code), ...GAP_CASES.flatMap(([, codes]) => codes)];
    expect([...new Set(covered)].sort()).toEqual([...CAUSE_CODES].sort());
  });

  const [morning, onHub] = [
    item({ stopTs: DAY.startMs + 8 * HOUR - 1 }),
    item({ recordingId: 'r2', state: 'ON_HUB', startTs: DAY.startMs + 8 * HOUR }),
  ];
  const rejected = item({ recordingId: 'r3', state: 'REJECTED' });
  const noon = DAY.startMs + 12 * HOUR;

  /** Data that can still be recovered comes first, then what to do, then the times without intended data. */
  it.each<[string, CauseCode[], Partial<WhyFacts>]>([
    [
      'data on a hub from before the enrolment',
      ['HUB_HOLDS'],
      { path: [{ ...onHub, startTs: DAY.startMs }], ...subject({ createdTs: DAY.stopMs }) },
    ],
    [
      'data on a hub from before the start of the study',
      ['HUB_HOLDS'],
      { path: [{ ...onHub, startTs: DAY.startMs }], ...study({ startedTs: DAY.stopMs }) },
    ],
    [
      'data on a hub, enrolled at noon',
      ['HUB_HOLDS', 'BEFORE_ENROLMENT'],
      { path: [{ ...onHub, startTs: noon }], ...subject({ createdTs: noon }) },
    ],
    [
      'enrolled at noon, no sensor',
      ['NOTHING_ASSIGNED', 'BEFORE_ENROLMENT'],
      { holdings: [], ...subject({ createdTs: noon }) },
    ],
    [
      'a sensor from noon on',
      ['NOTHING_ASSIGNED', 'NEVER_RECORDED'],
      { holdings: [{ sensorId: 'S1', startMs: noon, stopMs: FOREVER }] },
    ],
    ['program over at noon', ['NEVER_RECORDED', 'PROGRAM_OVER'], subject({ programEndMs: noon })],
    ['stopped at noon', ['NEVER_RECORDED', 'STUDY_STOPPED'], study({ state: 'COMPLETE', stoppedTs: noon })],
    [
      'a stopped study and data on a hub',
      ['STUDY_STOPPED'],
      { path: [onHub], ...study({ state: 'COMPLETE', stoppedTs: DAY.startMs }) },
    ],
    [
      'a hidden subject and data on a hub',
      ['HUB_HOLDS'],
      { path: [{ ...onHub, startTs: DAY.startMs }], ...subject({ isHidden: true }) },
    ],
    ['rejected, and data on a hub', ['HUB_HOLDS', 'RECORDING_REJECTED'], { path: [rejected, onHub] }],
    [
      'an analysis that failed and a hole after it',
      ['ANALYSIS_FAILED', 'NOT_RECORDING'],
      {
        path: [{ ...morning, state: 'VERIFIED' }],
        analyses: [{ jobId: 'j1', hasFailed: true, fromMs: DAY.startMs, toMs: DAY.stopMs }],
      },
    ],
    [
      'a silent hub of the subject, and a sensor that the clinic saw since',
      ['DEVICE_NOT_SEEN', 'SENSOR_NOT_SEEN'],
      {
        sensors: [{ id: 'S1', displayName: 'Chest', lastContactTs: DAY.startMs + HOUR }],
        devices: [
          { id: 'H1', displayName: 'Hub', isRevoked: false, isHeldNow: true, lastContactTs: DAY.startMs },
          { id: 'H2', displayName: 'Hub of the clinic', isRevoked: false, lastContactTs: NOW },
        ],
      },
    ],
    [
      'a gap between two recordings of a sensor that nobody registered',
      ['RECORDING_STOPPED'],
      {
        sensors: [],
        holdings: [],
        path: [
          { ...morning, sensorId: 'AA:BB', location: 'MEDIAL_CHEST' },
          item({ recordingId: 'r5', sensorId: 'AA:BB', startTs: noon, location: 'MEDIAL_CHEST' }),
        ],
        day: { wornSeconds: 20 * 3600, unreadable: [] },
      },
    ],
    [
      'a gap of a placement whose sensor nobody registered',
      ['RECORDING_STOPPED'],
      {
        sensors: [],
        holdings: [],
        path: [
          item({ sensorId: 'TH', location: 'ANTERIOR_THIGH' }),
          { ...morning, recordingId: 'r4', sensorId: 'AA:BB', location: 'MEDIAL_CHEST' },
          item({ recordingId: 'r5', sensorId: 'AA:BB', startTs: noon, location: 'MEDIAL_CHEST' }),
        ],
        ...{ day: { wornSeconds: 24 * 3600, unreadable: [] } },
      },
    ],
    [
      'scattered minutes and less than an hour without a heart rate',
      [],
      {
        path: [item({ location: 'MEDIAL_CHEST' })],
        day: {
          wornSeconds: 24 * 3600,
          unreadable: [
            ...Array.from({ length: 100 }, (_, i) => {
              const startMs = DAY.startMs + i * 300_000;
              return { startMs, stopMs: startMs + 60_000 };
            }),
            { startMs: DAY.startMs + 20 * HOUR, stopMs: DAY.startMs + 20.9 * HOUR },
          ],
        },
      },
    ],
    [
      'a battery that ran down in the break of one of two sensors',
      ['FLAT_BATTERY', 'SAMPLES_MISSING'],
      {
        ...fault('FLAT_BATTERY', 'S2'),
        sensors: ['S1', 'S2'].map((id) => ({ id, displayName: id, lastContactTs: NOW })),
        path: ['S1', 'S2'].map((sensorId) =>
          item({ recordingId: sensorId, sensorId, breaks: [{ startMs: DAY.startMs + HOUR, stopMs: noon }] }),
        ),
        day: { wornSeconds: 13 * 3600, unreadable: [] },
      },
    ],
    [
      'one sensor interrupted, the other at an end',
      ['NOT_RECORDING', 'SAMPLES_MISSING'],
      {
        sensors: ['S1', 'S2'].map((id) => ({ id, displayName: id, lastContactTs: NOW })),
        holdings: ['S1', 'S2'].map((sensorId) => ({ sensorId, startMs: 2, stopMs: FOREVER })),
        path: [
          item({ breaks: [{ startMs: DAY.startMs + 8 * HOUR, stopMs: noon }] }),
          { ...morning, recordingId: 'r9', sensorId: 'S2' },
        ],
        day: { wornSeconds: 20 * 3600, unreadable: [] },
      },
    ],
  ])('%s: %j', (_what, codes, more) => {
    const { causes } = whyNoData(facts(more), DAY);
    expect(causes.map(({ code }) => code)).toEqual(codes);
  });

  it('counts a span without samples as a hole in the day, not as unworn time', () => {
    const { holes, recordedSeconds, causes } = whyNoData(facts(broken({})), DAY);
    expect(holes).toMatchObject([{ startMs: DAY.startMs + HOUR, stopMs: DAY.startMs + 3 * HOUR }]);
    expect(recordedSeconds).toBe(22 * 3600);
    expect(causes).toMatchObject([
      {
        code: 'SAMPLES_MISSING',
        evidence: { sensorName: 'Chest', atTs: DAY.startMs + HOUR, untilTs: DAY.startMs + 3 * HOUR },
      },
    ]);
  });

  it('reports the gap of one placement beside another that continued', () => {
    const chest = item({ location: 'MEDIAL_CHEST', breaks: [{ startMs: DAY.startMs + HOUR, stopMs: noon }] });
    const thigh = item({ recordingId: 'r2', sensorId: 'S2', location: 'ANTERIOR_THIGH' });
    const { holes } = whyNoData(facts({ path: [chest, thigh], holdings: [], ...WORN }), DAY);
    expect(holes.map(({ location, causes: [cause] }) => [location, cause?.code])).toEqual([
      ['MEDIAL_CHEST', 'SAMPLES_MISSING'],
    ]);
  });

  it('names the pending analysis of a day', () => {
    const analyses = [{ jobId: 'j2', hasFailed: false, fromMs: DAY.startMs, toMs: DAY.stopMs }];
    const { causes } = whyNoData(facts({ ...stored({ state: 'VERIFIED' }), analyses }), DAY);
    expect(causes).toMatchObject([{ code: 'ANALYSIS_WAITING', evidence: { jobId: 'j2' } }]);
  });

  it('reports nothing for a complete day', () => {
    const whole = stored({});
    const { causes, holes, recordedSeconds } = whyNoData(
      facts({ ...whole, day: { wornSeconds: 86_400, unreadable: [] } }),
      DAY,
    );
    expect({ causes, holes, recordedSeconds }).toEqual({ causes: [], holes: [], recordedSeconds: 86_400 });
  });

  it('gives each hole its own causes, and known facts before inferred ones', () => {
    const morning = item({ startTs: DAY.startMs, stopTs: DAY.startMs + 8 * HOUR - 1 });
    const onHub = item({
      recordingId: 'r2',
      state: 'ON_HUB',
      startTs: DAY.startMs + 10 * HOUR,
      stopTs: DAY.stopMs - 1,
    });
    const day = { wornSeconds: 8 * 3600, unreadable: [] };
    const { holes, causes } = whyNoData(facts({ path: [morning, onHub], day }), DAY);
    expect(holes.map((hole) => [hole.startMs - DAY.startMs, hole.stopMs - DAY.startMs])).toEqual([
      [8 * HOUR, 24 * HOUR],
    ]);
    expect(causes.map(({ code }) => code)).toEqual(['HUB_HOLDS', 'NOT_RECORDING']);
    expect(causes.map(({ topic }) => topic)).toEqual(['transport', 'wear']);
  });

  it('distinguishes a hole in the signal from a lack of contact', () => {
    const seen = whyNoData(facts(stored({ startTs: 5, stopTs: 6 })), DAY).causes;
    expect(seen.map(({ topic }) => topic)).toEqual(['wear']);
    const unseen = whyNoData(
      facts({ devices: [{ id: 'H1', displayName: 'Hub', isRevoked: false, lastContactTs: 1 }] }),
      DAY,
    ).causes;
    expect(unseen.map(({ topic }) => topic)).toEqual(['transport']);
  });

  it('reports a placement missing beside another, but not a spare sensor', () => {
    const chest = item({ location: 'MEDIAL_CHEST' });
    const thigh = item({
      recordingId: 'r2',
      sensorId: 'S2',
      location: 'ANTERIOR_THIGH',
      stopTs: DAY.startMs + 6 * HOUR,
    });
    const two = {
      sensors: ['S1', 'S2', 'S3'].map((id) => ({ id, displayName: id, lastContactTs: NOW })),
      holdings: ['S1', 'S2', 'S3'].map((sensorId) => ({ sensorId, startMs: 2, stopMs: Number.POSITIVE_INFINITY })),
      path: [chest, thigh],
    };
    const { holes } = whyNoData(facts(two), DAY);
    expect(holes.map(({ location, causes }) => [location, causes.map(({ evidence }) => evidence.sensorId)])).toEqual([
      ['ANTERIOR_THIGH', ['S2']],
    ]);
  });
});

describe('coverage', () => {
  const days = [DAY, { startMs: DAY.stopMs, stopMs: DAY.stopMs + 24 * HOUR }].map((day, i) => ({
    ...day,
    date: `d${i}`,
  }));

  it('splits a recording over midnight by time, so that its bytes add up', () => {
    const over = item({ startTs: DAY.stopMs - HOUR, stopTs: DAY.stopMs + 2 * HOUR - 1, sizeBytes: 1000 });
    const found = coverageDays(days, [over], []);
    const totals = found.map(({ sensors }) => sensors[0]?.states[0]);
    expect(totals).toEqual([
      {
        state: 'ANALYSED',
        recordings: 1,
        seconds: 3600,
        sizeBytes: 333,
        spans: [{ startMs: DAY.stopMs - HOUR, stopMs: DAY.stopMs }],
      },
      {
        state: 'ANALYSED',
        recordings: 1,
        seconds: 7200,
        sizeBytes: 667,
        spans: [{ startMs: DAY.stopMs, stopMs: DAY.stopMs + 2 * HOUR }],
      },
    ]);
  });

  it('lists an assigned sensor without recordings and omits recordings with wrong times', () => {
    const wrong = item({ state: 'QUARANTINED', hasWrongClock: true });
    const holdings = [{ sensorId: 'S1', startMs: DAY.stopMs, stopMs: Number.POSITIVE_INFINITY }];
    const found = coverageDays(days, [wrong], holdings);
    expect(found.map(({ sensors }) => sensors)).toEqual([[], [{ sensorId: 'S1', isAssigned: true, states: [] }]]);
  });

  it('does not count the breaks inside a recording', () => {
    const breaks = [{ startMs: DAY.startMs + HOUR, stopMs: DAY.startMs + 3 * HOUR }];
    const [sensor] = coverageDays(days, [item({ breaks })], [])[0]!.sensors;
    expect(sensor?.states[0]).toMatchObject({ seconds: 22 * 3600, spans: [{}, {}] });
  });

  it('counts the overlap of two recordings once', () => {
    const [sensor] = coverageDays(days, [item({}), item({ recordingId: 'r2' })], [])[0]!.sensors;
    expect(sensor?.states).toEqual([
      { state: 'ANALYSED', recordings: 2, seconds: 86_400, sizeBytes: 2000, spans: [DAY] },
    ]);
  });

  it('splits a span into covered and uncovered parts', () => {
    const holes = holesIn(
      [
        { startMs: 2, stopMs: 4 },
        { startMs: 3, stopMs: 6 },
      ],
      { startMs: 0, stopMs: 8 },
    );
    expect(holes).toEqual([
      { startMs: 0, stopMs: 2 },
      { startMs: 6, stopMs: 8 },
    ]);
    expect(lengthMs(holes)).toBe(4);
  });
});
