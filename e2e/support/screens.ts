/** List of every screen of the desk and its states, for screenshots and for tests of all screens. */
import { expect, type Page } from '@playwright/test';
import { access as accessEn } from '../../src-renderer/shared/locales/en/access.ts';
import { bulk as bulkEn } from '../../src-renderer/shared/locales/en/bulk.ts';
import { desk as deskEn } from '../../src-renderer/shared/locales/en/desk.ts';
import { docks as docksEn } from '../../src-renderer/shared/locales/en/docks.ts';
import { equipment as equipmentEn } from '../../src-renderer/shared/locales/en/equipment.ts';
import { exports as exportsEn } from '../../src-renderer/shared/locales/en/exports.ts';
import { filters as filtersEn } from '../../src-renderer/shared/locales/en/filters.ts';
import { messagesAndEvents as messagesEn } from '../../src-renderer/shared/locales/en/messages-and-events.ts';
import { notes as notesEn } from '../../src-renderer/shared/locales/en/notes.ts';
import { participation as participationEn } from '../../src-renderer/shared/locales/en/participation.ts';
import { rowTables as rowTablesEn } from '../../src-renderer/shared/locales/en/row-tables.ts';
import { site as siteEn } from '../../src-renderer/shared/locales/en/site.ts';
import { studies as studiesEn } from '../../src-renderer/shared/locales/en/studies.ts';
import { today as todayEn } from '../../src-renderer/shared/locales/en/today.ts';
import { access as accessJa } from '../../src-renderer/shared/locales/ja/access.ts';
import { bulk as bulkJa } from '../../src-renderer/shared/locales/ja/bulk.ts';
import { desk as deskJa } from '../../src-renderer/shared/locales/ja/desk.ts';
import { docks as docksJa } from '../../src-renderer/shared/locales/ja/docks.ts';
import { equipment as equipmentJa } from '../../src-renderer/shared/locales/ja/equipment.ts';
import { exports as exportsJa } from '../../src-renderer/shared/locales/ja/exports.ts';
import { filters as filtersJa } from '../../src-renderer/shared/locales/ja/filters.ts';
import { messagesAndEvents as messagesJa } from '../../src-renderer/shared/locales/ja/messages-and-events.ts';
import { notes as notesJa } from '../../src-renderer/shared/locales/ja/notes.ts';
import { participation as participationJa } from '../../src-renderer/shared/locales/ja/participation.ts';
import { rowTables as rowTablesJa } from '../../src-renderer/shared/locales/ja/row-tables.ts';
import { site as siteJa } from '../../src-renderer/shared/locales/ja/site.ts';
import { studies as studiesJa } from '../../src-renderer/shared/locales/ja/studies.ts';
import { today as todayJa } from '../../src-renderer/shared/locales/ja/today.ts';
import { ACCESS_DETAILS, ACCESS_KINDS, type AccessKind } from '../../src-server/vocabulary/access-log.ts';
import { backupDrive, DRIVES, encryptedBackups, LOST_FILES } from './backup-answers.ts';
import type { FailureName } from './failure-pages.ts';
import { RESTORABLE, RESTORE_STATES, restoreIn } from './restore-answers.ts';
import { ANALYSIS_RUNS } from './run-answers.ts';
import {
  CERTIFICATES,
  COMPLETED_STUDIES,
  DISK_IN_RESERVE,
  JOBS_IN_EACH_STATE,
  PHONE_ADDRESSES,
  pairingIn,
  type ScreenAnswer,
  UNREADABLE_FILES,
} from './screen-answers.ts';
import type { StartPage } from './start-pages.ts';
import type { UpdateState } from './update-pages.ts';

/** The ids that stand in the addresses. */
export interface ScreenIds {
  studyId: string;
  draftStudyId: string;
  subjectId: string;
  /** Nobody ever held, reported or sent anything for this one. */
  emptySubjectId: string;
  recordingId: string;
  equipmentId: string;
  webhookId: string;
  userId: string;
}

export interface Screen {
  name: string;
  /** The route of the desk, as its router writes it. */
  route: string;
  /** The address, where it is not the route with its ids. */
  path?: string;
  query?: string;
  /** Who looks: an administrator unless said. */
  as?: 'nobody' | 'monitor';
  /** Shown on a site without any study. */
  onEmptySite?: boolean;
  /** Shown before there is a site, outside the desk. */
  beforeSite?: StartPage;
  /** Answers of the site that fail on this screen. */
  failing?: RegExp;
  /** Answers of the site that do not come on this screen. */
  waiting?: RegExp;
  /** Answers of the site that say something else on this screen. */
  answers?: readonly ScreenAnswer[];
  /** What is done before one looks, such as to open a dialog. */
  act?: (page: Page) => Promise<void>;
}

