/** The part of the failure page that finds the newest good backup and gets back to work with it, by clicking alone. */
import type { ErrorCodeName, OutpostError } from '../../src-server/errors.ts';
import { escapeHtml } from '../../src-server/site/set-up/document.ts';
import { recoveryWords } from './recovery-words.ts';
import type { PageLanguage } from './words.ts';

/** `beside`: in the place of the damaged site, which is kept. `elsewhere`: that place cannot be written to. */
type RecoveryKind = 'beside' | 'elsewhere' | 'siteFile' | 'lock';

const kinds: Partial<Record<ErrorCodeName, RecoveryKind>> = {
  SITE_CORRUPT: 'beside',
  SITE_MIGRATION_FAILED: 'beside',
  SITE_NEWER: 'beside',
  SITE_READ_ONLY: 'elsewhere',
};

/** Undefined where only something outside of the site helps: another program, the disk, another folder. */
export function recoveryKindOf({ code, details }: OutpostError): RecoveryKind | undefined {
  if (code === 'SITE_CORRUPT' && details?.part === 'site-file') return 'siteFile';
  if (code === 'SITE_CORRUPT' && details?.part === 'lock') return 'lock';
  return code === 'SITE_MISSING' && details?.part === 'database' ? 'beside' : kinds[code];
}

interface ButtonLook {
  isPrimary?: boolean;
  /** Shown only while there is a backup to restore. */
  needsBackup?: boolean;
}

const button = (step: string, label: string, { isPrimary, needsBackup }: ButtonLook = {}) =>
  `<button type="button" data-step="${step}"${isPrimary ? ' class="primary"' : ''}${needsBackup ? ' data-needs-backup hidden' : ''}>${escapeHtml(label)}</button>`;

export function recoverySection(kind: RecoveryKind, language: PageLanguage): string {
  const words = recoveryWords[language];
  const text = (name: string, value: string) => `data-${name}="${escapeHtml(value)}"`;
  const done = `<div class="done" hidden><h1>${escapeHtml(words.done)}</h1><ul></ul>
<div class="credentials" hidden><p>${escapeHtml(words.signIn)}</p><dl><dt>${escapeHtml(words.email)}</dt><dd data-value="email"></dd>
<dt>${escapeHtml(words.password)}</dt><dd data-value="password"></dd></dl></div>
<div class="actions"><button type="button" class="primary" data-open>${escapeHtml(words.open)}</button></div></div>`;
  const unlock = `<form class="unlock" hidden><p></p><div class="field"><label for="passphrase">${escapeHtml(words.passphrase)}</label>
<input id="passphrase" type="password" autocomplete="off" spellcheck="false" required></div>
<div class="actions"><button>${escapeHtml(words.unlock)}</button></div></form>`;
  const status = '<p class="status" role="status"></p><p class="problem" role="alert"></p>';
  const data = `${text('kind', kind)} ${text('looking', words.looking)} ${text('working', words.working)} ${text('unlocking', words.unlocking)} ${text('none', words.none)} ${text('found', [words.checkedNow, words.newerIsLost].join(language === 'ja' ? '' : ' '))}`;
  if (kind === 'siteFile' || kind === 'lock') {
    const help = kind === 'siteFile' ? `<p>${escapeHtml(words.siteFileHelp)}</p>` : '';
    return `<section class="recovery" ${data}><div class="choose">${help}<div class="actions">${button(kind, words[kind], { isPrimary: true })}</div></div>${status}${unlock}
<div class="actions" data-without hidden>${button('siteFileNew', words.siteFileNewStep)}</div>${done}</section>`;
  }
  const restore = kind === 'beside' ? button('restore', words.restore, { isPrimary: true, needsBackup: true }) : '';
  const elsewhere = button('restoreElsewhere', words.restoreElsewhere, {
    isPrimary: kind === 'elsewhere',
    needsBackup: true,
  });
  return `<section class="recovery" ${data}><h2>${escapeHtml(words.title)}</h2>${status}${unlock}
<div class="choose" hidden><dl hidden></dl>
<div class="actions">${restore}${elsewhere}${button('lookElsewhere', words.lookElsewhere)}</div><ul class="notes"></ul>
<section class="rebuild" hidden><p>${escapeHtml(words.rebuildHelp)}</p><div class="actions">${button('rebuild', words.rebuild)}</div></section></div>
${done}</section>`;
}

