/** A subject in the middle of a study, for tests and pictures. All times are relative to one moment. */
import type { DueTask, PhoneDay, PhoneSnapshot, PhoneTask, Question } from '../model.ts';

export const NOW_MS = Date.parse('2026-11-20T09:24:00+09:00');
export const TIME_ZONE = 'Asia/Tokyo';
const TODAY = '2026-11-20';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Text = readonly [en: string, ja: string];
export type SeedLanguage = 'en' | 'ja';

export function seedOf(language: SeedLanguage): PhoneSnapshot {
  const say = ([en, ja]: Text): string => (language === 'ja' ? ja : en);
  const tasks = seedTasks(say);
  const due = (
    taskId: string,
    state: DueTask['state'],
    start?: string,
    end?: string,
    more: Partial<DueTask> = {},
  ): DueTask => {
    const task = tasks[taskId]!;
    const window =
      start && end
        ? {
            start,
            end,
            startTs: Date.parse(`${TODAY}T${start}:00+09:00`),
            stopTs: Date.parse(`${TODAY}T${end}:00+09:00`),
          }
        : undefined;
    return { taskId, type: task.type, displayName: task.displayName, window, state, ...more };
  };
  return {
    phase: 'READY',
    siteName: say(['Lakeside Heart Clinic', '湖畔ハートクリニック']),
    studyName: say(['Walking after heart surgery', '心臓手術後の歩行に関する研究']),
    subjectName: 'N-104',
    timeZone: TIME_ZONE,
    isRunning: true,
    connection: { state: 'ONLINE', lastContactTs: NOW_MS - 60_000 },
    waiting: [],
    today: TODAY,
    days: seedDays(due),
    tasks,
    drafts: {},
    messages: seedMessages(say),
    unreadMessages: 1,
    sensors: seedSensors(),
    storage: { isPersistent: true, usedBytes: 2_400_000, quotaBytes: 900_000_000, state: 'FINE' },
    clock: { offsetMs: 0, uncertaintyMs: 40, state: 'MEASURED' },
    reach: {
      isSecure: true,
      opensOffline: true,
      isInstalled: false,
      canInstall: true,
      bluetooth: 'YES',
      canVibrate: true,
      canKeepScreenOn: true,
    },
    hasLock: false,
    signOutWaits: false,
    updateWaits: false,
    version: '0.1.0',
  };
}

export function seedTasks(say: (text: Text) => string): Record<string, PhoneTask> {
  const question = (
    id: string,
    type: string,
    text: Text,
    values: readonly Text[] = [],
    isMultiple = false,
  ): Question => ({
    id,
    type,
    text: say(text),
    values: values.map(say),
    ...(isMultiple ? { isMultiple } : {}),
  });
  const same = (value: string): Text => [value, value];
  const list: PhoneTask[] = [
    {
      id: 'morning',
      type: 'diary',
      displayName: say(['Morning questions', '朝の質問']),
      instructions: say(['Please answer before breakfast.', '朝食の前に答えてください。']),
      questions: [
        question(
          'sleep',
          'MULTIPLECHOICE',
          ['How did you sleep?', '昨夜はよく眠れましたか'],
          [
            ['Very well', 'とてもよく眠れた'],
            ['Well', 'よく眠れた'],
            ['Not so well', 'あまり眠れなかった'],
            ['Badly', '眠れなかった'],
          ],
        ),
        question('pills', 'BOOLEAN', ['Did you take your medicine this morning?', '今朝、薬を飲みましたか']),
        question(
          'pain',
          'RANGE',
          [
            'How strong is your pain now? 0 is no pain, 10 is the worst pain.',
            '今の痛みはどのくらいですか。0は痛みなし、10は最も強い痛みです。',
          ],
          [same('0'), same('10')],
        ),
        question(
          'health',
          'RANGE',
          [
            'How is your health today, from 0 (worst) to 100 (best)?',
            '今日の体調は、0（最も悪い）から100（最も良い）のどのくらいですか',
          ],
          [same('0'), same('100')],
        ),
        {
          ...question('weight', 'NUMERIC', ['How much do you weigh this morning?', '今朝の体重はどのくらいですか']),
          unit: 'kg',
        },
        question('bed', 'TIMEOFDAY', ['When did you go to bed last night?', '昨夜は何時に床につきましたか']),
        question(
          'where',
          'MULTIPLECHOICE',
          ['Where does it hurt? Choose all that apply.', '痛むところをすべて選んでください'],
          [
            ['Chest', '胸'],
            ['Back', '背中'],
            ['Left arm', '左腕'],
            ['Right leg, where the vein was taken for the operation', '右脚（手術で血管を採ったところ）'],
            ['Nowhere', 'どこも痛くない'],
          ],
          true,
        ),
        question('note', 'FREETEXT', ['Is there anything else you want to tell us?', 'ほかに伝えたいことはありますか']),
        {
          ...question('visit', 'DATE', ['When did you last see a doctor?', '最後に医師の診察を受けたのはいつですか']),
          isRequired: true,
        },
      ],
    },
    {
      id: 'walk',
      type: 'activity',
      displayName: say(['Six-minute walk', '6分間歩行']),
      instructions: say([
        'Walk back and forth on flat ground, at your own pace. You may slow down, stop, and rest.\nTake the phone with you.',
        '平らな場所を、自分の速さで行ったり来たり歩きます。ゆっくりにしても、止まって休んでも構いません。\nスマートフォンを持って歩いてください。',
      ]),
      durationSec: 360,
      questions: [
        question(
          'breath',
          'RANGE',
          ['How short of breath were you at the end?', '終わったとき、どのくらい息が切れましたか'],
          [same('0'), same('10')],
        ),
      ],
    },
    {
      id: 'stand',
      type: 'activity',
      displayName: say(['Standing still', '立った姿勢の測定']),
      guide: 'POSTURE_CALIBRATION',
      questions: [],
    },
    {
      id: 'evening',
      type: 'diary',
      displayName: say(['Evening questions', '夜の質問']),
      questions: [question('mood', 'RANGE', ['How was your day?', '今日はどんな日でしたか'], [same('1'), same('5')])],
    },
    {
      id: 'long',
      type: 'diary',
      displayName: say(['Yearly questionnaire', '年に一度の質問票']),
      questions: Array.from({ length: 200 }, (_, index) =>
        question(
          `long-${index}`,
          index % 3 === 0 ? 'BOOLEAN' : 'RANGE',
          [
            `In the past 4 weeks, how often did you have trouble with item ${index + 1} of daily life?`,
            `この4週間に、日常生活の項目${index + 1}で困ったことはどのくらいありましたか`,
          ],
          index % 3 === 0 ? [] : [same('0'), same('5')],
        ),
      ),
    },
  ];
  return Object.fromEntries(list.map((task) => [task.id, task]));
}

