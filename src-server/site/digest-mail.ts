/**
 * The words of the daily digest, in the language of its reader. It counts and names nobody: a mail leaves the site, and stands in inboxes
 * and on lock screens.
 */
import type { UserRecord } from '../db/index.ts';

const CAME_NAMES = ['recordings', 'reports', 'messages'] as const;
/** Open items, in the order of the mail. `withoutData`: subjects without recent data. */
export const OPEN_NAMES = [
  'withoutData',
  'missedTasks',
  'visits',
  'consents',
  'followUps',
  'queries',
  'unread',
  'faults',
  'others',
] as const;
export type OpenName = (typeof OPEN_NAMES)[number];
const NUMBERS = [...CAME_NAMES, ...OPEN_NAMES] as const;
type NumberName = (typeof NUMBERS)[number];

export interface DigestStudy extends Readonly<Record<NumberName, number>> {
  name: string;
}

export interface DigestFacts {
  /** Local date of the reader. */
  date: string;
  studies: readonly DigestStudy[];
  /** Open items of the site itself, for administrators. */
  siteItems: number;
}

const ENGLISH: Readonly<Record<NumberName, readonly [one: string, many: string]>> = {
  recordings: ['recording came in', 'recordings came in'],
  reports: ['task was completed', 'tasks were completed'],
  messages: ['message was received', 'messages were received'],
  withoutData: ['subject without recent data', 'subjects without recent data'],
  missedTasks: ['subject with missed tasks', 'subjects with missed tasks'],
  visits: ['visit needs attention', 'visits need attention'],
  consents: ['consent is due', 'consents are due'],
  followUps: ['follow-up is due', 'follow-ups are due'],
  queries: ['data query waits for you', 'data queries wait for you'],
  unread: ['conversation with unread messages', 'conversations with unread messages'],
  faults: ['problem with equipment or files', 'problems with equipment or files'],
  others: ['other item needs attention', 'other items need attention'],
};

const JAPANESE: Readonly<Record<NumberName, (count: number) => string>> = {
  recordings: (count) => `受信した記録 ${count}件`,
  reports: (count) => `完了したタスク ${count}件`,
  messages: (count) => `受信メッセージ ${count}件`,
  withoutData: (count) => `最近のデータがない被験者 ${count}名`,
  missedTasks: (count) => `未実施のタスクがある被験者 ${count}名`,
  visits: (count) => `対応が必要な来院 ${count}件`,
  consents: (count) => `取得が必要な同意 ${count}件`,
  followUps: (count) => `対応予定日を迎えたメモ ${count}件`,
  queries: (count) => `対応待ちのクエリ ${count}件`,
  unread: (count) => `未読メッセージのある会話 ${count}件`,
  faults: (count) => `機器またはファイルの問題 ${count}件`,
  others: (count) => `その他の対応が必要な項目 ${count}件`,
};

export function digestMail(
  { locale, firstName, lastName }: Pick<UserRecord, 'locale' | 'firstName' | 'lastName'>,
  clinic: string,
  facts: DigestFacts,
): { subject: string; body: string } {
  const isJapanese = locale.toLowerCase() === 'ja_jp';
  const date = new Intl.DateTimeFormat(isJapanese ? 'ja-JP' : 'en-US', { dateStyle: 'full', timeZone: 'UTC' }).format(
    new Date(`${facts.date}T12:00:00Z`),
  );
  const line = (name: NumberName, count: number) =>
    isJapanese ? JAPANESE[name](count) : `${count} ${ENGLISH[name][count === 1 ? 0 : 1]}`;
  const parts = facts.studies.map((study) => {
    const lines = NUMBERS.filter((name) => study[name] > 0).map((name) => `- ${line(name, study[name])}`);
    const nothing = isJapanese ? '- 新しい動きはありません' : '- Nothing new';
    return [study.name, ...(lines.length > 0 ? lines : [nothing])].join('\n');
  });
  if (facts.siteItems > 0) {
    parts.push(
      isJapanese
        ? `施設\n- 対応が必要な項目 ${facts.siteItems}件`
        : `Site\n- ${facts.siteItems} ${facts.siteItems === 1 ? 'item needs' : 'items need'} attention`,
    );
  }
  if (isJapanese) {
    return {
      subject: `${clinic}：${date}のまとめ`,
      body: `${lastName} ${firstName} 様\n\n直近24時間のまとめです。\n\n${parts.join('\n\n')}\n\n詳細は、Outpostの「今日」を開いてください。このメールは「アカウント」で停止できます。\n`,
    };
  }
  return {
    subject: `${clinic}: digest for ${date}`,
    body: `Dear ${firstName} ${lastName},\n\nThe last 24 hours:\n\n${parts.join('\n\n')}\n\nOpen Today in Outpost for details. You can turn this email off under Your account.\n`,
  };
}