/** Runs after the page's own script. Texts come from the page, and are only ever set as text. */
export const RECOVERY_SCRIPT = `const recovery = document.querySelector('.recovery');
if (recovery) {
  const find = (selector) => recovery.querySelector(selector);
  const { kind, looking, working, unlocking, none, found } = recovery.dataset;
  const unlock = find('.unlock');
  const fill = (list, texts) => list.replaceChildren(...texts.map((text) => {
    const item = document.createElement('li');
    item.textContent = text;
    return item;
  }));
  const show = (answer, step) => {
    if (answer.kind === 'problem') find('.problem').textContent = answer.message;
    if (answer.kind === 'problem' && step === 'passphrase') unlock.elements.passphrase.select();
    if (['found', 'none', 'locked'].includes(answer.kind)) {
      unlock.hidden = !answer.locked;
      unlock.querySelector('p').textContent = answer.locked ?? '';
      if (answer.locked) unlock.elements.passphrase.focus();
    }
    if (answer.kind === 'locked') {
      const without = find('[data-without]');
      if (without) without.hidden = false;
    }
    if (answer.kind === 'unlocked') {
      unlock.reset();
      unlock.hidden = true;
      run(kind === 'siteFile' ? 'siteFile' : 'look', looking);
    }
    if (answer.kind === 'found' || answer.kind === 'none') {
      const hasBackup = answer.kind === 'found';
      find('.status').textContent = hasBackup ? found : answer.locked ? '' : none;
      find('.choose > dl').hidden = !hasBackup;
      find('.choose > dl').replaceChildren(...(answer.facts ?? []).flatMap(([name, value]) => {
        const [term, text] = [document.createElement('dt'), document.createElement('dd')];
        term.textContent = name;
        text.textContent = value;
        return [term, text];
      }));
      fill(find('.notes'), answer.notes);
      for (const one of recovery.querySelectorAll('[data-needs-backup]')) one.hidden = !hasBackup;
      find('.rebuild').hidden = hasBackup || !answer.canRebuild || kind === 'elsewhere';
      find('.choose').hidden = false;
    }
    if (answer.kind === 'done') {
      fill(find('.done ul'), answer.sentences);
      if (answer.credentials) {
        for (const name of ['email', 'password']) find('[data-value=' + name + ']').textContent = answer.credentials[name];
        find('.credentials').hidden = false;
      }
      for (const over of document.querySelectorAll('main > :not(.recovery)')) over.hidden = true;
      recovery.classList.add('only');
      for (const over of recovery.querySelectorAll(':scope > :not(.done)')) over.hidden = true;
      find('.done').hidden = false;
      find('.done button').focus();
    }
  };
  const run = async (step, text, passphrase) => {
    const buttons = document.querySelectorAll('button[data-step], .unlock button, .actions > button[data-action]');
    const before = find('.status').textContent;
    for (const one of buttons) one.disabled = true;
    find('.problem').textContent = '';
    find('.status').textContent = text;
    const timer = setInterval(async () => {
      const { percent } = await window.outpostDesktop.recover('progress');
      if (isRunning) find('.status').textContent = percent > 0 ? text + ' ' + percent + ' %' : text;
    }, 500);
    let isRunning = true;
    const answer = await window.outpostDesktop.recover(step, passphrase);
    isRunning = false;
    clearInterval(timer);
    for (const one of buttons) one.disabled = false;
    find('.status').textContent = before === looking ? '' : before;
    show(answer, step);
  };
  unlock?.addEventListener('submit', (event) => {
    event.preventDefault();
    run('passphrase', unlocking, unlock.elements.passphrase.value);
  });
  for (const one of recovery.querySelectorAll('button[data-step]')) {
    const { step } = one.dataset;
    one.addEventListener('click', () => run(step, step === 'lookElsewhere' ? looking : working));
  }
  find('[data-open]').addEventListener('click', () => { window.outpostDesktop.retry(); });
  if (kind === 'beside' || kind === 'elsewhere') run('look', looking);
}`;
