import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

vi.mock('../api/client.ts', () => ({ client: {}, ahead: { dropAll: () => undefined } }));

it('says in both languages that a form was saved before its content was changed', async () => {
  const { FormProblem } = await import('./form-dialog.tsx');
  const { ApiError } = await import('../api/queries.ts');
  const { startLanguages, changeLanguage } = await import('../i18n/i18n.ts');
  const sentence = 'This note was already saved with another content. Open it in the list and edit it there.';
  const errors = [{ path: 'id', message: 'was already used with another content' }];
  const saved = new ApiError(409, 'CONFLICT', sentence, { errors });
  const changed = new ApiError(409, 'CONFLICT', 'The note was changed meanwhile.');
  const shown = (error: Error) => renderToStaticMarkup(createElement(FormProblem, { error }));
  vi.stubGlobal('document', { documentElement: {} });
  await startLanguages('en');
  expect(shown(saved)).toContain(sentence);
  await changeLanguage('ja');
  expect(shown(saved)).toContain('入力を変更する前の内容が、すでに保存されています。');
  expect(shown(changed)).toContain('編集中に、登録内容が変更されました。');
  vi.unstubAllGlobals();
});
