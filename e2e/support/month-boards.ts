/** The numbers on the boards of a study, read from the page as a person sees them. Each has its counterpart in `month-counts.ts`. */
import { expect, type Locator, type Page } from '@playwright/test';
import type { Coordinator } from './coordinator.ts';

const clean = (text: string | null): string => (text ?? '').replaceAll(/[\u00a0\u202f]/g, ' ').trim();

/** Texts of the cells of the rows of a table, without its header. */
const cellsOf = async (rows: Locator): Promise<string[][]> =>
  (
    await rows.evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
    )
  ).map((row) => row.map(clean));

export class Boards {
  readonly #coordinator: Coordinator;
  readonly #page: Page;

  constructor(coordinator: Coordinator) {
    this.#coordinator = coordinator;
    this.#page = coordinator.page;
  }

  get #main(): Locator {
    return this.#page.getByRole('main');
  }

  /** Name, subjects and recordings of each study. */
  async studies(): Promise<string[][]> {
    return (await cellsOf(this.#rows('Studies'))).map(([name = '', , subjects = '', recordings = '']) => [
      ...[name, subjects, recordings],
    ]);
  }

  async tiles(): Promise<Record<string, string>> {
    const tiles = this.#main.locator('dl').first().locator('> div');
    const found = await tiles.evaluateAll((all) =>
      all.map((tile) => ['dt', 'dd strong', 'dd small'].map((part) => tile.querySelector(part)?.textContent ?? '')),
    );
    const byName = Object.fromEntries(found.map(([name, value]) => [name, clean(value ?? '')]));
    const recorded = found.find(([name]) => name === 'Recordings')?.[2] ?? '';
    return { ...byName, recorded: clean(recorded) };
  }

  /** Rows of the grid of the overview, with the texts of its header and its last row. */
  async grid(): Promise<{ dates: string[]; rows: string[][]; recordings: string[] }> {
    const grid = this.#page.getByRole('grid');
    const links = grid.locator('tbody tr:has(td a)').first().locator('td a');
    const dates = await links.evaluateAll((all) =>
      all.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('date')?.replaceAll('"', '') ?? ''),
    );
    const rows = await cellsOf(grid.locator('tbody tr:has(td a)'));
    const [last = []] = await cellsOf(grid.locator('tfoot tr'));
    return { dates, rows: rows.map(([name = '', , ...cells]) => [name, ...cells]), recordings: last.slice(2) };
  }

  /** The items of Today by their heading. */
  async attention(): Promise<{ title: string; items: Record<string, string[]> }> {
    const sections = this.#main.locator('section:has([data-item])');
    const found = await sections.evaluateAll((all) =>
      all.map((section) => ({
        heading: section.getAttribute('aria-label') ?? '',
        items: [...section.querySelectorAll('[data-item]')].map((item) => {
          const [who, said] = item.children;
          const text = said?.firstChild?.textContent?.replace(/ Oldest opened .*$/, '');
          return `${who?.querySelector('a, strong')?.textContent} | ${text}`;
        }),
      })),
    );
    const title = clean(await this.#main.locator('h1 + p').first().textContent());
    // Under three days it says hours and minutes, which pass while the page is read.
    const inDays = (text: string) =>
      clean(text).replace(/(\d+) h \d+ min$/, (_, hours) => `${Math.floor(Number(hours) / 24)} days`);
    return { title, items: Object.fromEntries(found.map(({ heading, items }) => [heading, items.map(inDays).sort()])) };
  }

  async arrivals(): Promise<string[]> {
    const region = this.#page.getByRole('region', { name: 'Last 24 hours' });
    await expect(region).toBeVisible();
    return (await region.locator('tbody td').allTextContents()).map(clean);
  }

  #rows(table: string): Locator {
    return this.#page.getByRole('region', { name: table, exact: true }).locator('tbody tr');
  }

  /** Rows under each filter of the list of subjects. */
  async filters(names: readonly string[]): Promise<Record<string, number>> {
    const show = this.#page.getByRole('combobox', { name: 'Show' });
    const group = this.#page.getByRole('combobox', { name: 'Group' });
    const found: Record<string, number> = {};
    for (const name of names) {
      const isGroup = name === 'Intervention' || name === 'Control';
      await (isGroup ? group : show).selectOption(name);
      found[name] = await this.#rows('Subjects').count();
      await (isGroup ? group : show).selectOption('All');
    }
    return found;
  }

  async listed(): Promise<string[][]> {
    const table = this.#page.getByRole('region', { name: 'Subjects', exact: true });
    const heads = (await table.locator('thead th').allTextContents()).map(clean);
    const wanted = ['Subject', 'Recorded', 'Days with data', 'Recordings'];
    const at = wanted.map((name) => heads.indexOf(name));
    return (await cellsOf(this.#rows('Subjects'))).map((cells) => at.map((place) => cells[place] ?? heads.join()));
  }

  async quality(): Promise<{ atRisk: string; rows: string[][] }> {
    const rows = (await cellsOf(this.#rows('Subjects'))).map(([name = '', state = '', why = '', , ...counts]) => [
      ...[name, state, why, ...counts],
    ]);
    const atRisk = clean(await this.#main.getByRole('status').filter({ hasText: 'at risk' }).textContent());
    return { atRisk, rows: rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)) };
  }

  async weeks(): Promise<string[][]> {
    await this.#coordinator.choose('Per week');
    return (await cellsOf(this.#rows('Per week'))).map(([, ...counts]) => counts);
  }

  async faults(): Promise<number> {
    await this.#coordinator.choose('Faults');
    const none = this.#page.getByText('No faults reported');
    await expect(none.or(this.#rows('Faults').first())).toBeVisible();
    return (await none.isVisible()) ? 0 : await this.#rows('Faults').count();
  }

  async queries(): Promise<{ byState: Record<string, number>; summary: string; subjects: string[] }> {
    const byState: Record<string, number> = {};
    const empty = this.#page.getByText(/^(No queries yet|No results)/);
    const list = this.#page.getByRole('list', { name: 'Data queries' }).locator('> li');
    for (const state of ['Open', 'Answered', 'Resolved', 'All']) {
      await this.#coordinator.choose(state);
      await expect(list.first().or(empty).first()).toBeVisible();
      byState[state] = await list.count();
    }
    const options = await this.#page.getByRole('combobox', { name: 'Subject' }).locator('option').allTextContents();
    const summary = this.#main.getByText(/^Open: /);
    const text = (await summary.count()) > 0 ? clean(await summary.textContent()) : '';
    return { byState, summary: text.replace(/ oldest: .*$/, ''), subjects: options.slice(1).map(clean) };
  }

  async notes(): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    const list = this.#page.getByRole('list', { name: 'Notes and calls' }).locator('> li');
    for (const choice of ['Notes', 'Calls', 'All']) {
      await this.#coordinator.choose(choice);
      await expect(
        list
          .first()
          .or(this.#page.getByText(/^(No notes yet|No results)/))
          .first(),
      ).toBeVisible();
      found[choice] = await list.count();
    }
    const label = clean(await this.#main.getByText(/^Open follow-ups \(/).textContent());
    return { ...found, 'Open follow-ups': Number(/\((\d+)\)/.exec(label)?.[1]) };
  }

  /** Rows of the comparison of one metric, without the chart. */
  async comparison(metric: string): Promise<string[][]> {
    const rows = await cellsOf(this.#rows('Comparison').filter({ hasText: metric }));
    return rows.map((cells) => cells.slice(1, 9));
  }

  async participation() {
    const card = (name: string) => this.#coordinator.card(name);
    const consent = clean(await card('Consent').textContent());
    const visits = await card('Visits')
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => {
          const [name, window, state] = [...row.children];
          const [pills, date] = [...(state?.firstElementChild?.children ?? [])];
          return [name, window, pills?.firstElementChild, date].flatMap((part) => part?.textContent ?? []).join(' | ');
        }),
      );
    return {
      status: (await card('Status').locator('div').first().locator('> *').allTextContents()).map(clean).join(' '),
      group: clean(await card('Group').locator('p').first().textContent()),
      consent: /Version [^ ]+, \w+, \w+ \d+, \d+/.exec(consent)?.[0] ?? 'none',
      visits: visits.map(clean),
      steps: await card('History').locator('ol > li').count(),
    };
  }
}
