/** The tasks of a subject as their phone shows them, and the reports that it sends about them. */

import { isCalendarDate } from '../../../study/day-windows.ts';
import { optionsOf } from '../../../study/definition.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { ApiDeps } from '../../deps.ts';
import { invalidField } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type Outcome, outcomeOf, ownerOf } from './phone-calls.ts';
import { phoneDay, phoneProgram } from './phone-day.ts';
import { storeReport } from './phone-reports.ts';
import { phoneSensors } from './phone-sensors.ts';

type TaskRoute = 'getPhoneToday' | 'getPhoneProgram' | 'listPhoneTasks' | 'listPhoneSensors' | 'sendTaskReports';

/** The days after the last one must still be dates that can be written in ten characters. */
const FIRST_DATE = '1970-01-01';
const LAST_DATE = '9998-12-31';

export function phoneTaskHandlers(deps: ApiDeps): Pick<Handlers<typeof phoneRoutes>, TaskRoute> {
  const { store, clock } = deps;
  return {
    getPhoneToday: async ({ device }) => {
      const { study, subject } = await ownerOf(store, device);
      return await phoneDay(store, study, subject, clock());
    },
    getPhoneProgram: async ({ device, query }) => {
      const { from = FIRST_DATE } = query;
      if (!isCalendarDate(from) || from < FIRST_DATE || from > LAST_DATE) {
        throw invalidField('from', `must be a date from ${FIRST_DATE} to ${LAST_DATE}`);
      }
      const { study, subject } = await ownerOf(store, device);
      const siteName = (await store.settings.get('site.displayName')) ?? deps.siteName;
      return { siteName, ...(await phoneProgram(store, study, subject, clock(), query)) };
    },
    listPhoneSensors: async ({ device }) => {
      const { study, subject } = await ownerOf(store, device);
      const items = await phoneSensors(store, study, subject);
      return { items, size: items.length };
    },
    listPhoneTasks: async ({ device }) => {
      const { study } = await ownerOf(store, device);
      const detail = await store.studies.getDetail(study.id);
      const items = [
        ...(detail?.activities ?? []).map(({ id, displayName, durationSec, instructions, guide, questions }) => ({
          ...{ id, type: 'activity' as const, displayName, instructions },
          // 0 is an activity without a timer.
          ...(durationSec !== undefined && durationSec > 0 && { durationSec }),
          ...(guide && { guide }),
          questions,
        })),
        ...(detail?.diaries ?? []).map(({ id, displayName, questions }) => ({
          ...{ id, type: 'diary' as const, displayName },
          questions,
        })),
      ].map((task) => ({
        ...task,
        questions: task.questions.map((question) => {
          const { id, text, type, values } = question;
          const { isMultiple = true, ...options } = optionsOf(question);
          // A phone that does not know the member asks for one choice.
          return { id, text, type, values, ...options, ...(type === 'MULTIPLECHOICE' && isMultiple && { isMultiple }) };
        }),
      }));
      return { items, size: items.length };
    },
    sendTaskReports: async ({ device, body, receivedTs }) => {
      const owner = await ownerOf(store, device);
      const outcomes: Outcome[] = [];
      for (const report of body.reports) {
        outcomes.push(await outcomeOf(report.id, () => storeReport(store, device, owner, report, { receivedTs })));
      }
      return { serverTs: clock(), outcomes };
    },
  };
}
