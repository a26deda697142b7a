/**
 * Templates of studies: definitions to begin with, in both languages. Everything in them can be changed before the study starts. Questions
 * of our own are plain questions, not an instrument; instruments come from the library word for word.
 */

import type { QuestionDefinition } from './definition.ts';
import type { DefinitionDocument } from './definition-document.ts';
import { QUESTIONNAIRES, type QuestionnaireLanguage, questionTextOf } from './questionnaires/library.ts';

export interface StudyTemplate {
  id: string;
  displayName: string;
  summary: string;
  document: DefinitionDocument;
}

type Texts = Record<QuestionnaireLanguage, string>;
const textIn = (language: QuestionnaireLanguage) => (texts: Texts) => texts[language];

const choice = (id: string, text: string, values: string[]): QuestionDefinition => ({
  id,
  text,
  type: 'MULTIPLECHOICE',
  values,
  isMultiple: false,
});

/** The questions of an instrument of the library. */
function questionsOf(questionnaireId: string): QuestionDefinition[] {
  const found = QUESTIONNAIRES.find(({ id }) => id === questionnaireId);
  if (!found) throw new Error(`The library has no ${questionnaireId}.`);
  return found.items.map((item, index) =>
    choice(`${questionnaireId}-${index + 1}`, questionTextOf(found, item), [...item.choices]),
  );
}

const task = { mode: 'UNSUPERVISED', pipelineIds: [] };
const document = (parts: Partial<DefinitionDocument>): DefinitionDocument => ({
  format: 'outpost-study-definition',
  formatVersion: 1,
  subjectMetadataFields: [],
  activities: [],
  diaries: [],
  deviceConfigs: [],
  ...parts,
});

/** As the presets of the definition editor, with which a test compares them. */
const ACCELERATION = { accelLowPower: false, accelRange: 4, gyroAutoCalib: false, mode: 'ACCEL', periodMs: 32 };
const MOTION = { sensingType: 'MPU', gyro: ACCELERATION };
const ECG = { sensingType: 'MPU_ANALOG', afe: { gain: 10, rate: 250 }, gyro: ACCELERATION };

function movement(t: (texts: Texts) => string): StudyTemplate {
  const diary = {
    ...task,
    id: 'morning',
    displayName: t({ en: 'Morning diary', ja: '朝の日誌' }),
    questions: [
      {
        id: 'bed',
        text: t({ en: 'When did you go to bed?', ja: '何時に床に就きましたか？' }),
        type: 'TIMEOFDAY',
        values: [],
      },
      { id: 'up', text: t({ en: 'When did you get up?', ja: '何時に起きましたか？' }), type: 'TIMEOFDAY', values: [] },
      {
        id: 'removed',
        text: t({ en: 'Did you take the sensor off yesterday?', ja: '昨日、センサーを外しましたか？' }),
        type: 'BOOLEAN',
        values: ['YES', 'NO'],
      },
      {
        id: 'why',
        text: t({ en: 'When and why?', ja: 'いつ、なぜ外しましたか？' }),
        type: 'FREETEXT',
        values: [],
        showIf: { questionId: 'removed', values: ['YES'] },
      },
    ],
  };
  return {
    id: 'movement',
    displayName: t({ en: 'Movement and sleep, 14 days', ja: '活動と睡眠、14日間' }),
    summary: t({ en: 'A wrist sensor, and a diary each morning.', ja: '手首のセンサーと、毎朝の日誌。' }),
    document: document({
      diaries: [diary],
      deviceConfigs: [
        {
          id: 'wrist',
          mode: 'UNSUPERVISED',
          pipelineIds: [],
          physicalConfig: { location: 'POSTERIOR_FOREARM', side: 'ANY' },
          sensorConfig: MOTION,
        },
      ],
      program: {
        days: 14,
        tasks: [{ taskId: 'morning', type: 'diary', days: 'daily', window: { start: '06:00', end: '12:00' } }],
      },
    }),
  };
}

function heart(t: (texts: Texts) => string): StudyTemplate {
  return {
    id: 'heart',
    displayName: t({ en: 'ECG and posture, 7 days', ja: '心電図と姿勢、7日間' }),
    summary: t({
      en: 'A chest sensor, a posture calibration on the first day, and a diary each evening.',
      ja: '胸のセンサー、初日の姿勢キャリブレーション、毎晩の日誌。',
    }),
    document: document({
      activities: [
        {
          ...task,
          id: 'posture',
          displayName: t({ en: 'Posture calibration', ja: '姿勢キャリブレーション' }),
          durationSec: 0,
          instructions: '',
          guide: 'POSTURE_CALIBRATION',
          questions: [],
        },
      ],
      diaries: [
        {
          ...task,
          id: 'evening',
          displayName: t({ en: 'Evening diary', ja: '夜の日誌' }),
          questions: [
            {
              id: 'felt',
              text: t({ en: 'Did you notice your heartbeat today?', ja: '今日、鼓動が気になりましたか？' }),
              type: 'BOOLEAN',
              values: ['YES', 'NO'],
            },
            {
              id: 'when',
              text: t({ en: 'At about what time?', ja: '何時頃でしたか？' }),
              type: 'TIMEOFDAY',
              values: [],
              showIf: { questionId: 'felt', values: ['YES'] },
            },
            {
              id: 'doing',
              text: t({ en: 'What were you doing?', ja: '何をしていましたか？' }),
              type: 'FREETEXT',
              values: [],
              showIf: { questionId: 'felt', values: ['YES'] },
            },
          ],
        },
      ],
      deviceConfigs: [
        {
          id: 'chest',
          mode: 'UNSUPERVISED',
          pipelineIds: [],
          physicalConfig: { location: 'ECG_LEAD_II', side: 'NONE', signal: 'ECG' },
          sensorConfig: ECG,
        },
      ],
      program: {
        days: 7,
        tasks: [
          { taskId: 'posture', type: 'activity', days: [0] },
          { taskId: 'evening', type: 'diary', days: 'daily', window: { start: '18:00', end: '23:30' } },
        ],
      },
    }),
  };
}

function wellBeing(t: (texts: Texts) => string, language: QuestionnaireLanguage): StudyTemplate {
  return {
    id: 'well-being',
    displayName: t({ en: 'Well-being and movement, 28 days', ja: '精神的健康状態と活動、28日間' }),
    summary: t({
      en: 'A wrist sensor, and the WHO-5 at the beginning, after two weeks and at the end. WHO-5: CC BY-NC-SA 3.0 IGO.',
      ja: '手首のセンサーと、開始時、2週間後、終了時のWHO-5。WHO-5：CC BY-NC-SA 3.0 IGO。',
    }),
    document: document({
      diaries: [{ ...task, id: 'who-5', displayName: 'WHO-5', questions: questionsOf(`who-5.${language}`) }],
      deviceConfigs: [
        {
          id: 'wrist',
          mode: 'UNSUPERVISED',
          pipelineIds: [],
          physicalConfig: { location: 'POSTERIOR_FOREARM', side: 'ANY' },
          sensorConfig: MOTION,
        },
      ],
      program: { days: 28, tasks: [{ taskId: 'who-5', type: 'diary', days: [0, 14, 27] }] },
    }),
  };
}

/** Returns the templates with their texts in a language. */
export function studyTemplates(language: QuestionnaireLanguage): StudyTemplate[] {
  const t = textIn(language);
  return [movement(t), heart(t), wellBeing(t, language)];
}
