import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { licenceOf, thirdPartyLicences } from './licences.ts';

it('lists the typeface of the desk with its licence and its text', () => {
  const folder = fileURLToPath(new URL('../../node_modules/@fontsource-variable/inter', import.meta.url));
  const page = thirdPartyLicences([folder]);
  expect(page).toContain('@fontsource-variable/inter');
  expect(page).toContain('OFL-1.1');
  expect(page).toContain('SIL OPEN FONT LICENSE');
});

it('refuses a package that is not permissive, or that names no licence', () => {
  const of = (license?: string) => () => licenceOf({ name: 'one', version: '1.0.0', ...(license && { license }) });
  expect(of('GPL-3.0')).toThrow(/not permissive/);
  expect(of()).toThrow(/names no licence/);
  expect(of('(GPL-2.0 OR MIT)')()).toBe('(GPL-2.0 OR MIT)');
});
