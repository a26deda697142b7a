/** The first hour in English, with every optional field left empty. */
import { test } from '@playwright/test';
import { walkFirstHour } from '../support/first-hour.ts';

test.use({ locale: 'en-US', actionTimeout: 20_000 });

test('from an empty folder to an export and a restore, with no optional field', async ({ page }) => {
  test.setTimeout(480_000);
  await walkFirstHour(page, {
    language: 'en',
    organisation: 'Harbour Clinic',
    firstName: 'Robin',
    lastName: 'Marsh',
    study: 'Heart Rate 1',
    survey: 'Evening',
    question: 'Did you sleep well?',
    subject: 'N-101',
    note: 'Wears the strap on the left.',
    query: 'Was the strap loose here?',
    recording: ['devices/ishne/lifecard_first300s.ecg'],
  });
});
