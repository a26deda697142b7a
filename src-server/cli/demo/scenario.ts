/** Data of the demo site: study, subjects, tasks and messages. No behaviour. */

export const DEMO_ACCOUNT = 'Northern Clinic';
export const DEMO_EMAIL = 'coordinator@outpost.example';
export const DEMO_PASSWORD = 'outpost-demo-2026';

export const METADATA_FIELDS = [
  { displayName: 'Dominant hand', type: 'MULTIPLECHOICE', values: ['LEFT', 'RIGHT'] },
  { displayName: 'Sport, hours per week', type: 'NUMBER', values: [] },
  { displayName: 'Lives alone', type: 'BOOLEAN', values: ['YES', 'NO'] },
  { displayName: 'Site note', type: 'FREETEXT', values: [] },
] as const;

export const ACTIVITIES = [
  {
    displayName: 'Posture calibration',
    durationSec: 60,
    instructions:
      'Stand upright and still for 20 seconds, then sit for 20 seconds, then lie on your back for 20 seconds.',
    questions: [],
  },
  {
    displayName: 'Six-minute walk',
    durationSec: 360,
    instructions: 'Walk at your own pace, back and forth, for six minutes. Rest when you need to.',
    questions: [
      { text: 'How hard was the walk?', type: 'RANGE', values: ['0', '10'] },
      { text: 'Did you have to stop?', type: 'BOOLEAN', values: ['YES', 'NO'] },
    ],
  },
  {
    displayName: 'Paced breathing',
    durationSec: 120,
    instructions: 'Sit down and breathe in and out with the circle on the screen for two minutes.',
    questions: [
      { text: 'How did you feel afterwards?', type: 'MULTIPLECHOICE', values: ['Calm', 'As before', 'Tense'] },
    ],
  },
] as const;

export const DIARIES = [
  {
    displayName: 'Morning diary',
    questions: [
      { text: 'When did you get up?', type: 'TIMEOFDAY', values: [] },
      { text: 'How well did you sleep?', type: 'RANGE', values: ['0', '10'] },
      { text: 'Did you wake up in the night?', type: 'BOOLEAN', values: ['YES', 'NO'] },
    ],
  },
  {
    displayName: 'Evening diary',
    questions: [
      { text: 'Cups of coffee or tea today', type: 'NUMERIC', values: [] },
      {
        text: 'Where did you spend most of the day?',
        type: 'MULTIPLECHOICE',
        values: ['At home', 'At work', 'Outdoors'],
      },
      { text: 'Did you take the sensors off?', type: 'BOOLEAN', values: ['YES', 'NO'] },
    ],
  },
] as const;

const MOTION_CONFIG = {
  accelLowPower: false,
  accelRange: 4,
  gyroAutoCalib: false,
  mode: 'ACCEL',
  periodMs: 32,
} as const;

export const DEVICE_CONFIGS = [
  {
    mode: 'UNSUPERVISED',
    physicalConfig: { location: 'ECG_LEAD_II', side: 'NONE', signal: 'ECG' },
    sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 10, rate: 250 }, gyro: MOTION_CONFIG },
  },
  {
    mode: 'UNSUPERVISED',
    physicalConfig: { location: 'ANTERIOR_THIGH', side: 'ANY' },
    sensorConfig: { sensingType: 'MPU', gyro: MOTION_CONFIG },
  },
] as const;

export interface DemoPerson {
  displayName: string;
  timeZone: string;
  age: number;
  gender: 'MALE' | 'FEMALE';
  heightM: number;
  weightKg: number;
  /** Values in the order of METADATA_FIELDS. */
  metadata: [string, string, string, string];
  thighSide: 'LEFT' | 'RIGHT';
}

/** A demo subject: the person, the time span to simulate, and the serials of the equipment. */
export interface DemoSubject {
  person: DemoPerson;
  seed: number;
  startMs: number;
  stopMs: number;
  chestUdid: string;
  thighUdid: string;
  serial: (kind: string) => string;
  gaps: { startMs: number; stopMs: number }[];
}

/** Templates of the demo subjects; subjects beyond the third repeat them under further codes. */
export const PEOPLE: DemoPerson[] = [
  {
    displayName: 'N-101',
    timeZone: 'US/Eastern',
    age: 54,
    gender: 'FEMALE',
    heightM: 1.66,
    weightKg: 68.5,
    metadata: ['RIGHT', '2.5', 'NO', 'Prefers calls after 5 PM'],
    thighSide: 'RIGHT',
  },
  {
    displayName: 'N-102',
    timeZone: 'Asia/Tokyo',
    age: 37,
    gender: 'MALE',
    heightM: 1.74,
    weightKg: 71,
    metadata: ['LEFT', '4', 'YES', 'Reads the study texts in Japanese'],
    thighSide: 'LEFT',
  },
  {
    displayName: 'N-103',
    timeZone: 'US/Pacific',
    age: 71,
    gender: 'MALE',
    heightM: 1.81,
    weightKg: 84.2,
    metadata: ['RIGHT', '0', 'YES', 'Sensor was off for an afternoon to charge'],
    thighSide: 'RIGHT',
  },
];

/** Messages of each subject, oldest first; the last one of a subject stays unread. */
export const MESSAGES = [
  {
    from: 'USER',
    hoursBeforeEnd: 40,
    body: 'Welcome to the study. Please charge the sensors every evening while you read.',
  },
  {
    from: 'SUBJECT',
    hoursBeforeEnd: 38,
    body: 'Thank you. The patch on the chest itches a little, is that all right?',
  },
  { from: 'USER', hoursBeforeEnd: 37, body: 'Move it by a finger width and tell us tomorrow how it feels.' },
  { from: 'SUBJECT', hoursBeforeEnd: 5, body: 'It feels better now. I will come on Thursday to change the sensors.' },
] as const;
