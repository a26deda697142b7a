/** What the site answers about drives, encryption and lost files, for states that need hardware, a passphrase or damage. */
import type { BackupStatus, LostFile } from '../../src-server/api/contract/index.ts';
import type { ScreenAnswer } from './screen-answers.ts';

const DRIVE = 'E:\\Outpost backups';
const AT = Date.UTC(2026, 2, 4, 1, 0);

export const DRIVES: readonly ScreenAnswer[] = [
  {
    pattern: /\/site\/drives$/,
    body: () => ({
      items: [
        { name: 'BACKUP-1', path: 'E:\\', folder: DRIVE, isReadOnly: false, freeBytes: 214e9, totalBytes: 512e9 },
        { name: 'Ward stick', path: 'F:\\', folder: 'F:\\Outpost backups', isReadOnly: true },
      ],
      size: 2,
    }),
  },
];

const status = (more: Partial<BackupStatus>): ScreenAnswer => ({
  pattern: /\/site\/backup_status$/,
  body: (answer: BackupStatus) => ({ ...answer, directory: DRIVE, ...more }),
});

export const encryptedBackups = (state: NonNullable<BackupStatus['encryption']>['state']): ScreenAnswer[] => [
  status({ encryption: { recipient: 'age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq', state } }),
];

export const backupDrive = (drive: Omit<NonNullable<BackupStatus['drive']>, 'name'>): ScreenAnswer[] => [
  status({ drive: { name: 'BACKUP-1', ...drive } }),
];

const LOST: LostFile[] = [
  {
    file: 'signals/0197f3a2-6f0e-7c11-9a53-5d0e6f7a8b90.sig',
    state: 'DAMAGED',
    sizeBytes: 38_400_000,
    subjectName: 'N-104',
    startTs: AT,
    copy: { directory: DRIVE, isEncrypted: true, backupId: 'b2', createdTs: AT + 3_600_000 },
  },
  {
    file: 'signals/0197f3a2-7777-7c11-9a53-5d0e6f7a8b91.sig',
    state: 'MISSING',
    sizeBytes: 12_100_000,
    subjectName: 'N-107',
    startTs: AT - 86_400_000,
    copy: { directory: DRIVE, isEncrypted: true },
  },
  { file: 'images/0197f3a2-8888-7c11-9a53-5d0e6f7a8b92', state: 'MISSING', sizeBytes: 310_000 },
];
export const LOST_FILES: readonly ScreenAnswer[] = [
  { pattern: /\/site\/lost_files$/, body: () => ({ items: LOST, size: LOST.length }) },
];
