/** What a study can begin with: templates of whole studies, and questionnaires with their licence and scoring. */
import { z } from 'zod';
import { count } from '../common.ts';
import { defineRoutes } from '../route.ts';

const language = z.enum(['en', 'ja']);

const questionnaire = z
  .strictObject({
    id: z.string().meta({ description: 'Of the instrument and the language of its wording, such as phq-9.en.' }),
    name: z.string(),
    language,
    about: z.string(),
    questions: z.array(
      z.strictObject({
        text: z.string(),
        values: z.array(z.string()),
        points: z.array(z.number()).optional().meta({ description: 'Of each choice. Absent: not scored.' }),
      }),
    ),
    min: z.number(),
    max: z.number(),
    factor: z.number().meta({ description: 'The score is the sum of the points times this.' }),
    mostMissing: count.meta({
      description: 'How many answers may be missing. Each counts as the mean of the given ones; the sum is rounded.',
    }),
    licence: z.string(),
    source: z.string(),
    caution: z.string().optional(),
  })
  .meta({ id: 'Questionnaire' });
export type Questionnaire = z.infer<typeof questionnaire>;

const studyTemplate = z
  .strictObject({
    id: z.string(),
    displayName: z.string(),
    summary: z.string(),
    days: count.meta({ description: 'Length of the program.' }),
    countActivities: count,
    countDiaries: count,
    countSensors: count,
  })
  .meta({ id: 'StudyTemplate' });

export const questionnaireRoutes = defineRoutes({
  listQuestionnaires: {
    method: 'GET',
    path: '/questionnaires',
    access: 'user',
    tag: 'Studies',
    summary: 'List the questionnaires of the library',
    description:
      'Instruments whose licence allows a study to use them, word for word. A survey that asks every scored question with its text and choices unchanged is scored, see List task reports. As a bare array.',
    order: 'that of the library',
    status: 200,
    isStored: true,
    response: z.array(questionnaire),
  },
  listStudyTemplates: {
    method: 'GET',
    path: '/study_templates',
    access: 'user',
    tag: 'Studies',
    summary: 'List the templates of studies',
    description: 'Definitions that a new study can begin with, see Create study. As a bare array.',
    order: 'that of the program',
    query: z.object({ language: language.default('en') }),
    status: 200,
    isStored: true,
    response: z.array(studyTemplate),
  },
});
