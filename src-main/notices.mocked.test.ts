import { beforeEach, expect, it, vi } from 'vitest';
import { ATTENTION_REASONS } from '../src-server/vocabulary/coverage.ts';
import { linkedPath } from './deep-links.ts';
import { noticeText } from './notice-words.ts';
import { Notices, pathOf } from './notices.ts';

interface Shown {
  title: string;
  body: string;
  click(): void;
}
const { shown } = vi.hoisted(() => ({ shown: [] as Shown[] }));
vi.mock('electron', () => ({
  Notification: class {
    static isSupported = () => true;
    title: string;
    body: string;
    click = () => {};
    constructor({ title, body }: { title: string; body: string }) {
      this.title = title;
      this.body = body;
    }
    on(_name: string, listener: () => void) {
      this.click = listener;
    }
    show() {
      shown.push(this);
    }
    close() {
      if (shown.includes(this)) shown.splice(shown.indexOf(this), 1);
    }
  },
}));

const STUDY = '019a20b1-0000-7000-8000-000000000002';
const SUBJECT = '019a20b1-0000-7000-8000-000000000003';
const item = (reason: (typeof ATTENTION_REASONS)[number], id = `${reason}:1`, subjectName = 'N-104') => ({
  id,
  reason,
  studyId: STUDY,
  subjectId: SUBJECT,
  subjectName,
});

let state = { isOn: true, isInUse: false, names: false };
let opened: string[] = [];
const start = () =>
  new Notices({
    language: () => 'en',
    isOn: () => state.isOn,
    namesSubjects: () => state.names,
    isInUse: () => state.isInUse,
    open: (path) => void opened.push(path),
  });
const texts = () => shown.map(({ title, body }) => [title, body]);

beforeEach(() => {
  shown.length = 0;
  opened = [];
  state = { isOn: true, isInUse: false, names: false };
});

it('shows one notification for what came since, once for each item, and counts on until somebody looks', () => {
  const notices = start();
  notices.update([item('BACKUP_FAILED')]);
  expect(texts()).toEqual([]);
  const both = [item('BACKUP_FAILED'), item('NO_DATA')];
  notices.update(both);
  notices.update(both);
  expect(texts()).toEqual([['1 item needs attention', 'No data from a subject']]);
  notices.update([...both, item('NO_DATA', 'NO_DATA:2'), item('UNREAD_MESSAGE')]);
  expect(texts()).toEqual([['3 items need attention', 'No data from a subject (2)\nUnread message']]);
  notices.seen();
  expect(texts()).toEqual([]);
  notices.update([...both, item('NO_DATA', 'NO_DATA:2'), item('UNREAD_MESSAGE'), item('JOB_FAILED')]);
  expect(texts()).toEqual([['1 item needs attention', 'A job failed']]);
  // All of it was dealt with elsewhere; one that comes back is new.
  notices.update([item('BACKUP_FAILED')]);
  expect(texts()).toEqual([]);
  notices.update([item('BACKUP_FAILED'), item('JOB_FAILED')]);
  expect(texts()).toHaveLength(1);
});

it('opens the item, and Today for several', () => {
  const notices = start();
  notices.update([]);
  notices.update([item('UNREAD_MESSAGE')]);
  shown[0]?.click();
  notices.update([item('UNREAD_MESSAGE'), item('NO_DATA'), item('MISSED_TASKS')]);
  shown[0]?.click();
  expect(opened).toEqual([`/studies/${STUDY}/subjects/${SUBJECT}/messages`, '/']);
  expect(texts()).toEqual([]);
  for (const reason of ATTENTION_REASONS) {
    expect(linkedPath(pathOf(item(reason))), reason).not.toBeNull();
    expect(linkedPath(pathOf({ id: 'x', reason })), reason).not.toBeNull();
  }
});

it('is quiet while the window is in use, when switched off, and for the first list of a person', () => {
  const notices = start();
  notices.update([]);
  state.isInUse = true;
  notices.update([item('NO_DATA')]);
  state.isInUse = false;
  notices.update([item('NO_DATA')]);
  state.isOn = false;
  notices.update([item('NO_DATA'), item('JOB_FAILED')]);
  state.isOn = true;
  notices.reset();
  notices.update([item('NO_DATA'), item('JOB_FAILED'), item('MAIL_FAILING')]);
  expect(texts()).toEqual([]);
});

it('names subjects only where the user allows it', () => {
  const items = [item('NO_DATA'), item('NO_DATA', 'NO_DATA:2', 'N-105')];
  for (const language of ['en', 'ja'] as const) {
    expect(JSON.stringify(noticeText(items, false, language))).not.toContain('N-10');
    expect(noticeText(items, true, language).body).toMatch(/N-104.+N-105/);
    const many = ATTENTION_REASONS.map((reason) => item(reason));
    expect(noticeText(many, false, language).body.split('\n')).toHaveLength(5);
  }
});
