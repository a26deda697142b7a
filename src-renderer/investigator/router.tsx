/** The routes of the desk. Every screen except the frame and the sign-in loads on demand. */
import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  type AsyncRouteComponent,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { recordingOverviewQuery, recordingsBesideQuery, subjectQuery } from '../shared/api/queries.ts';
import { session } from '../shared/api/session.ts';
import { loadWords } from '../shared/i18n/i18n.ts';
import type { Area } from '../shared/locales/words.ts';
import { filterSearch } from './filters/filter-search.ts';
import { Frame } from './frame/frame.tsx';
import { Crashed, PageMissing } from './frame/page-states.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  notFoundComponent: PageMissing,
});

/** Loads a screen as a chunk of its own, together with the texts that it needs. */
function screen<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
  ...areas: Area[]
) {
  return lazyRouteComponent(async () => (await Promise.all([load(), loadWords(...areas)]))[0], name);
}

/** A route that consists of its address and its screen. */
function page<Parent extends AnyRoute, const Path extends string>(
  parent: Parent,
  path: Path,
  component: AsyncRouteComponent<unknown>,
) {
  return createRoute({ getParentRoute: () => parent, path, component });
}

const optionalText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    const next = optionalText(search.next);
    // Accept only a path of this desk, so that a link cannot redirect to another site.
    return next?.startsWith('/') && !next.startsWith('//') ? { next } : {};
  },
  beforeLoad: ({ search }) => {
    if (session.get()) throw redirect({ href: search.next ?? '/' });
  },
  component: SignIn,
});

const setPasswordRoute = page(
  rootRoute,
  '/set-password',
  screen(() => import('./users/set-password.tsx'), 'SetPassword', 'site'),
);

/** Asks for a sign-in first, which then leads to the address that was asked for. */
function requireSession({ location }: { location: { href: string } }): void {
  if (!session.get()) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
}

const deskRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'desk',
  beforeLoad: requireSession,
  component: Frame,
});

const homeRoute = page(
  deskRoute,
  '/',
  screen(() => import('./today/today.tsx'), 'Today', 'today'),
);

const studiesRoute = page(
  deskRoute,
  '/studies',
  screen(() => import('./studies/studies.tsx'), 'Studies', 'studies'),
);

const studyRoute = page(
  deskRoute,
  '/studies/$studyId',
  screen(() => import('./studies/study.tsx'), 'StudyPage', 'studies'),
);

const studyOverviewRoute = page(
  studyRoute,
  '/',
  screen(() => import('./studies/overview/overview.tsx'), 'StudyOverview', 'studies', 'subject'),
);

const studySubjectsRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/subjects',
  validateSearch: filterSearch('text', 'filter', 'group'),
  component: screen(() => import('./studies/study-subjects.tsx'), 'StudySubjects', 'studies', 'filters'),
});

const studyHistoryRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/history',
  validateSearch: filterSearch('type'),
  component: screen(() => import('./history/history.tsx'), 'StudyHistory', 'messagesAndEvents', 'diagnostics'),
});

const studyAccessRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/access',
  validateSearch: filterSearch('user', 'kind', 'subject', 'address', 'from', 'to'),
  component: screen(() => import('./access/study-access.tsx'), 'StudyAccess', 'access', 'site', 'messagesAndEvents'),
});

const noteFilter = filterSearch('kind');
const noteSearch = (search: Record<string, unknown>): ReturnType<typeof noteFilter> & { note?: string } => ({
  ...noteFilter(search),
  note: optionalText(search.note),
});

const studyNotesRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/notes',
  validateSearch: noteSearch,
  component: screen(() => import('./notes/notes.tsx'), 'StudyNotes', 'notes'),
});

const studyQueriesRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/queries',
  validateSearch: filterSearch('state', 'of', 'assignee'),
  component: screen(() => import('./queries/queries.tsx'), 'StudyQueries', 'queries', 'filters'),
});

const studyQualityRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/quality',
  validateSearch: (search: Record<string, unknown>): { view?: 'weeks' | 'faults'; subject?: string } => ({
    view: search.view === 'weeks' || search.view === 'faults' ? search.view : undefined,
    subject: optionalText(search.subject),
  }),
  component: screen(() => import('./quality/quality.tsx'), 'Quality', 'quality', 'subject', 'equipment'),
});

const studyBoardRoute = page(
  studyRoute,
  '/board',
  screen(() => import('./board/board.tsx'), 'Board', 'quality', 'subject'),
);

const studyPlanRoute = page(
  studyRoute,
  '/plan',
  screen(() => import('./participation/plan.tsx'), 'StudyPlanPage', 'participation', 'studies'),
);

const studyAnalysisRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/analysis',
  validateSearch: (search: Record<string, unknown>): { run?: string } => ({ run: optionalText(search.run) }),
  component: screen(() => import('./analysis/analysis.tsx'), 'StudyAnalysis', 'studies', 'subject'),
});

const studySignaturesRoute = page(
  studyRoute,
  '/signatures',
  screen(() => import('./signatures/study-signatures.tsx'), 'StudySignatures', 'studies'),
);

const membersRoute = page(
  studyRoute,
  '/members',
  screen(() => import('./users/members.tsx'), 'Members', 'site', 'exports'),
);

const studyDefinitionRoute = createRoute({
  getParentRoute: () => studyRoute,
  path: '/definition',
  validateSearch: (search: Record<string, unknown>): { part?: 'quality' } => ({
    part: search.part === 'quality' ? search.part : undefined,
  }),
  component: screen(() => import('./studies/builder/builder.tsx'), 'StudyBuilder', 'studies'),
});

const subjectsRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/subjects',
  validateSearch: filterSearch('text', 'filter', 'group'),
  component: screen(() => import('./subjects/all-subjects.tsx'), 'AllSubjects', 'studies', 'filters'),
});

const subjectRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/studies/$studyId/subjects/$subjectId',
  // Prefetch while the screen itself loads; navigation does not wait for it.
  loader: ({ context: { queries }, params: { studyId, subjectId } }) => {
    void queries.prefetchQuery(subjectQuery(studyId, subjectId));
  },
  component: screen(() => import('./subjects/subject.tsx'), 'SubjectPage', 'subject', 'studies'),
});

const subjectHomeRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/studies/$studyId/subjects/$subjectId/days', params });
  },
});

const RANGES = ['both', 'day', 'night'] as const;
const VIEWS = ['timeline', 'table', 'week', 'week-table'] as const;

const daysRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/days',
  validateSearch: (
    search: Record<string, unknown>,
  ): { date?: string; range?: (typeof RANGES)[number]; view?: (typeof VIEWS)[number] } => ({
    date: typeof search.date === 'string' && DATE.test(search.date) ? search.date : undefined,
    range: RANGES.find((range) => range === search.range),
    view: VIEWS.find((view) => view === search.view),
  }),
  loader: ({ context: { queries }, params: { studyId, subjectId }, location }) => {
    const { date, view } = location.search as { date?: string; view?: (typeof VIEWS)[number] };
    if (view?.startsWith('week')) return;
    void import('./days/day-queries.ts')
      .then(({ prefetchDay }) => prefetchDay(queries, studyId, subjectId, date))
      // The screen reads the same data and reports what went wrong.
      .catch(() => undefined);
  },
  component: screen(() => import('./days/days.tsx'), 'Days', 'subject', 'today', 'queries', 'manual'),
});

const coverageRoute = page(
  subjectRoute,
  '/coverage',
  screen(() => import('./coverage/coverage.tsx'), 'Coverage', 'subject', 'today'),
);

const recordSensorRoute = page(
  subjectRoute,
  '/record',
  screen(() => import('./record/record.tsx'), 'RecordSensor', 'subject', 'record'),
);