const STUDY = '/studies/$studyId';
const SUBJECT = '/studies/$studyId/subjects/$subjectId';

const either = (...texts: string[]) =>
  new RegExp(`(${texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);

/** Presses a button by its text in either language. */
const press =
  (...texts: string[]) =>
  async (page: Page) => {
    await page
      .getByRole('button', { name: either(...texts) })
      .first()
      .click();
    await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor();
  };

/** The menu of saved filters, whose button names the one that is applied. */
const openFilters = (page: Page) =>
  press(...[filtersEn, filtersJa].flatMap(({ filters }) => [filters.menu, filters.menuOf.replace('{{name}}', '')]))(
    page,
  );

const showDisk = async (page: Page) => {
  await page.getByRole('button', { name: either(siteEn.diskUse.show, siteJa.diskUse.show) }).click();
  await page.getByText(either(siteEn.diskUse.others, siteJa.diskUse.others)).waitFor();
};

/** Two filters that another person shared. */
const TWO_FILTERS: ScreenAnswer[] = [
  {
    pattern: /\/saved_filters$/,
    body: () => {
      const common = { table: 'equipment', createdTs: 0, modifiedTs: 0 };
      const items = [
        {
          ...{ ...common, id: '019a20b1-0000-7000-8000-00000000000a', displayName: 'Overdue hubs' },
          search: { state: 'attention', type: 'LINK_HUB' },
          owner: { id: 'somebody', displayName: 'Aki Sato' },
          sharedStudyId: '019a20b1-0000-7000-8000-00000000000b',
        },
        {
          ...{ ...common, id: '019a20b1-0000-7000-8000-00000000000c', displayName: '貸出可のセンサー' },
          search: { state: 'free' },
          owner: { id: 'somebody', displayName: 'Aki Sato' },
          sharedStudyId: '019a20b1-0000-7000-8000-00000000000b',
        },
      ];
      return { items, size: items.length };
    },
  },
];

/** Chooses a part of a screen. */
const choose =
  (...texts: string[]) =>
  async (page: Page) => {
    const part = page.getByRole('radio', { name: either(...texts) });
    await part.click();
    await expect(part).toBeChecked();
  };

/** The bar of what can be done to selected rows. */
const bulkBar = (page: Page) => page.getByRole('region', { name: either(bulkEn.bulk.bar, bulkJa.bulk.bar) });

/** Selects all rows of the table. */
const selectAll = async (page: Page) => {
  await page.getByRole('checkbox', { name: either(deskEn.table.selectAll, deskJa.table.selectAll) }).check();
  await bulkBar(page).waitFor();
};

/** Opens the confirmation for equipment of which some is not handed out. */
const takeManyBack = async (page: Page) => {
  await selectAll(page);
  const button = bulkBar(page).getByRole('button', {
    name: either(bulkEn.bulk.takeBack.action, bulkJa.bulk.takeBack.action),
  });
  await button.click();
  await page.getByRole('dialog').waitFor();
};

/** Takes it back as far as the page knows: the site keeps it, and refuses one. */
const TAKING_BACK = /\/subjects\/[^/]+\/equipment\/[^/]+$/;
const takeManyBackInVain = async (page: Page) => {
  let isFirst = true;
  await page.route(TAKING_BACK, async (route) => {
    if (!isFirst) return await route.fulfill({ status: 204 });
    isFirst = false;
    return await route.fulfill({
      status: 400,
      json: { code: 'INVALID_INPUT', message: 'Another subject has this item now.', errors: [] },
    });
  });
  await takeManyBack(page);
  const dialog = page.getByRole('dialog');
  await dialog.locator('button[type="submit"]').click();
  await dialog.getByText(either(bulkEn.bulk.someFailed, bulkJa.bulk.someFailed)).waitFor();
};

const pressKeys = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys);
  await page.getByRole('dialog').first().waitFor();
};

/** Opens the palette with a text in it, and waits for what the site finds. */
const searchFor = (text: string) => async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+k');
  const answered = page.waitForResponse(/\/search\?/);
  await page.getByRole('dialog').getByRole('searchbox').fill(text);
  await answered;
};

/** Opens the line of the table that stands for several days without data. */
const openMergedDays = async (page: Page) => {
  const line = page.locator('td > button[aria-expanded]').last();
  await line.click();
  await expect(line).toHaveAttribute('aria-expanded', 'true');
};

/** Gives the subject a phone of their own, which the desk declares lost. The site keeps its devices. */
const losePhone =
  ({ isRevoked = false } = {}) =>
  async (page: Page) => {
    const [, studyId, subjectId] = /studies\/([^/]+)\/subjects\/([^/]+)/.exec(page.url()) ?? [];
    const atMs = Date.now() - 7_200_000;
    const phone = {
      ...{ id: 'lost', kind: 'PHONE', serial: 'lost', displayName: 'lost', studyId, subjectId, isConnected: true },
      ...{ pairedTs: atMs, lastContactTs: atMs, received: { taskReports: 12, messages: 3 } },
    };
    await page.route(/\/api\/v1\/accounts\/[^/]+\/devices(\?|$)/, async (route) => {
      const response = await route.fetch();
      const { items, ...list } = (await response.json()) as { items: { subjectName?: string }[] };
      const subject = await page.locator('h1').first().textContent();
      await route.fulfill({ response, json: { ...list, items: [...items, { ...phone, subjectName: subject }] } });
    });
    await page.route(/\/devices\/lost(\?|$)/, async (route) =>
      route.request().method() === 'DELETE'
        ? await route.fulfill({ status: 204 })
        : await route.fulfill({ json: phone }),
    );
    await page.reload();
    await press(equipmentEn.devices.lost, equipmentJa.devices.lost)(page);
    if (!isRevoked) return;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: either(equipmentEn.devices.revoke, equipmentJa.devices.revoke) }).click();
    await dialog.getByRole('status').first().waitFor();
  };

/** Sends what the page of set-up cannot take. The browser itself would hold it back. */
async function refuseSetUp(page: Page): Promise<void> {
  await page.locator('input[name=timeZone]').fill('Tokyo');
  await page.locator('form').evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
  });
  await page.locator('button[name=make].primary').click();
  await page.getByRole('alert').waitFor();
}

/** What a screen itself reads; what its frame knows already is there. */
const OWN_ANSWERS = /^\/api\/v1\/(?!status$|site$|jobs$|accounts\/[^/]+\/(studies|equipment|conversations)$)/;

/** Routes that only lead elsewhere. */
const WITHOUT_SCREEN = ['/studies/$studyId/subjects/$subjectId'];

const failed = (state: FailureName, act?: Screen['act']): Screen => ({
  name: `start-failed-${state}`,
  route: 'start:failed',
  as: 'nobody',
  beforeSite: `failed:${state}`,
  ...(act && { act }),
});

const updates = (state: UpdateState): Screen => ({
  name: `updates-${state}`,
  route: 'start:updates',
  as: 'nobody',
  beforeSite: `updates:${state}`,
});

/** Presses a button that is no dialog's, and waits for what it shows. */
const pressOn = (button: string, shown: string) => async (page: Page) => {
  await page.locator(button).click();
  await page.locator(shown).waitFor();
};

const backups = (name: string, more: Partial<Screen> = {}): Screen => ({
  name: `backups-${name}`,
  route: '/site/backups',
  ...more,
});

const pressEncryption = (name: 'title' | 'change' | 'sheet' | 'enter') =>
  press(siteEn.encryption[name], siteJa.encryption[name]);

/** Signs in with a right password where the site asks for more. */
const SIGNING_IN = /\/users\/login\/email$/;
const signInWith = (code: string) => async (page: Page) => {
  await page.route('**/users/login/email', (route) =>
    route.fulfill({ status: 401, json: { code, message: 'More is needed.', requestId: '' } }),
  );
  await page.getByRole('textbox').first().fill('a@example.org');
  await page.locator('input[type=password]').fill('a password');
  await page.locator('button[type=submit]').click();
  await page.locator('input[type=password]').waitFor({ state: 'detached' });
  await page.locator('h1').waitFor();
};

/** Opens the step with the QR code. */
const setUpFactor = async (page: Page) => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const link = `otpauth://totp/Outpost:a%40example.org?secret=${secret}&issuer=Outpost&algorithm=SHA1&digits=6&period=30`;
  await page.route('**/users/second-factor/setup', (route) => route.fulfill({ status: 201, json: { secret, link } }));
  const { setUp } = accessEn.secondFactor;
  await page.getByRole('button', { name: new RegExp(`^(?:${setUp}|${accessJa.secondFactor.setUp})$`) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input[type=password]').fill('a password');
  await dialog.locator('button[type=submit]').click();
  await dialog.locator('div[role=img]').waitFor();
};

const FACTOR_ON: ScreenAnswer[] = [
  {
    pattern: /\/second-factor$/,
    body: (state: { userId: string }) => ({ ...state, isOn: true, confirmedTs: 0, recoveryCodesLeft: 2 }),
  },
];

/** One entry of each kind, and of a name that no user has. */
const ACCESS_OF_EACH_KIND: ScreenAnswer[] = [
  {
    pattern: /\/access$/,
    body: () => {
      const user = { id: 'user', displayName: 'Aki Sato' };
      const [study, subject] = [
        { id: 'study', displayName: 'Gait after knee surgery' },
        { id: 'subject', displayName: 'N-104' },
      ];
      const failed = { nameHash: '3f9c2a7d11e0b4c8', address: '192.168.1.77', count: 12 };
      const facts: Record<AccessKind, object> = {
        SIGN_IN: { user },
        SIGN_IN_FAILED: failed,
        SIGN_OUT: { user },
        SESSION_END: { user, by: { id: 'other', displayName: 'Mio Tanaka' } },
        PASSWORD: { user },
        SECOND_FACTOR: { user },
        READ: { user, study, subject, count: 4 },
        EXPORT: { user, study },
        DOWNLOAD: { user, study, subject: { id: 'erased' } },
      };
      const items = ACCESS_KINDS.map((kind, i) => ({
        ...{ sequence: 100 - i, timeTs: 1_767_225_600_000, lastTs: 1_767_226_000_000, count: 1 },
        ...{ kind, detail: ACCESS_DETAILS[kind][0], address: '192.168.1.20' },
        ...facts[kind],
      }));
      return { items, size: items.length };
    },
  },
];

export const SCREENS: readonly Screen[] = [
  { name: 'set-up', route: 'start:set-up', as: 'nobody', beforeSite: 'headless' },
  {
    name: 'set-up-refused',
    route: 'start:set-up',
    as: 'nobody',
    beforeSite: 'headless',
    failing: /^\/set-up\//,
    act: refuseSetUp,
  },
  { name: 'set-up-desktop', route: 'start:set-up-desktop', as: 'nobody', beforeSite: 'desktop' },
  ...(['locked', 'corrupt', 'no-backup', 'encrypted'] as const).map((state) => failed(state)),
  failed('restored', pressOn('[data-step=restore]', '.done:not([hidden])')),
  failed('read-only'),
  ...(['off', 'available', 'no-backup', 'ready', 'failed'] as const).map(updates),
  { name: 'sites', route: 'start:sites', as: 'nobody', beforeSite: 'sites' },
  { name: 'sign-in', route: '/sign-in', as: 'nobody' },
  { name: 'set-password', route: '/set-password', as: 'nobody' },
  {
    name: 'sign-in-code',
    route: '/sign-in',
    as: 'nobody',
    act: signInWith('SECOND_FACTOR_NEEDED'),
    failing: SIGNING_IN,
  },
  {
    name: 'sign-in-setup',
    route: '/sign-in',
    as: 'nobody',
    act: signInWith('SECOND_FACTOR_SETUP'),
    failing: SIGNING_IN,
  },
  { name: 'today', route: '/' },
  { name: 'today-snooze', route: '/', act: press(todayEn.today.snooze, todayJa.today.snooze) },
  { name: 'today-monitor', route: '/', as: 'monitor' },
  { name: 'today-empty', route: '/', onEmptySite: true },
  { name: 'today-disk-full', route: '/', answers: DISK_IN_RESERVE },
  { name: 'palette', route: '/', act: pressKeys('ControlOrMeta+k') },
  { name: 'keys', route: '/', act: pressKeys('?') },
  { name: 'studies', route: '/studies' },
  { name: 'studies-new', route: '/studies', act: press(studiesEn.studyList.new, studiesJa.studyList.new) },
  { name: 'studies-empty', route: '/studies', onEmptySite: true },
  { name: 'study', route: STUDY },
  { name: 'study-draft', route: STUDY },
  { name: 'study-failed', route: STUDY, failing: /\/studies\/[^/]+(\/adherence.*)?$/ },
  { name: 'study-subjects', route: `${STUDY}/subjects` },
  { name: 'study-definition', route: `${STUDY}/definition` },
  {
    name: 'study-definition-analysis',
    route: `${STUDY}/definition`,
    act: choose(studiesEn.builder.parts.analysis, studiesJa.builder.parts.analysis),
  },
  {
    name: 'study-definition-surveys',
    route: `${STUDY}/definition`,
    act: choose(studiesEn.builder.parts.diaries, studiesJa.builder.parts.diaries),
  },
  {
    name: 'study-definition-program',
    route: `${STUDY}/definition`,
    act: choose(studiesEn.builder.parts.program, studiesJa.builder.parts.program),
  },
  { name: 'study-definition-draft', route: `${STUDY}/definition` },
  { name: 'study-analysis', route: `${STUDY}/analysis` },
  { name: 'study-analysis-run', route: `${STUDY}/analysis`, query: '?run=shown', answers: ANALYSIS_RUNS },
  {
    name: 'study-analysis-new',
    route: `${STUDY}/analysis`,
    answers: ANALYSIS_RUNS,
    act: press(studiesEn.runs.new, studiesJa.runs.new),
  },
  {
    name: 'study-analysis-adopt',
    route: `${STUDY}/analysis`,
    query: '?run=shown',
    answers: ANALYSIS_RUNS,
    act: press(studiesEn.runs.adopt, studiesJa.runs.adopt),
  },
  {
    name: 'study-analysis-delete',
    route: `${STUDY}/analysis`,
    query: '?run=shown',
    answers: ANALYSIS_RUNS,
    act: press(studiesEn.runs.delete, studiesJa.runs.delete),
  },
  { name: 'study-quality', route: `${STUDY}/quality` },
  { name: 'study-quality-weeks', route: `${STUDY}/quality`, query: '?view=weeks' },
  { name: 'study-quality-faults', route: `${STUDY}/quality`, query: '?view=faults' },
  { name: 'study-quality-targets', route: `${STUDY}/definition`, query: '?part=quality' },
  { name: 'study-board', route: `${STUDY}/board` },
  {
    name: 'study-board-days',
    route: `${STUDY}/board`,
    act: async (page) => {
      await page.locator('[data-cell="0.0"]').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'study-queries', route: `${STUDY}/queries` },
  { name: 'study-plan', route: `${STUDY}/plan` },
  { name: 'study-plan-completed', route: `${STUDY}/plan`, answers: COMPLETED_STUDIES },
  { name: 'study-notes', route: `${STUDY}/notes` },
  { name: 'study-notes-add', route: `${STUDY}/notes`, act: press(notesEn.notes.add, notesJa.notes.add) },
  { name: 'study-history', route: `${STUDY}/history` },
  { name: 'study-access', route: `${STUDY}/access` },
  { name: 'signatures', route: `${STUDY}/signatures` },
  { name: 'members', route: `${STUDY}/members` },
  { name: 'study-subjects-draft', route: `${STUDY}/subjects` },
  { name: 'subjects', route: '/subjects' },
  {
    name: 'subjects-new',
    route: '/subjects',
    act: press(studiesEn.subjectActions.new, studiesJa.subjectActions.new),
  },
  {
    name: 'subjects-table',
    route: '/subjects',
    act: async (page) => {
      await press(studiesEn.subjectActions.table, studiesJa.subjectActions.table)(page);
      const text = page.getByRole('textbox', { name: either(rowTablesEn.rowTables.text, rowTablesJa.rowTables.text) });
      await text.fill('name,age,remark\nT-01,34,\nT-02,7,\n');
      await page.getByTestId('row-counts').waitFor();
    },
  },
  { name: 'subjects-selected', route: '/subjects', act: selectAll },
  { name: 'subjects-empty', route: '/subjects', onEmptySite: true },
  { name: 'days', route: `${SUBJECT}/days` },
  { name: 'days-table', route: `${SUBJECT}/days`, query: '?view=table' },
  { name: 'metrics', route: `${SUBJECT}/metrics` },
  { name: 'tasks', route: `${SUBJECT}/tasks` },
  { name: 'tasks-table-opened', route: `${SUBJECT}/tasks`, query: '?view=table', act: openMergedDays },
  { name: 'tasks-table', route: `${SUBJECT}/tasks`, query: '?view=table' },
  { name: 'recordings', route: `${SUBJECT}/recordings` },
  { name: 'record-sensor', route: `${SUBJECT}/record` },
  { name: 'viewer', route: `${SUBJECT}/recordings/$recordingId` },
  { name: 'strip', route: `/print${SUBJECT}/recordings/$recordingId` },
  { name: 'day-on-paper', route: `/print${SUBJECT}/day` },
  { name: 'week-on-paper', route: `/print${SUBJECT}/week` },
  { name: 'study-on-paper', route: `/print${STUDY}` },
  { name: 'adherence-on-paper', route: `/print${STUDY}/adherence` },
  { name: 'audit-on-paper', route: `/print${STUDY}/history` },
  { name: 'site-audit-on-paper', route: '/print/history' },
  { name: 'equipment-on-paper', route: '/print/equipment' },
  { name: 'item-on-paper', route: '/print/equipment/$equipmentId' },
  { name: 'labels', route: `${SUBJECT}/labels` },
  { name: 'participation', route: `${SUBJECT}/participation` },
  {
    name: 'participation-withdraw',
    route: `${SUBJECT}/participation`,
    act: press(participationEn.participation.steps.WITHDRAWN, participationJa.participation.steps.WITHDRAWN),
  },
  {
    name: 'participation-consent',
    route: `${SUBJECT}/participation`,
    act: press(participationEn.participation.addConsent, participationJa.participation.addConsent),
  },
  { name: 'participation-of-new-subject', route: `${SUBJECT}/participation` },
  { name: 'queries', route: `${SUBJECT}/queries` },
  { name: 'queries-of-new-subject', route: `${SUBJECT}/queries` },
  { name: 'notes', route: `${SUBJECT}/notes` },
  { name: 'notes-edit', route: `${SUBJECT}/notes`, act: press(notesEn.notes.edit, notesJa.notes.edit) },
  { name: 'notes-of-new-subject', route: `${SUBJECT}/notes` },
  { name: 'coverage', route: `${SUBJECT}/coverage` },
  { name: 'subject-equipment', route: `${SUBJECT}/equipment` },
  { name: 'subject-messages', route: `${SUBJECT}/messages` },
  { name: 'subject-history', route: `${SUBJECT}/history` },
  {
    name: 'subject-export',
    route: `${SUBJECT}/history`,
    act: async (page) => {
      await press(studiesEn.subjectActions.menu, studiesJa.subjectActions.menu)(page);
      await page
        .getByRole('menuitem', { name: either(studiesEn.subjectActions.copy, studiesJa.subjectActions.copy) })
        .click();
      await page.getByRole('dialog').getByRole('heading', { level: 3 }).waitFor();
    },
  },
  {
    name: 'subject-erase',
    route: `${SUBJECT}/history`,
    act: async (page) => {
      await press(studiesEn.subjectActions.menu, studiesJa.subjectActions.menu)(page);
      await page
        .getByRole('menuitem', { name: either(studiesEn.subjectActions.erase, studiesJa.subjectActions.erase) })
        .click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
  },
  ...['days', 'metrics', 'tasks', 'recordings', 'record', 'labels', 'coverage', 'equipment', 'messages'].map(
    (view) => ({
      name: `${view}-of-new-subject`,
      route: `${SUBJECT}/${view}`,
    }),
  ),
  { name: 'messages', route: '/messages' },
  {
    name: 'messages-many',
    route: '/messages',
    act: press(messagesEn.messages.batch.open, messagesJa.messages.batch.open),
  },
  { name: 'messages-empty', route: '/messages', onEmptySite: true },
  { name: 'equipment', route: '/equipment' },
  {
    name: 'equipment-register',
    route: '/equipment',
    act: press(equipmentEn.equipment.register, equipmentJa.equipment.register),
  },
  { name: 'equipment-filters', route: '/equipment', answers: TWO_FILTERS, query: '?state=free', act: openFilters },
  {
    name: 'equipment-filter-save',
    route: '/equipment',
    query: '?state=free',
    act: async (page) => {
      await openFilters(page);
      await page.getByRole('menuitem', { name: either(filtersEn.filters.save, filtersJa.filters.save) }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'equipment-take-back', route: '/equipment', act: takeManyBack },
  { name: 'equipment-take-back-failed', route: '/equipment', act: takeManyBackInVain, failing: TAKING_BACK },
  { name: 'equipment-empty', route: '/equipment', onEmptySite: true },
  { name: 'equipment-piece', route: '/equipment/$equipmentId' },
  { name: 'devices', route: '/equipment/devices' },
  { name: 'devices-empty', route: '/equipment/devices', onEmptySite: true },
  { name: 'docks', route: '/equipment/docks' },
  { name: 'docks-unreadable', route: '/equipment/docks', answers: UNREADABLE_FILES },
  {
    name: 'docks-unreadable-take',
    route: '/equipment/docks',
    answers: UNREADABLE_FILES,
    act: press(docksEn.docks.take, docksJa.docks.take),
  },
  { name: 'uploads', route: '/equipment/uploads' },
  { name: 'uploads-empty', route: '/equipment/uploads', onEmptySite: true },
  { name: 'pairing', route: '/equipment/pair' },
  {
    name: 'pairing-overdue',
    route: '/equipment/pair',
    act: async (page) => {
      await page.locator('summary').click();
      await page.getByRole('button', { name: either(siteEn.network.check.run, siteJa.network.check.run) }).click();
      await page
        .getByText(either(siteEn.network.check.results.reached, siteJa.network.check.results.reached))
        .first()
        .waitFor();
    },
  },
  {
    name: 'pairing-confirm',
    route: '/equipment/pair',
    query: '?pairing=shown',
    answers: pairingIn({ state: 'COMPARING', checkCode: '7F3A-19C2' }),
  },
  {
    name: 'pairing-expired',
    route: '/equipment/pair',
    query: '?pairing=shown',
    answers: pairingIn({ state: 'EXPIRED' }),
  },
  {
    name: 'pairing-done',
    route: '/equipment/pair',
    query: '?pairing=shown',
    answers: pairingIn({ state: 'COMPLETE' }),
  },
  { name: 'events', route: '/events' },
  { name: 'events-empty', route: '/events', onEmptySite: true },
  { name: 'exports', route: '/exports' },
  { name: 'exports-new', route: '/exports', act: press(exportsEn.exports.new, exportsJa.exports.new) },
  { name: 'exports-empty', route: '/exports', onEmptySite: true },
  { name: 'site', route: '/site' },
  { name: 'site-monitor', route: '/site', as: 'monitor' },
  { name: 'site-disk-full', route: '/site', answers: DISK_IN_RESERVE, act: showDisk },
  { name: 'jobs', route: '/site/jobs' },
  { name: 'jobs-states', route: '/site/jobs', answers: JOBS_IN_EACH_STATE },
  { name: 'jobs-empty', route: '/site/jobs', onEmptySite: true },
  { name: 'users', route: '/site/users' },
  { name: 'users-new', route: '/site/users', act: press(siteEn.users.add, siteJa.users.add) },
  { name: 'users-refused', route: '/site/users', as: 'monitor' },
  {
    name: 'user-sign-in',
    route: '/site/users',
    answers: FACTOR_ON,
    act: press(accessEn.signInOf.openOf.split(' {{')[0]!, accessJa.signInOf.openOf.replace('{{name}}', '')),
  },
  { name: 'user-history', route: '/site/users/$userId/history' },
  { name: 'backups', route: '/site/backups' },
  { name: 'backups-empty', route: '/site/backups', onEmptySite: true },
  backups('make', { answers: DRIVES, act: press(siteEn.backups.make, siteJa.backups.make) }),
  backups('encrypt', { act: pressEncryption('title') }),
  backups('change-passphrase', { answers: encryptedBackups('ready'), act: pressEncryption('change') }),
  backups('key-sheet', { answers: encryptedBackups('ready'), act: pressEncryption('sheet') }),
  backups('lost-files', { answers: LOST_FILES }),
  backups('restore', {
    answers: RESTORABLE,
    act: async (page) => {
      await page.getByRole('button', { name: /^Restore backup of|のバックアップを復元$/ }).click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    },
  }),
  ...RESTORE_STATES.map((state) => backups(`restore-${state}`, { answers: restoreIn(state) })),
  { name: 'mail', route: '/site/mail' },
  { name: 'mail-empty', route: '/site/mail', onEmptySite: true },
  { name: 'webhooks', route: '/site/webhooks' },
  { name: 'webhooks-new', route: '/site/webhooks', act: press(siteEn.webhooks.add, siteJa.webhooks.add) },
  { name: 'webhooks-empty', route: '/site/webhooks', onEmptySite: true },
  { name: 'webhook', route: '/site/webhooks/$webhookId' },
  { name: 'network', route: '/site/network', answers: PHONE_ADDRESSES },
  { name: 'trust', route: '/site/network/trust', answers: CERTIFICATES },
  {
    name: 'trust-own',
    route: '/site/network/trust',
    answers: CERTIFICATES,
    act: press(siteEn.trust.own.renew, siteJa.trust.own.renew),
  },
  { name: 'audit', route: '/site/audit' },
  { name: 'access-log', route: '/site/access', answers: ACCESS_OF_EACH_KIND },
  { name: 'access-log-none', route: '/site/access', query: '?address=203.0.113.1' },
  { name: 'account', route: '/account' },
  { name: 'account-factor-on', route: '/account', answers: FACTOR_ON },
  { name: 'account-factor-setup', route: '/account', act: setUpFactor },
  { name: 'manual', route: '/manual', query: '?task=note' },
  { name: 'manual-metrics', route: '/manual/metrics', query: '?metric=HEART_SDNN' },
  { name: 'manual-metrics-failed', route: '/manual/metrics', failing: /\/metrics$/ },
  { name: 'palette-found', route: '/', act: searchFor('study') },
  ...[
    { name: 'today', route: '/' },
    { name: 'study', route: STUDY },
    { name: 'subjects', route: '/subjects' },
    { name: 'days', route: `${SUBJECT}/days` },
    { name: 'viewer', route: `${SUBJECT}/recordings/$recordingId` },
  ].map(({ name, route }) => ({ name: `${name}-loading`, route, waiting: OWN_ANSWERS })),
  { name: 'page-missing', route: '/$', path: '/no-such-page' },
];

/** States that differ from one above in words or a notice only: for pictures, not for every run of the checks. */
export const MORE_PICTURES: readonly Screen[] = [
  {
    name: 'viewer-nothing-readable',
    route: `${SUBJECT}/recordings/$recordingId`,
    answers: [{ pattern: /\/overview$/, body: (overview: object) => ({ ...overview, readableFromTs: null }) }],
  },
  {
    name: 'study-analysis-plot',
    route: `${STUDY}/analysis`,
    query: '?run=shown',
    answers: ANALYSIS_RUNS,
    act: async (page) => {
      const plot = page.locator('section svg[role=img]');
      await plot.waitFor();
      await plot.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    },
  },
  { name: 'lost-phone', route: `${SUBJECT}/equipment`, act: losePhone() },
  { name: 'lost-phone-revoked', route: `${SUBJECT}/equipment`, act: losePhone({ isRevoked: true }) },
  failed('rebuilt', pressOn('[data-step=rebuild]', '.done:not([hidden])')),
  ...(['newer', 'migration', 'site-file', 'lock', 'missing', 'port', 'full'] as const).map((state) => failed(state)),
  ...(['busy', 'refused', 'returned'] as const).map(updates),
  backups('key-unknown', { answers: encryptedBackups('key-unknown'), act: pressEncryption('enter') }),
  backups('other-folder', { answers: encryptedBackups('other-folder') }),
  backups('drive', { answers: backupDrive({ isConnected: true }) }),
  backups('drive-away', { answers: backupDrive({ isConnected: false, seenTs: Date.UTC(2026, 2, 1) }) }),
  backups('lost-files-passphrase', {
    answers: LOST_FILES,
    act: press('Put 2 files back', 'Put 1 file back', '戻す'),
  }),
];

/** The address of a screen on this site. */
export function screenPath(screen: Screen, ids: ScreenIds): string {
  const known = {
    ...ids,
    studyId: screen.name.endsWith('-draft') ? ids.draftStudyId : ids.studyId,
    subjectId: screen.name.endsWith('-of-new-subject') ? ids.emptySubjectId : ids.subjectId,
  };
  const path = screen.path ?? screen.route.replaceAll(/\$(\w+)/g, (_, name: string) => known[name as keyof ScreenIds]);
  return path + (screen.query ?? '');
}

/** Routes of the desk's own router that no screen of the list shows: there must be none. */
export async function routesWithoutScreen(page: Page): Promise<string[]> {
  const routes = await page.evaluate(() => {
    const { __TSR_ROUTER__: router } = window as unknown as {
      __TSR_ROUTER__?: { routesByPath: Record<string, unknown> };
    };
    if (!router) throw new Error('The desk does not tell its routes any more.');
    return Object.keys(router.routesByPath);
  });
  const plain = (route: string) => (route.length > 1 && route.endsWith('/') ? route.slice(0, -1) : route);
  const shown = new Set([...SCREENS.map(({ route }) => route), ...WITHOUT_SCREEN]);
  return [...new Set(routes.map(plain))].filter((route) => !shown.has(route));
}
