/**
 * The first hour of a new clinic, by clicking: an empty folder, a study, a subject, a recording and its day, a note, a query, an export,
 * a backup, and the backup restored in another folder. One walk in the language of the browser, with the optional fields empty or filled.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import i18next from 'i18next';
import type { Translate } from '../../src-renderer/shared/i18n/i18n.ts';
import type { Language } from '../../src-renderer/shared/i18n/languages.ts';
import { AREAS } from '../../src-renderer/shared/locales/words.ts';
import { MINUTE_MS, SECOND_MS } from '../../src-server/durations.ts';
import { setUpWords } from '../../src-server/site/set-up/words.ts';
import { madeCwa } from '../../src-server/testing/made-cwa.ts';
import { csvRecords, zipContents } from '../../src-server/testing/zip-contents.ts';
import { watchPage } from './desk.ts';
import { removeFolder } from './remove-folder.ts';
import { offerNewSite, restoreBackup, type ServedSite, serveSite } from './sites.ts';

/** What is typed; texts that only some forms ask for stand in `optional`. */
export interface FirstHour {
  language: Language;
  organisation: string;
  firstName: string;
  lastName: string;
  study: string;
  survey: string;
  question: string;
  subject: string;
  note: string;
  query: string;
  /** Files of one recording under `../shared/data`. */
  recording: readonly string[];
  /** What the optional fields take; without it they stay empty. */
  optional?: {
    zone: { typed: string; name: string };
    title: string;
    activity: string;
    instructions: string;
    secondQuestion: string;
    unit: string;
    field: string;
    fieldValue: string;
    /** Of the recording, which does not say it; in the time zone of the browser. */
    start: string;
  };
}

const EMAIL = 'admin@harbour.example';
const PASSWORD = 'a long enough one';
const JOB = { timeout: 90 * SECOND_MS };

/** The texts of the desk in one language, as its screens look them up. */
async function textsIn(language: Language): Promise<Translate> {
  const words = i18next.createInstance();
  const asDesk = {
    ns: ['desk'],
    defaultNS: 'desk',
    nsSeparator: false,
    interpolation: { escapeValue: false },
  } as const;
  await words.init({ lng: language, fallbackLng: false, resources: {}, ...asDesk });
  for (const area of Object.values(AREAS)) words.addResourceBundle(language, 'desk', await area[language](), true);
  return words.t as Translate;
}

/** A minute in which nobody touches the page, as when the phone rings. */
const idleMinute = (page: Page): Promise<void> => page.waitForTimeout(MINUTE_MS);

interface RecordedFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

class Walk {
  readonly #hour: FirstHour;
  readonly #t: Translate;
  page: Page;

  constructor(hour: FirstHour, t: Translate, page: Page) {
    this.#hour = hour;
    this.#t = t;
    this.page = page;
  }

