/** Texts of notifications. Without leave to name subjects, they say nothing about any person. */
import type { AttentionItem } from '../src-server/api/contract/index.ts';
import type { PageLanguage } from './pages/words.ts';

type Reason = AttentionItem['reason'];

const REASONS: Record<PageLanguage, Record<Reason, string>> = {
  en: {
    SKIN_PROBLEM: 'A subject reports a skin problem',
    PROBLEM_REPORTED: 'A subject reports a problem',
    FOLLOW_UP_DUE: 'A follow-up is due',
    VISIT_OVERDUE: 'A visit is overdue',
    VISIT_DUE: 'A visit is today or tomorrow',
    VISIT_TO_SCHEDULE: 'A visit needs a date',
    CONSENT_DUE: 'A consent is due',
    QUERY_OPEN: 'A data query needs an answer',
    QUERY_ANSWERED: 'A data query was answered',
    NO_DATA: 'No data from a subject',
    NOT_RETURNED: 'Equipment not returned',
    MISSED_TASKS: 'Tasks not completed',
    LOW_BATTERY: 'A sensor’s battery runs flat',
    UNREAD_MESSAGE: 'Unread message',
    UPLOAD_QUARANTINED: 'A recording needs a decision',
    UPLOAD_REFUSED: 'Recordings were refused',
    DOCK_WAITING: 'A docked recording waits for you',
    DOCK_FAILED: 'A recording could not be copied',
    DOCK_UNREADABLE: 'A file in a watched folder can’t be read',
    DOCK_STORED: 'A device can be confirmed',
    VERSION_AWAITED: 'Data is waiting for another version of the analysis',
    JOB_FAILED: 'A job failed',
    DISK_FULL: 'The disk is full',
    SITE_DISCONNECTED: 'The site’s disk is disconnected',
    SITE_READ_ONLY: 'The site’s folder is read-only',
    BACKUP_FAILED: 'The last backup failed',
    BACKUP_OVERDUE: 'The backup is overdue',
    BACKUP_DRIVE_AWAY: 'The backup drive is not connected',
    DATABASE_DAMAGED: 'The database is damaged',
    DATA_DAMAGED: 'Files are damaged or missing',
    AUDIT_CONTRADICTED: 'The audit trail does not match its signed copies',
    FILES_DAMAGED: 'Files are damaged, and no copy was found',
    FILES_REPAIRED: 'Damaged files were repaired',
    CLOCK_SET_BACK: 'The computer’s clock moved back',
    CLOCK_AHEAD: 'The computer’s clock may be ahead',
    CERTIFICATE_ENDS: 'A certificate must be renewed',
    PHONE_ADDRESS_GONE: 'Phones can’t find the site',
    MAIL_FAILING: 'Emails can’t be sent',
    WEBHOOK_FAILING: 'A webhook can’t be reached',
  },
  ja: {
    SKIN_PROBLEM: '被験者から皮膚の問題の報告があります',
    PROBLEM_REPORTED: '被験者から問題の報告があります',
    FOLLOW_UP_DUE: '対応予定日になったメモがあります',
    VISIT_OVERDUE: '予定日を過ぎた来院があります',
    VISIT_DUE: '本日または明日の来院があります',
    VISIT_TO_SCHEDULE: '日程が未定の来院があります',
    CONSENT_DUE: '同意の取得が必要な被験者がいます',
    QUERY_OPEN: '未回答のクエリがあります',
    QUERY_ANSWERED: '回答済みのクエリがあります',
    NO_DATA: '被験者のデータが届いていません',
    NOT_RETURNED: '未返却の機器があります',
    MISSED_TASKS: 'タスクが実施されていません',
    LOW_BATTERY: 'センサーの電池切れが続いています',
    UNREAD_MESSAGE: '未読メッセージがあります',
    UPLOAD_QUARANTINED: '判断待ちの記録があります',
    UPLOAD_REFUSED: '記録の受信を拒否しました',
    DOCK_WAITING: 'ドックの記録が取り込み待ちです',
    DOCK_FAILED: '記録をコピーできませんでした',
    DOCK_UNREADABLE: '取り込みフォルダーに読み取れないファイルがあります',
    DOCK_STORED: '保存済みの記録を確認してください',
    VERSION_AWAITED: '新しいデータが解析待ちです',
    JOB_FAILED: 'ジョブが失敗しました',
    DISK_FULL: 'ディスクの空き容量が不足しています',
    SITE_DISCONNECTED: '施設データのディスクが接続されていません',
    SITE_READ_ONLY: '施設データのフォルダーが読み取り専用です',
    BACKUP_FAILED: '前回のバックアップが失敗しました',
    BACKUP_OVERDUE: '予定のバックアップが作成されていません',
    BACKUP_DRIVE_AWAY: 'バックアップ用ドライブが接続されていません',
    DATABASE_DAMAGED: 'データベースが破損しています',
    DATA_DAMAGED: '破損または消失したファイルがあります',
    AUDIT_CONTRADICTED: '監査証跡が署名された控えと一致しません',
    FILES_DAMAGED: '破損したファイルがあり、コピーが見つかりません',
    FILES_REPAIRED: '破損したファイルを修復しました',
    CLOCK_SET_BACK: 'コンピューターの時計が戻りました',
    CLOCK_AHEAD: 'コンピューターの時計が進んでいる可能性があります',
    CERTIFICATE_ENDS: '証明書の更新が必要です',
    PHONE_ADDRESS_GONE: 'スマートフォンが施設のサーバーに接続できません',
    MAIL_FAILING: 'メールを送信できません',
    WEBHOOK_FAILING: 'Webhookに接続できません',
  },
};

const countText = (count: number, language: PageLanguage): string => {
  if (language === 'ja') return `要対応 ${count}件`;
  return count === 1 ? '1 item needs attention' : `${count} items need attention`;
};

/** Longer lists are cut by the system in the middle of a word. */
const MOST_LINES = 4;

/** Title and text of one notification about all of these items. */
export const noticeText = (
  items: readonly Pick<AttentionItem, 'reason' | 'subjectName'>[],
  namesSubjects: boolean,
  language: PageLanguage,
): { title: string; body: string } => {
  const groups = Map.groupBy(items, ({ reason }) => reason);
  const lines = [...groups].map(([reason, group]) => {
    const names = namesSubjects ? [...new Set(group.flatMap(({ subjectName }) => subjectName ?? []))] : [];
    const count = group.length > 1 && names.length === 0 ? ` (${group.length})` : '';
    const text = `${REASONS[language][reason]}${count}`;
    if (names.length === 0) return text;
    return language === 'ja' ? `${text}：${names.join('、')}` : `${text}: ${names.join(', ')}`;
  });
  const more = lines.length - MOST_LINES;
  const rest = language === 'ja' ? `ほか${more}種類` : `and ${more} more`;
  return {
    title: countText(items.length, language),
    body: [...lines.slice(0, MOST_LINES), ...(more > 0 ? [rest] : [])].join('\n'),
  };
};
