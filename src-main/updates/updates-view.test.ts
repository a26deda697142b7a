import { expect, test } from 'vitest';
import type { UpdateStep } from '../desktop-api.ts';
import { updatesWords } from '../pages/updates-words.ts';
import type { UpdateAttempt } from './attempt.ts';
import { type RefusalReason, UpdateRefused } from './refusal.ts';
import { type UpdatesFacts, type UpdatesPhase, updatesView } from './updates-view.ts';

const FACTS: UpdatesFacts = {
  language: 'en',
  version: '1.1.0',
  cannot: undefined,
  folder: '/media/stick',
  phase: { kind: 'unchecked' },
  checkedMs: undefined,
  attempt: undefined,
  isSiteOpen: true,
};
const view = (over: Partial<UpdatesFacts>) => updatesView({ ...FACTS, ...over });
const steps = (over: Partial<UpdatesFacts>): UpdateStep[] => view(over).buttons.map(({ step }) => step);

const previous = { path: '/kept/Outpost.AppImage', sizeBytes: 1, sha512: '' };
const attempt = (over: Partial<UpdateAttempt>): UpdateAttempt => ({
  from: '1.1.0',
  to: '1.2.0',
  stage: 'ready',
  atMs: 0,
  opens: 0,
  previous,
  ...over,
});
const file = { platform: 'linux', arch: 'x64', name: 'Outpost.AppImage', sizeBytes: 120e6, sha512: '' } as const;
const update = { version: '1.2.0', releasedTs: 0, schema: { from: 10, to: 330 }, file };

test('does nothing before a folder is chosen, and never where the program cannot replace itself', () => {
  expect(steps({ folder: undefined })).toEqual(['chooseFolder', 'leave']);
  for (const cannot of ['not-installed', 'no-keys'] as const) {
    expect(steps({ cannot })).toEqual(['leave']);
    expect(view({ cannot }).sentences).toEqual([updatesWords.en.cannot[cannot]]);
  }
});

test('offers each step only when it is possible', () => {
  const always: UpdateStep[] = ['check', 'chooseFolder', 'turnOff', 'leave'];
  expect(steps({ phase: { kind: 'newest' } })).toEqual(always);
  expect(steps({ phase: { kind: 'available', update } })).toEqual(['prepare', ...always]);
  expect(steps({ attempt: attempt({}) })).toEqual(['installNow', 'installOnQuit', ...always]);
  expect(steps({ attempt: attempt({ installsOnQuit: true }) })).toEqual(['installNow', 'notOnQuit', ...always]);
  expect(steps({ phase: { kind: 'busy', task: 'copying', percent: 40 } })).toEqual([]);
  expect(view({ phase: { kind: 'busy', task: 'copying', percent: 40 } }).status).toContain('40 %');
});

test('asks for words before an update without a backup', () => {
  const phase: UpdatesPhase = { kind: 'no-backup', detail: 'The disk is full.' };
  expect(view({ phase })).toMatchObject({
    problem: expect.stringContaining('The disk is full.'),
    question: { step: 'prepareWithout', button: 'Prepare without a backup' },
  });
  expect(view({ phase: { kind: 'no-backup', isReasonMissing: true } }).problem).toContain('Enter the reason');
  const without = view({ attempt: attempt({ backup: { declined: 'A test computer' } }) });
  expect(without.facts).toContainEqual(['Backup', 'None: A test computer']);
});

test('a version that does not work leads back, where the one before is kept, and to nothing else', () => {
  const failed = { stage: 'failed', selfTest: { failed: 'database' } } as const;
  const shown = view({ attempt: attempt(failed), isSiteOpen: false });
  expect(shown.title).toBe('Version 1.2.0 does not work on this computer');
  expect(shown.problem).toContain('database');
  expect(shown.buttons.map(({ step }) => step)).toEqual(['goBack', 'tryAgain']);
  const kept = attempt({ stage: 'trial', opens: 2, selfTest: 'passed', problem: 'Not migrated.' });
  expect(view({ attempt: kept, isSiteOpen: false }).sentences[0]).toContain('started twice');
  const { previous: _none, ...unkept } = attempt(failed);
  expect(steps({ attempt: unkept, isSiteOpen: false })).toEqual(['tryAgain']);
});

test('has words for every refusal in both languages, which name what they are about', () => {
  const facts = { file: 'Outpost.exe', version: '9.9.9', folder: '/media/stick' };
  for (const language of ['en', 'ja'] as const) {
    const reasons = Object.keys(updatesWords[language].refused) as RefusalReason[];
    const texts = reasons.map(
      (reason) => view({ language, phase: { kind: 'refused', refusal: new UpdateRefused(reason, facts) } }).problem,
    );
    expect(new Set(texts).size).toBe(reasons.length);
    for (const text of texts) expect(text).toBeTruthy();
    expect(texts.join('')).not.toContain('undefined');
  }
});

test('says what became of the last update', () => {
  expect(view({ attempt: attempt({ stage: 'confirmed' }) }).sentences[0]).toContain('Updated from 1.1.0 to 1.2.0');
  expect(view({ attempt: attempt({ stage: 'returned' }) }).sentences[0]).toContain('1.1.0 was installed again');
  expect(view({ attempt: attempt({ stage: 'not-installed' }) }).sentences[0]).toContain('was not installed');
});