const metricsRoute = page(
  subjectRoute,
  '/metrics',
  screen(() => import('./metrics/metrics.tsx'), 'Metrics', 'subject', 'manual'),
);

const tasksRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/tasks',
  validateSearch: (search: Record<string, unknown>): { date?: string; view?: 'table' } => ({
    date: typeof search.date === 'string' && DATE.test(search.date) ? search.date : undefined,
    view: search.view === 'table' ? 'table' : undefined,
  }),
  component: screen(() => import('./tasks/tasks.tsx'), 'Tasks', 'studies', 'subject', 'today'),
});

const recordingsRoute = page(
  subjectRoute,
  '/recordings',
  screen(() => import('./recordings/recordings.tsx'), 'Recordings', 'subject', 'viewer', 'queries'),
);

/** Of lists that show one of their items, which a search or a link names. */
const shownSearch = (search: Record<string, unknown>): { show?: string } => ({ show: optionalText(search.show) });

const subjectMessagesRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/messages',
  validateSearch: shownSearch,
  component: screen(() => import('./messages/messages.tsx'), 'SubjectMessages', 'subject', 'messagesAndEvents'),
});

const labelFilter = filterSearch('text', 'kind');

const labelsRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/labels',
  validateSearch: (search: Record<string, unknown>) => ({ ...labelFilter(search), ...shownSearch(search) }),
  component: screen(
    () => import('./labels/labels.tsx'),
    'Labels',
    'subject',
    'viewer',
    'messagesAndEvents',
    'queries',
    'filters',
  ),
});

const subjectNotesRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/notes',
  validateSearch: noteSearch,
  component: screen(() => import('./notes/notes.tsx'), 'SubjectNotes', 'notes'),
});

const subjectQueryFilter = filterSearch('state', 'assignee');

const subjectQueriesRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/queries',
  validateSearch: (search: Record<string, unknown>) => ({ ...subjectQueryFilter(search), ...shownSearch(search) }),
  component: screen(() => import('./queries/queries.tsx'), 'SubjectQueries', 'queries', 'subject', 'filters'),
});

const participationRoute = page(
  subjectRoute,
  '/participation',
  screen(() => import('./participation/participation.tsx'), 'Participation', 'participation'),
);

const subjectHistoryRoute = page(
  subjectRoute,
  '/history',
  screen(() => import('./history/history.tsx'), 'SubjectHistory', 'subject', 'messagesAndEvents', 'diagnostics'),
);

const viewerRoute = createRoute({
  getParentRoute: () => subjectRoute,
  path: '/recordings/$recordingId',
  validateSearch: (search: Record<string, unknown>): { at?: number } => ({
    at: typeof search.at === 'number' && Number.isFinite(search.at) ? search.at : undefined,
  }),
  loader: ({ context: { queries }, params, location, cause }) => {
    const { studyId, subjectId, recordingId } = params;
    void queries.prefetchQuery(recordingsBesideQuery(studyId, subjectId, recordingId));
    void queries.prefetchQuery(recordingOverviewQuery(studyId, recordingId));
    // Samples are not for a pointer that only passes over a link.
    if (cause !== 'enter') return;
    void import('./viewer/data/first-samples.ts')
      .then(({ askFirstSamples }) => askFirstSamples(queries, params, (location.search as { at?: number }).at))
      // The screen reads the same data and reports what went wrong.
      .catch(() => undefined);
  },
  component: screen(
    () => import('./viewer/viewer.tsx'),
    'Viewer',
    'subject',
    'viewer',
    'today',
    'messagesAndEvents',
    'queries',
  ),
});

const PAPER_IDS = ['a4', 'letter'] as const;
const optionalMs = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** Outside the frame: what prints is only the sheets of paper. */
const stripRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
  validateSearch: (
    search: Record<string, unknown>,
  ): { from?: number; to?: number; filter?: string; paper?: (typeof PAPER_IDS)[number] } => ({
    from: optionalMs(search.from),
    to: optionalMs(search.to),
    filter: optionalText(search.filter),
    paper: PAPER_IDS.find((paper) => paper === search.paper),
  }),
  beforeLoad: requireSession,
  component: screen(() => import('./paper/strip.tsx'), 'Strip', 'paper', 'viewer', 'subject', 'today'),
});

