/** A task of the draft as the site would send it to a phone. Pure; the same rules as the site's `phone-tasks.ts`. */
import type { Question as PhoneQuestion, PhoneTask } from '../../../../phone/model.ts';
import { type Activity, cleaned, type Diary, type Question } from '../draft.ts';

function questionOf({ id = '', text, type, values, unit, isMultiple, isRequired, showIf }: Question): PhoneQuestion {
  return {
    id,
    text: text.trim(),
    type,
    values,
    ...(type === 'MULTIPLECHOICE' && isMultiple !== false && { isMultiple: true }),
    ...(type === 'NUMERIC' && unit?.trim() && { unit: unit.trim() }),
    ...(isRequired && { isRequired }),
    ...(showIf && { showIf }),
  };
}

export function previewTask(given: Activity | Diary): PhoneTask {
  const isActivity = 'durationSec' in given;
  const task = cleaned({
    format: 'outpost-study-definition',
    formatVersion: 1,
    subjectMetadataFields: [],
    activities: [],
    diaries: [given],
    deviceConfigs: [],
  }).diaries[0]!;
  return {
    id: task.id,
    type: isActivity ? 'activity' : 'diary',
    displayName: task.displayName,
    // Zero seconds: without a timer.
    ...(isActivity && given.durationSec > 0 && { durationSec: given.durationSec }),
    ...(isActivity && given.instructions.trim() && { instructions: given.instructions.trim() }),
    ...(isActivity && given.guide && { guide: given.guide }),
    questions: task.questions.map(questionOf),
  };
}
