/** The library of questionnaires, and templates of studies. */
import { QUESTIONNAIRES, type Questionnaire, questionTextOf } from '../../study/questionnaires/library.ts';
import { rangeOf } from '../../study/questionnaires/score.ts';
import { studyTemplates } from '../../study/study-templates.ts';
import type { Questionnaire as ListedQuestionnaire } from '../contract/index.ts';
import type { questionnaireRoutes } from '../contract/resources/questionnaires.ts';
import type { Handlers } from '../framework/mount.ts';

function toQuestionnaire(one: Questionnaire): ListedQuestionnaire {
  const { id, name, language, about, factor, mostMissing, licence, source, caution, items } = one;
  return {
    id,
    name,
    language,
    about,
    questions: items.map((item) => ({
      text: questionTextOf(one, item),
      values: [...item.choices],
      ...(item.points && { points: [...item.points] }),
    })),
    ...rangeOf(one),
    factor,
    mostMissing,
    licence,
    source,
    ...(caution !== undefined && { caution }),
  };
}

export function questionnaireHandlers(): Handlers<typeof questionnaireRoutes> {
  const questionnaires = QUESTIONNAIRES.map(toQuestionnaire);
  return {
    listQuestionnaires: () => questionnaires,
    listStudyTemplates: ({ query: { language } }) =>
      studyTemplates(language).map(({ id, displayName, summary, document }) => ({
        id,
        displayName,
        summary,
        days: document.program?.days ?? 0,
        countActivities: document.activities.length,
        countDiaries: document.diaries.length,
        countSensors: document.deviceConfigs.length,
      })),
  };
}