const optionalDate = (value: unknown) => (typeof value === 'string' && DATE.test(value) ? value : undefined);
const paperIn = (search: Record<string, unknown>): { paper?: (typeof PAPER_IDS)[number] } => ({
  paper: PAPER_IDS.find((paper) => paper === search.paper),
});

const datedPaper = (search: Record<string, unknown>): ReturnType<typeof paperIn> & { date?: string } => ({
  ...paperIn(search),
  date: optionalDate(search.date),
});

const dayOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId/subjects/$subjectId/day',
  validateSearch: datedPaper,
  beforeLoad: requireSession,
  component: screen(() => import('./paper/day/day-report.tsx'), 'DayOnPaper', 'paper', 'subject', 'today', 'studies'),
});

const weekOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId/subjects/$subjectId/week',
  validateSearch: datedPaper,
  beforeLoad: requireSession,
  component: screen(
    () => import('./paper/week/week-report.tsx'),
    'WeekOnPaper',
    'paper',
    'subject',
    'today',
    'studies',
  ),
});

const studyOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId',
  validateSearch: paperIn,
  beforeLoad: requireSession,
  component: screen(() => import('./paper/study/study-report.tsx'), 'StudyOnPaper', 'paper', 'studies', 'subject'),
});

const adherenceOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId/adherence',
  validateSearch: datedPaper,
  beforeLoad: requireSession,
  component: screen(() => import('./paper/study/adherence-report.tsx'), 'AdherenceOnPaper', 'paper', 'studies'),
});

const auditSearch = (
  search: Record<string, unknown>,
): ReturnType<typeof paperIn> & {
  subject?: string;
  user?: string;
  type?: string;
  record?: string;
  start?: number;
  stop?: number;
  before?: number;
} => ({
  ...paperIn(search),
  subject: optionalText(search.subject),
  user: optionalText(search.user),
  type: optionalText(search.type),
  record: optionalText(search.record),
  start: optionalMs(search.start),
  stop: optionalMs(search.stop),
  before: optionalMs(search.before),
});

const auditOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/studies/$studyId/history',
  validateSearch: auditSearch,
  beforeLoad: requireSession,
  component: screen(
    () => import('./paper/audit/audit-report.tsx'),
    'AuditOnPaper',
    'paper',
    'messagesAndEvents',
    'diagnostics',
    'studies',
  ),
});

const siteAuditOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/history',
  validateSearch: auditSearch,
  beforeLoad: requireSession,
  component: screen(
    () => import('./paper/audit/audit-report.tsx'),
    'SiteAuditOnPaper',
    'paper',
    'messagesAndEvents',
    'diagnostics',
    'studies',
  ),
});

const equipmentOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/equipment',
  // Of some items: their ids, as one text.
  validateSearch: (search: Record<string, unknown>): ReturnType<typeof paperIn> & { items?: string } => ({
    ...paperIn(search),
    items: optionalText(search.items),
  }),
  beforeLoad: requireSession,
  component: screen(() => import('./paper/equipment/equipment-report.tsx'), 'EquipmentOnPaper', 'paper', 'equipment'),
});

const itemOnPaperRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/print/equipment/$equipmentId',
  validateSearch: paperIn,
  beforeLoad: requireSession,
  component: screen(() => import('./paper/equipment/item-report.tsx'), 'ItemOnPaper', 'paper', 'equipment'),
});

const userHistoryRoute = page(
  deskRoute,
  '/site/users/$userId/history',
  screen(() => import('./history/user-history.tsx'), 'UserHistory', 'site', 'messagesAndEvents', 'diagnostics'),
);

const eventsRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/events',
  validateSearch: (
    search: Record<string, unknown>,
  ): { study?: string; date?: string; type?: string; subject?: string; show?: string } => ({
    ...shownSearch({ show: typeof search.show === 'number' ? String(search.show) : search.show }),
    study: optionalText(search.study),
    date: typeof search.date === 'string' && DATE.test(search.date) ? search.date : undefined,
    type: optionalText(search.type),
    subject: optionalText(search.subject),
  }),
  component: screen(() => import('./events/events.tsx'), 'Events', 'messagesAndEvents', 'filters'),
});

const messagesRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/messages',
  validateSearch: (search: Record<string, unknown>): { study?: string; subject?: string } => ({
    study: optionalText(search.study),
    subject: optionalText(search.subject),
  }),
  component: screen(() => import('./messages/messages.tsx'), 'Messages', 'messagesAndEvents'),
});

const subjectEquipmentRoute = page(
  subjectRoute,
  '/equipment',
  screen(() => import('./equipment/subject-equipment.tsx'), 'SubjectEquipment', 'subject', 'equipment'),
);

const equipmentRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/equipment',
  validateSearch: filterSearch('text', 'type', 'state'),
  component: screen(() => import('./equipment/equipment.tsx'), 'Equipment', 'equipment', 'filters'),
});

const devicesRoute = page(
  deskRoute,
  '/equipment/devices',
  screen(() => import('./equipment/devices.tsx'), 'Devices', 'equipment'),
);

const uploadsRoute = page(
  deskRoute,
  '/equipment/uploads',
  screen(() => import('./equipment/uploads/uploads.tsx'), 'Uploads', 'equipment'),
);

const docksRoute = page(
  deskRoute,
  '/equipment/docks',
  screen(() => import('./equipment/docks/docks.tsx'), 'DocksScreen', 'equipment', 'docks'),
);

const pairRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/equipment/pair',
  validateSearch: (search: Record<string, unknown>): { studyId?: string; subjectId?: string; pairing?: string } => ({
    studyId: optionalText(search.studyId),
    subjectId: optionalText(search.subjectId),
    pairing: optionalText(search.pairing),
  }),
  component: screen(() => import('./equipment/pair/pair.tsx'), 'Pair', 'equipment', 'site'),
});

const equipmentDetailRoute = page(
  deskRoute,
  '/equipment/$equipmentId',
  screen(() => import('./equipment/equipment-detail.tsx'), 'EquipmentDetail', 'equipment'),
);

const exportsRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/exports',
  validateSearch: filterSearch('study'),
  component: screen(() => import('./exports/exports.tsx'), 'Exports', 'exports', 'subject', 'studies', 'filters'),
});

const siteRoute = page(
  deskRoute,
  '/site',
  screen(() => import('./site/site.tsx'), 'Site', 'site', 'exports', 'diagnostics', 'access'),
);

const jobsRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/site/jobs',
  validateSearch: filterSearch('state'),
  component: screen(() => import('./jobs/jobs.tsx'), 'Jobs', 'site', 'exports'),
});

const usersRoute = page(
  deskRoute,
  '/site/users',
  screen(() => import('./users/users.tsx'), 'Users', 'site', 'exports', 'access'),
);

const backupsRoute = page(
  deskRoute,
  '/site/backups',
  screen(() => import('./site/backups/backups.tsx'), 'Backups', 'site', 'exports', 'studies', 'diagnostics'),
);

const mailRoute = page(
  deskRoute,
  '/site/mail',
  screen(() => import('./site/mail/mail.tsx'), 'Mail', 'site', 'exports', 'diagnostics'),
);

const webhooksRoute = page(
  deskRoute,
  '/site/webhooks',
  screen(() => import('./site/webhooks/webhooks.tsx'), 'Webhooks', 'site', 'exports'),
);

const webhookRoute = page(
  deskRoute,
  '/site/webhooks/$webhookId',
  screen(() => import('./site/webhooks/webhook.tsx'), 'WebhookPage', 'site', 'exports', 'diagnostics'),
);

