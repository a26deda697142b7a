/** What the page of updates shows: the state of everything, in sentences and with the steps that are possible now. Pure. */
import type { UpdateStep, UpdatesView } from '../desktop-api.ts';
import { type UpdatesWords, updatesWords } from '../pages/updates-words.ts';
import type { PageLanguage } from '../pages/words.ts';
import type { UpdateAttempt } from './attempt.ts';
import type { UpdateRefused } from './refusal.ts';
import type { FoundUpdate } from './update-list.ts';

export type UpdatesPhase =
  | { kind: 'unchecked' }
  | { kind: 'busy'; task: 'backup' | 'copying' | 'installing'; percent?: number }
  | { kind: 'newest' }
  | { kind: 'available'; update: FoundUpdate }
  | { kind: 'refused'; refusal: UpdateRefused }
  /** There is no checked backup; `detail` says why, unless only the reason for doing without is missing. */
  | { kind: 'no-backup'; detail?: string | undefined; isReasonMissing?: boolean }
  | { kind: 'problem'; message: string };

export interface UpdatesFacts {
  language: PageLanguage;
  version: string;
  /** Why this copy of the program cannot update itself. */
  cannot: 'not-installed' | 'no-keys' | undefined;
  folder: string | undefined;
  phase: UpdatesPhase;
  checkedMs: number | undefined;
  attempt: Readonly<UpdateAttempt> | undefined;
  isSiteOpen: boolean;
}

const timeText = (ms: number, language: PageLanguage): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(ms);
const dayText = (ms: number, language: PageLanguage): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(ms);
const sizeText = (bytes: number, language: PageLanguage): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }).format(bytes / 1e6);

/** Builds the view from the top to the bottom of the page. */
class ViewWriter {
  readonly #view: UpdatesView;
  readonly #words: UpdatesWords;

  constructor(words: UpdatesWords) {
    this.#words = words;
    this.#view = { title: words.title, sentences: [], facts: [], buttons: [], isBusy: false };
  }

  title(text: string): void {
    this.#view.title = text;
  }

  say(...sentences: string[]): void {
    this.#view.sentences.push(...sentences);
  }

  fact(name: string, value: string): void {
    this.#view.facts.push([name, value]);
  }

  problem(text: string): void {
    this.#view.problem = text;
  }

  busy(text: string): void {
    this.#view.isBusy = true;
    this.#view.status = text;
  }

  /** Asks for words, which go with the step. */
  ask(label: string, step: UpdateStep): void {
    this.#view.question = { label, step, button: this.#words.steps[step] };
  }

  button(step: UpdateStep, isPrimary = false): void {
    this.#view.buttons.push({ step, label: this.#words.steps[step], isPrimary });
  }

  get view(): UpdatesView {
    return this.#view;
  }
}

function writeAttempt(write: ViewWriter, attempt: Readonly<UpdateAttempt>, { language }: UpdatesFacts): void {
  const words = updatesWords[language];
  const { from, to, backup, previous, selfTest, problem } = attempt;
  if (backup) {
    const text =
      'declined' in backup
        ? words.declined(backup.declined)
        : words.backedUp(timeText(backup.createdTs, language), backup.directory);
    write.fact(words.backup, text);
  }
  write.fact(words.previous, previous ? words.kept(from, previous.path) : words.notKept(from));
  if (selfTest && selfTest !== 'passed') write.problem(words.selfTestFailed(to, selfTest.failed));
  else if (problem !== undefined) write.problem(problem);
}

/** A version that did not prove itself: nothing else can be done before this is decided. */
function failedView(write: ViewWriter, attempt: Readonly<UpdateAttempt>, facts: UpdatesFacts): void {
  const words = updatesWords[facts.language];
  write.title(words.failedTitle(attempt.to));
  write.say(attempt.selfTest === 'passed' ? words.didNotOpen : words.nothingOpened);
  write.say(attempt.previous ? words.backHelp(attempt.from) : words.noWayBack(attempt.from));
  writeAttempt(write, attempt, facts);
  if (attempt.previous) write.button('goBack', true);
  write.button('tryAgain');
}

