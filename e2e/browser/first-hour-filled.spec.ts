/** The first hour in Japanese, with every optional field filled. */
import { test } from '@playwright/test';
import { walkFirstHour } from '../support/first-hour.ts';

test.use({ locale: 'ja-JP', actionTimeout: 20_000 });

test('from an empty folder to an export and a restore, with every optional field', async ({ page }) => {
  test.setTimeout(480_000);
  await walkFirstHour(page, {
    language: 'ja',
    organisation: '港南クリニック',
    firstName: '花子',
    lastName: '佐藤',
    study: '歩行 1',
    survey: '夜の日誌',
    question: '痛みはありましたか',
    subject: 'N-201 山田',
    note: '次回は左胸に装着するとのこと。',
    query: 'この時間は外していましたか。',
    recording: ['100.hea', '100.dat', '100.atr'].map((name) => `formats/wfdb/${name}`),
    optional: {
      zone: { typed: 'Osaka', name: 'Asia/Tokyo' },
      title: '日常生活の歩行に関する観察研究',
      activity: '6分間歩行',
      instructions: '廊下を6分間、ご自分の速さで歩いてください。',
      secondQuestion: '痛みは何分続きましたか',
      unit: '分',
      field: '病棟',
      fieldValue: '東3階',
      start: '2026-03-01T09:00',
    },
  });
});