const networkRoute = page(
  deskRoute,
  '/site/network',
  screen(() => import('./site/network/network.tsx'), 'Network', 'site', 'exports'),
);

const trustRoute = page(
  deskRoute,
  '/site/network/trust',
  screen(() => import('./site/network/trust.tsx'), 'Trust', 'site', 'exports', 'diagnostics'),
);

const auditRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/site/audit',
  validateSearch: filterSearch('study', 'user', 'type', 'from', 'to'),
  component: screen(
    () => import('./site/audit.tsx'),
    'Audit',
    'site',
    'exports',
    'messagesAndEvents',
    'diagnostics',
    'filters',
  ),
});

const accessLogRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/site/access',
  validateSearch: filterSearch('user', 'kind', 'subject', 'address', 'from', 'to'),
  component: screen(() => import('./access/site-access.tsx'), 'SiteAccess', 'access', 'site', 'messagesAndEvents'),
});

const accountRoute = page(
  deskRoute,
  '/account',
  screen(() => import('./users/account.tsx'), 'Account', 'site', 'exports', 'access'),
);

const manualRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/manual',
  validateSearch: (search: Record<string, unknown>): { task?: string } => ({ task: optionalText(search.task) }),
  component: screen(() => import('./manual/manual.tsx'), 'Manual', 'manual'),
});

const dictionaryRoute = createRoute({
  getParentRoute: () => deskRoute,
  path: '/manual/metrics',
  validateSearch: (search: Record<string, unknown>): { metric?: string } => ({ metric: optionalText(search.metric) }),
  component: screen(() => import('./manual/dictionary.tsx'), 'Dictionary', 'manual', 'subject'),
});

/** Any other address: shown inside the frame, so that navigation stays at hand. */
const missingRoute = createRoute({ getParentRoute: () => deskRoute, path: '$', component: PageMissing });

const routeTree = rootRoute.addChildren([
  signInRoute,
  setPasswordRoute,
  stripRoute,
  dayOnPaperRoute,
  weekOnPaperRoute,
  studyOnPaperRoute,
  adherenceOnPaperRoute,
  auditOnPaperRoute,
  siteAuditOnPaperRoute,
  equipmentOnPaperRoute,
  itemOnPaperRoute,
  deskRoute.addChildren([
    homeRoute,
    studiesRoute,
    studyRoute.addChildren([
      studyOverviewRoute,
      studySubjectsRoute,
      studyDefinitionRoute,
      studyNotesRoute,
      studyQueriesRoute,
      studyQualityRoute,
      studyBoardRoute,
      studyPlanRoute,
      studyHistoryRoute,
      studyAccessRoute,
      studyAnalysisRoute,
      studySignaturesRoute,
      membersRoute,
    ]),
    subjectsRoute,
    userHistoryRoute,
    messagesRoute,
    equipmentRoute,
    docksRoute,
    devicesRoute,
    uploadsRoute,
    pairRoute,
    equipmentDetailRoute,
    eventsRoute,
    exportsRoute,
    siteRoute,
    jobsRoute,
    usersRoute,
    backupsRoute,
    mailRoute,
    webhooksRoute,
    webhookRoute,
    networkRoute,
    trustRoute,
    auditRoute,
    accessLogRoute,
    accountRoute,
    manualRoute,
    dictionaryRoute,
    missingRoute,
    subjectRoute.addChildren([
      subjectHomeRoute,
      daysRoute,
      metricsRoute,
      tasksRoute,
      coverageRoute,
      recordingsRoute,
      recordSensorRoute,
      viewerRoute,
      labelsRoute,
      subjectEquipmentRoute,
      subjectMessagesRoute,
      subjectNotesRoute,
      subjectQueriesRoute,
      participationRoute,
      subjectHistoryRoute,
    ]),
  ]),
]);

export function createDeskRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: Crashed,
    defaultNotFoundComponent: PageMissing,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDeskRouter>;
  }
}