function readyView(write: ViewWriter, attempt: Readonly<UpdateAttempt>, facts: UpdatesFacts): void {
  const words = updatesWords[facts.language];
  write.say(attempt.installsOnQuit ? words.onQuit(attempt.to) : words.ready(attempt.to));
  writeAttempt(write, attempt, facts);
  write.button('installNow', true);
  write.button(attempt.installsOnQuit ? 'notOnQuit' : 'installOnQuit');
}

function availableView(
  write: ViewWriter,
  { version, releasedTs, file, notes }: FoundUpdate,
  facts: UpdatesFacts,
): void {
  const { language } = facts;
  const words = updatesWords[language];
  write.say(words.available(version));
  if (notes) write.say(notes[language]);
  write.fact(words.released, dayText(releasedTs, language));
  write.fact(words.file, `${file.name}, ${sizeText(file.sizeBytes, language)}`);
  write.say(words.prepareHelp);
  write.button('prepare', true);
}

function phaseView(write: ViewWriter, facts: UpdatesFacts): void {
  const { phase, language, checkedMs } = facts;
  const words = updatesWords[language];
  switch (phase.kind) {
    case 'unchecked':
      break;
    case 'busy':
      write.busy(`${words.tasks[phase.task]}${phase.percent === undefined ? '' : ` ${phase.percent} %`}`);
      return;
    case 'newest':
      write.say(words.newest);
      break;
    case 'available':
      availableView(write, phase.update, facts);
      break;
    case 'refused':
      write.problem(words.refused[phase.refusal.reason](phase.refusal.facts));
      break;
    case 'no-backup':
      write.problem(phase.isReasonMissing ? words.reasonMissing : words.noBackup(phase.detail));
      write.say(words.withoutHelp);
      write.ask(words.reason, 'prepareWithout');
      write.button('prepare');
      break;
    case 'problem':
      write.problem(phase.message);
      break;
  }
  if (checkedMs !== undefined) write.fact(words.checked, timeText(checkedMs, language));
}

/** Sentences about an update that has ended, good or bad. */
function writePast(write: ViewWriter, attempt: Readonly<UpdateAttempt>, { language }: UpdatesFacts): void {
  const words = updatesWords[language];
  const at = timeText(attempt.atMs, language);
  if (attempt.stage === 'confirmed' || attempt.stage === 'trial')
    write.say(words.confirmed(attempt.from, attempt.to, at));
  else if (attempt.stage === 'returned') write.say(words.returned(attempt.from, attempt.to));
  else if (attempt.stage === 'not-installed') write.say(words.notInstalled(attempt.to));
  else return;
  write.button('forget');
}

export function updatesView(facts: UpdatesFacts): UpdatesView {
  const { language, version, cannot, folder, phase, attempt, isSiteOpen } = facts;
  const words = updatesWords[language];
  const write = new ViewWriter(words);
  write.fact(words.version, version);
  if (cannot !== undefined) {
    write.say(words.cannot[cannot]);
  } else if (phase.kind === 'busy') {
    phaseView(write, facts);
    return write.view;
  } else if (attempt && (attempt.stage === 'failed' || attempt.stage === 'trial') && !isSiteOpen) {
    failedView(write, attempt, facts);
    return write.view;
  } else if (folder === undefined) {
    write.say(words.off);
    write.button('chooseFolder', true);
    if (attempt) writePast(write, attempt, facts);
  } else {
    write.fact(words.folder, folder);
    if (attempt?.stage === 'ready' && phase.kind !== 'no-backup') {
      if (phase.kind === 'refused' || phase.kind === 'problem') phaseView(write, facts);
      readyView(write, attempt, facts);
    } else {
      if (attempt) writePast(write, attempt, facts);
      phaseView(write, facts);
    }
    for (const step of ['check', 'chooseFolder', 'turnOff'] as const) write.button(step);
  }
  write.button('leave');
  return write.view;
}