  get #dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  #press(name: string, within: Page | Locator = this.page): Promise<void> {
    return within.getByRole('button', { name, exact: true }).first().click();
  }

  #follow(name: string): Promise<void> {
    return this.page.getByRole('link', { name, exact: true }).first().click();
  }

  #type(label: string, value: string, within: Page | Locator = this.page): Promise<void> {
    return within.getByRole('textbox', { name: label, exact: true }).fill(value);
  }

  async #choose(label: string, option: string, within: Page | Locator = this.page): Promise<void> {
    await within.getByRole('combobox', { name: label, exact: true }).selectOption({ label: option });
  }

  /** The step that the onboarding list offers next. */
  async #nextStep(step: 'create' | 'enrol' | 'start'): Promise<void> {
    await this.#follow(this.#t('nav.today'));
    await this.#follow(this.#t(`firstSteps.${step}.action`));
  }

  async createSite(): Promise<void> {
    const { language, organisation, firstName, lastName, optional } = this.#hour;
    const words = setUpWords[language];
    await expect(this.page.getByRole('heading', { name: words.title, level: 1 })).toBeVisible();
    await this.#type(words.account, organisation);
    await expect(this.page.getByLabel(words.timeZone, { exact: true })).not.toHaveValue('');
    if (optional) await this.page.getByLabel(words.timeZone, { exact: true }).fill(optional.zone.typed);
    await this.#type(words.lastName, lastName);
    await this.#type(words.firstName, firstName);
    await this.#type(words.email, EMAIL);
    await this.page.getByLabel(words.password, { exact: true }).fill(PASSWORD);
    await this.#press(words.create);
    await this.page.waitForURL(/:\d+\/(?!set-up)/, { waitUntil: 'commit' });
  }

  async signIn(idle?: (page: Page) => Promise<void>): Promise<void> {
    const email = this.page.getByRole('textbox', { name: this.#t('signIn.email') });
    const password = this.page.getByLabel(this.#t('signIn.password'), { exact: true });
    await email.fill(EMAIL);
    await password.fill(PASSWORD);
    await idle?.(this.page);
    await expect(email).toHaveValue(EMAIL);
    await expect(password).toHaveValue(PASSWORD);
    await this.#press(this.#t('signIn.submit'));
    await expect(this.page.getByRole('heading', { name: this.#t('nav.today'), level: 1 })).toBeVisible();
  }

  async createStudy(): Promise<void> {
    const t = this.#t;
    const { study, optional } = this.#hour;
    await this.#nextStep('create');
    await this.#press(t('studyList.new'));
    await this.#type(t('studyForm.name'), study, this.#dialog);
    if (optional) {
      await this.#type(t('subjectForm.optional', { label: t('studyForm.title') }), optional.title, this.#dialog);
    }
    await this.#press(t('studyForm.create'), this.#dialog);
    await expect(this.page.getByRole('heading', { name: study, level: 1 })).toBeVisible();
  }

  /** A part of the definition; its input lies under its label. */
  async #openPart(part: 'activities' | 'diaries' | 'fields' | 'sensors' | 'program' | 'quality'): Promise<void> {
    await this.page.getByRole('radio', { name: this.#t(`builder.parts.${part}`), exact: true }).check({ force: true });
  }

  async #addQuestion(number: number, text: string): Promise<Locator> {
    await this.#press(this.#t('builder.addQuestion'));
    const question = this.page.getByRole('group', { name: this.#t('builder.question', { number }) });
    await this.#type(this.#t('builder.questionText'), text, question);
    return question;
  }

  async defineStudy(): Promise<void> {
    const t = this.#t;
    const { survey, question, optional } = this.#hour;
    if (optional) {
      await this.#openPart('activities');
      await this.#press(t('builder.add.activities'));
      await this.#type(t('builder.name'), optional.activity);
      await this.#type(t('builder.duration'), '6:00');
      await this.#type(t('builder.instructions'), optional.instructions);
      await this.#openPart('fields');
      await this.#press(t('builder.add.fields'));
      await this.#type(t('builder.name'), optional.field);
      await this.#openPart('quality');
      await this.#type(t('builder.quality.wearHours'), '8');
    }
    await this.#openPart('diaries');
    await this.#press(t('builder.add.diaries'));
    await this.#type(t('builder.name'), survey);
    const first = await this.#addQuestion(1, question);
    await this.#choose(t('builder.questionType'), t('builder.questionTypes.BOOLEAN'), first);
    if (optional) {
      await first.getByRole('checkbox', { name: t('builder.required') }).check();
      const second = await this.#addQuestion(2, optional.secondQuestion);
      await this.#choose(t('builder.questionType'), t('builder.questionTypes.NUMERIC'), second);
      await this.#type(t('builder.unit'), optional.unit, second);
      await this.#choose(t('builder.showIf'), t('builder.showAfter', { number: 1, text: question }), second);
      await second.getByRole('checkbox', { name: t('builder.yes'), exact: true }).check();
    }
    await this.#openPart('sensors');
    await this.#press(t('builder.add.sensors'));
    if (optional) {
      await this.#choose(t('builder.place'), t('builder.places.PECTORALIS'));
      await this.#choose(t('builder.side'), t('builder.sides.LEFT'));
      await this.#choose(t('builder.settings'), t('builder.presets.ecg'));
    }
    await this.#openPart('program');
    await this.page.getByRole('checkbox', { name: t('builder.daily', { name: survey }) }).check();
    if (optional) {
      await this.#type(t('builder.days'), '14');
      await this.page.getByLabel(t('builder.from', { name: survey })).fill('18:00');
      await this.page.getByLabel(t('builder.to', { name: survey })).fill('22:30');
      await this.#press(t('builder.cellOff', { name: optional.activity, day: 1 }));
    }
    await this.#press(t('builder.save'));
    await expect(this.page.getByText(t('builder.unchanged'))).toBeVisible();
  }

  async enrol(idle: (page: Page) => Promise<void>): Promise<void> {
    const t = this.#t;
    const { subject, optional } = this.#hour;
    await this.#nextStep('enrol');
    await this.#press(t('subjectActions.new'));
    await this.#type(t('subjectForm.name'), subject, this.#dialog);
    const label = (key: 'age' | 'height' | 'weight' | 'gender' | 'hand') =>
      t('subjectForm.optional', { label: t(`subjectForm.${key}`) });
    if (optional) {
      await this.#dialog.getByRole('combobox', { name: t('subjectForm.zone') }).fill(optional.zone.typed);
      await this.page.getByRole('option', { name: optional.zone.name }).click();
      await this.#type(label('age'), '54', this.#dialog);
      await this.#type(label('height'), '161.5', this.#dialog);
      await this.#type(label('weight'), '58', this.#dialog);
      await this.#choose(label('gender'), t('subjectForm.FEMALE'), this.#dialog);
      await this.#choose(label('hand'), t('subjectForm.LEFT'), this.#dialog);
      await this.#type(optional.field, optional.fieldValue, this.#dialog);
    }
    const typed = () =>
      this.#dialog
        .locator('input, textarea, select')
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
    const before = await typed();
    await idle(this.page);
    expect(await typed()).toEqual(before);
    await this.#press(t('subjectForm.create'), this.#dialog);
    await expect(this.page.getByRole('heading', { name: subject, level: 1 })).toBeVisible();
  }

  async startStudy(): Promise<void> {
    await this.#nextStep('start');
    await this.#press(this.#t('lifecycle.start.action'));
    await this.#press(this.#t('lifecycle.start.action'), this.#dialog);
    await expect(this.#dialog).toBeHidden();
    await expect(this.page.getByRole('button', { name: this.#t('lifecycle.start.action') })).toHaveCount(0);
  }

  async importRecording(files: readonly RecordedFile[]): Promise<void> {
    const t = this.#t;
    const { subject, optional } = this.#hour;
    await this.#follow(t('nav.exports'));
    await this.#press(t('imports.open'));
    await this.#choose(t('subjects.name'), subject, this.#dialog);
    const choosing = this.page.waitForEvent('filechooser');
    await this.#press(t('form.chooseFiles'), this.#dialog);
    await (await choosing).setFiles([...files]);
    // Filled automatically with the zone of the site.
    await expect(this.#dialog.getByRole('combobox', { name: t('imports.zone') })).not.toHaveValue('');
    if (optional) {
      const placement = this.#dialog.getByRole('combobox', { name: t('imports.placement') });
      await placement.selectOption({ index: 1 });
      await expect(placement.locator('option:checked')).toContainText(t('builder.places.PECTORALIS'));
      await this.#dialog.getByLabel(t('imports.start')).fill(optional.start);
    }
    await this.#press(t('imports.send'), this.#dialog);
    const added = this.#dialog.getByRole('link', { name: t('imports.toRecordings') });
    await expect(added).toBeVisible(JOB);
    await added.click();
  }

  /** Opens the day of the only recording, from the list of recordings. */
  async openDay(): Promise<void> {
    await this.page.getByRole('table').getByRole('row').nth(1).getByRole('link').first().click();
    await expect(this.page.getByRole('heading', { name: this.#dayHeading })).toBeVisible(JOB);
    await expect(this.page.getByRole('slider').first()).toBeVisible();
  }

  get #dayHeading(): RegExp {
    const [before = '', after = ''] = this.#t('metrics.ofDay', { date: '|' }).split('|');
    return new RegExp(`^${before}.+${after}$`);
  }

  /** The day is read before and after a minute, and another look at it still draws. */
  async readDay(idle: (page: Page) => Promise<void>): Promise<void> {
    const summary = this.page.locator('figure').first();
    // The days are analysed, and their channels have come.
    await expect(summary).toContainText('bpm');
    // Analysed to the end: while a part is not, a line of its own says so.
    const [before = '', after = ''] = this.#t('lanes.dataStageOf', { name: '|' }).split('|');
    await expect(summary).not.toContainText(before || after, JOB);
    await expect(this.page.locator('[aria-busy=true]')).toHaveCount(0);
    const read = await summary.textContent();
    const { url } = { url: this.page.url() };
    await idle(this.page);
    expect(this.page.url()).toBe(url);
    expect(await summary.textContent()).toBe(read);
    await this.page.getByText(this.#t('days.table'), { exact: true }).click();
    await expect(this.page.getByRole('table').first()).toBeVisible();
    await this.page.getByText(this.#t('days.timeline'), { exact: true }).click();
    await expect(this.page.getByRole('slider').first()).toBeVisible();
  }

  async writeNote(): Promise<void> {
    const t = this.#t;
    const { note, optional } = this.#hour;
    await this.#press(t('subjectActions.menu'));
    await this.page.getByRole('menuitem', { name: t('subjectActions.note') }).click();
    await this.#type(t('notes.text'), note, this.#dialog);
    if (optional) {
      await this.#choose(t('notes.kind'), t('notes.kinds.REACHED'), this.#dialog);
      const date = await this.page.evaluate(() => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10));
      await this.#dialog.getByLabel(t('notes.followUpDate')).fill(date);
      await this.#dialog.getByRole('combobox', { name: t('notes.assignee') }).selectOption({ index: 1 });
    }
    await this.#press(t('notes.save'), this.#dialog);
    await expect(this.#dialog).toBeHidden();
  }

  async openQuery(): Promise<void> {
    const t = this.#t;
    const { query, optional } = this.#hour;
    await this.page
      .getByRole('button', { name: t('queries.openOf', { name: '' }).trim() })
      .first()
      .click();
    await this.#type(t('queries.text'), query, this.#dialog);
    if (optional) {
      await this.#dialog.getByRole('combobox', { name: t('queries.metric') }).selectOption({ index: 1 });
      await this.#dialog.getByRole('combobox', { name: t('queries.assignee') }).selectOption({ index: 1 });
    }
    await this.#press(t('queries.open'), this.#dialog);
    await expect(this.#dialog).toBeHidden();
    await this.#follow(t('queries.unresolved', { count: 1 }));
    await expect(this.page.getByRole('list', { name: t('queries.title') }).locator('> li')).toContainText(query);
  }

  /** Exports the study and answers the members of the file that the browser saved. */
  async exportStudy(): Promise<Map<string, Buffer>> {
    const t = this.#t;
    const { subject, optional } = this.#hour;
    await this.#follow(t('nav.exports'));
    await this.#press(t('exports.new'));
    if (optional) {
      await this.#dialog.getByRole('checkbox', { name: t('exports.allSubjects', { count: 1 }) }).uncheck();
      await this.#dialog.getByRole('checkbox', { name: subject, exact: true }).check();
    }
    await this.#press(t('exports.make'), this.#dialog);
    await expect(this.#dialog).toBeHidden();
    await expect(this.page.getByText(t('exports.state.READY'), { exact: true })).toBeVisible(JOB);
    const downloading = this.page.waitForEvent('download');
    await this.page.getByRole('button', { name: t('exports.downloadOf', { name: '' }).trim() }).click();
    return zipContents(await readFile(await (await downloading).path()));
  }

  /** Makes a backup, in `folder` if the field for it is filled, and answers the folder that the page says to restore from. */
  async backUp(folder: string): Promise<string> {
    const t = this.#t;
    await this.#follow(t('nav.site'));
    await this.#follow(t('site.backups'));
    await this.#press(t('backups.make'));
    if (this.#hour.optional) await this.#type(t('backups.otherFolder'), folder, this.#dialog);
    await this.#press(t('backups.make'), this.#dialog);
    await expect(this.#dialog).toBeHidden();
    await expect(this.page.getByRole('table').getByText(t('backups.state.complete'), { exact: true })).toBeVisible(JOB);
    const told = await this.page.getByRole('region', { name: t('backups.restoreTitle') }).textContent();
    return /--from "([^"]+)"/.exec(told ?? '')?.[1] ?? '';
  }

  /** Finds everything in the site on the page by its own ways. */
  async findAll(): Promise<void> {
    const t = this.#t;
    const { study, subject, note, query } = this.#hour;
    await this.#follow(t('nav.studies'));
    await this.#follow(study);
    await this.#follow(subject);
    const views = this.page.getByRole('navigation', { name: t('subject.tabs') });
    await views.getByRole('link', { name: t('subject.notes'), exact: true }).click();
    await expect(this.page.getByRole('list', { name: t('notes.title') })).toContainText(note);
    await views.getByRole('link', { name: t('subject.queries'), exact: true }).click();
    await expect(this.page.getByRole('list', { name: t('queries.title') })).toContainText(query);
    await views.getByRole('link', { name: t('subject.recordings'), exact: true }).click();
    await this.openDay();
  }
}

/** The files of a real recording, or of one made here where they are not. */
async function filesOf(paths: readonly string[]): Promise<RecordedFile[]> {
  const urls = paths.map((path) => new URL(`../../../shared/data/${path}`, import.meta.url));
  const mimeType = 'application/octet-stream';
  if (urls.every((url) => existsSync(url)))
    return Promise.all(
      urls.map(async (url) => ({ name: basename(url.pathname), mimeType, buffer: await readFile(url) })),
    );
  test.info().annotations.push({ type: 'skipped', description: `${paths.join(', ')}: not here, a made file instead` });
  return [{ name: 'made.cwa', mimeType, buffer: madeCwa({ blocks: 400 }) }];
}

export async function walkFirstHour(page: Page, hour: FirstHour): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-first-hour-'));
  const sites: ServedSite[] = [];
  try {
    const files = await filesOf(hour.recording);
    const first = await offerNewSite(join(folder, 'site'));
    sites.push(first);
    const walk = new Walk(hour, await textsIn(hour.language), page);
    await page.goto(first.url);
    await test.step('create the site', () => walk.createSite());
    const expectNoProblems = watchPage(page);
    await test.step('sign in', () => walk.signIn());
    await test.step('create a study', () => walk.createStudy());
    await test.step('define it', () => walk.defineStudy());
    await test.step('enrol a subject', () => walk.enrol(idleMinute));
    await test.step('start the study', () => walk.startStudy());
    await test.step('import a recording', () => walk.importRecording(files));
    await test.step('open the day', () => walk.openDay());
    await test.step('read the day', () => walk.readDay(idleMinute));
    await test.step('write a note', () => walk.writeNote());
    await test.step('open a query', () => walk.openQuery());
    const members = await test.step('export', () => walk.exportStudy());
    const rows = (name: string) => csvRecords(members.get(name)?.toString() ?? '');
    expect(rows('subjects.csv')).toHaveLength(1);
    expect(members.get('subjects.csv')?.toString()).toContain(hour.subject);
    expect(members.get('notes.csv')?.toString()).toContain(hour.note);
    expect(`${members.get('queries.csv')}${members.get('query-steps.csv')}`).toContain(hour.query);
    expect(rows('recordings.csv')).toHaveLength(1);
    const drive = join(folder, 'drive');
    await mkdir(drive);
    const from = await test.step('back up', () => walk.backUp(drive));
    expectNoProblems();
    const context = page.context();
    await page.close();
    await first.stop();

    const restored = join(folder, 'restored');
    await test.step('restore', () => restoreBackup(from, restored));
    const second = await serveSite(restored);
    sites.push(second);
    walk.page = await context.newPage();
    const expectNoMore = watchPage(walk.page);
    await walk.page.goto(second.url);
    await test.step('sign in again', () => walk.signIn(idleMinute));
    await test.step('find everything', () => walk.findAll());
    expectNoMore();
    await walk.page.close();
  } finally {
    for (const site of sites) await site.stop();
    await removeFolder(folder);
  }
}
