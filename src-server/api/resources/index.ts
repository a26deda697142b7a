/** The handlers of every route: the compiler refuses a route of the contract that has none. */
import type { ApiDeps } from '../deps.ts';
import type { AllHandlers } from '../framework/mount.ts';
import { analyticsHandlers } from './analytics.ts';
import { annotationHandlers } from './annotations.ts';
import { equipmentHandlers } from './equipment.ts';
import { eventHandlers } from './events.ts';
import { jobHandlers } from './jobs.ts';
import { recordingHandlers } from './recordings.ts';
import { siteHandlers } from './site.ts';
import { studyHandlers } from './studies.ts';
import { subjectHandlers } from './subjects.ts';
import { userHandlers } from './users.ts';

export function createHandlers(deps: ApiDeps): AllHandlers {
  return {
    ...siteHandlers(deps),
    ...userHandlers(deps),
    ...studyHandlers(deps),
    ...subjectHandlers(deps),
    ...equipmentHandlers(deps),
    ...recordingHandlers(deps),
    ...annotationHandlers(deps),
    ...eventHandlers(deps),
    ...analyticsHandlers(deps),
    ...jobHandlers(deps),
  };
}