type Due = (taskId: string, state: DueTask['state'], start?: string, end?: string, more?: Partial<DueTask>) => DueTask;

function seedDays(due: Due): PhoneDay[] {
  const date = (offset: number) =>
    new Date(Date.parse(`${TODAY}T12:00:00Z`) + offset * DAY_MS).toISOString().slice(0, 10);
  const past: PhoneDay[] = [
    {
      date: date(-1),
      dayNumber: 3,
      tasks: [
        due('morning', 'DONE', '07:00', '10:00', { completedTs: NOW_MS - 25 * HOUR_MS }),
        due('walk', 'MISSED', '14:00', '16:00'),
      ],
    },
  ];
  const today: PhoneDay = {
    date: TODAY,
    dayNumber: 4,
    tasks: [
      due('stand', 'DONE', undefined, undefined, { completedTs: NOW_MS - 80 * 60_000 }),
      due('morning', 'DUE', '07:00', '10:00'),
      due('walk', 'DUE', '09:00', '12:00'),
      due('evening', 'LATER', '19:00', '22:00'),
    ],
  };
  const ahead = Array.from(
    { length: 6 },
    (_, index): PhoneDay => ({
      date: date(index + 1),
      dayNumber: 5 + index,
      tasks:
        index === 2
          ? []
          : [due('morning', 'LATER', '07:00', '10:00'), ...(index % 2 ? [due('walk', 'LATER', '14:00', '16:00')] : [])],
    }),
  );
  return [...past, today, ...ahead];
}

function seedMessages(say: (text: Text) => string): PhoneSnapshot['messages'] {
  const team = say(['Dr. Sato', '佐藤']);
  return [
    {
      id: 'm1',
      from: 'TEAM',
      authorName: team,
      body: say([
        'Welcome to the study. Write to us here if anything is unclear.',
        '研究へようこそ。分からないことがあれば、ここに書いてください。',
      ]),
      createdTs: NOW_MS - 3 * DAY_MS,
      isRead: true,
      pictures: [],
    },
    {
      id: 'm2',
      from: 'SUBJECT',
      authorName: 'N-104',
      body: say([
        'The chest sensor came off while I was showering. I put it back on.',
        'シャワーのときに胸のセンサーが外れたので、付け直しました。',
      ]),
      createdTs: NOW_MS - 26 * HOUR_MS,
      isRead: true,
      state: 'SENT',
      isProblem: true,
      pictures: [{ id: 'p1', url: samplePicture, mimeType: 'image/jpeg', sizeBytes: 84_000 }],
    },
    {
      id: 'm3',
      from: 'TEAM',
      authorName: team,
      body: say([
        'Thank you. Please use a new patch after a shower.',
        'ありがとうございます。シャワーの後は、新しいパッチを使ってください。',
      ]),
      createdTs: NOW_MS - 2 * HOUR_MS,
      isRead: false,
      pictures: [],
    },
  ];
}

const samplePicture = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="480" height="320"><rect width="480" height="320" fill="#c9b8a2"/><rect x="170" y="90" width="140" height="140" rx="40" fill="#ffffff"/><circle cx="240" cy="160" r="34" fill="#0b6a70"/></svg>')}`;

function seedSensors(): PhoneSnapshot['sensors'] {
  return [
    {
      serial: 'BS-20417',
      displayName: 'BioStamp nPoint',
      hardwareId: 'BIOSTAMP',
      location: 'MEDIAL_CHEST',
      side: 'NONE',
      heldSinceTs: NOW_MS - 4 * DAY_MS,
      lastUploadTs: NOW_MS - 15 * HOUR_MS,
      batteryPercent: 72,
    },
    {
      serial: 'BS-20418',
      displayName: 'BioStamp nPoint',
      hardwareId: 'BIOSTAMP',
      location: 'ANTERIOR_THIGH',
      side: 'RIGHT',
      heldSinceTs: NOW_MS - 4 * DAY_MS,
      lastUploadTs: NOW_MS - 40 * HOUR_MS,
      batteryPercent: 16,
    },
    {
      serial: 'H10-8A31',
      displayName: 'Polar H10',
      hardwareId: 'POLAR_H10',
      location: 'SACRUM',
      side: 'NONE',
      heldSinceTs: NOW_MS - DAY_MS,
    },
  ];
}
