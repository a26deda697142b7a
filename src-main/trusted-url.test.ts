import { expect, test } from 'vitest';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';

const site = 'http://127.0.0.1:8480/';

test.each([
  ['http://127.0.0.1:8480/studies/1', true],
  ['http://127.0.0.1:8480', true],
  ['http://127.0.0.1:84801/', false],
  ['http://127.0.0.1:8480.example.org/', false],
  ['http://127.0.0.1:8480@example.org/', false],
  ['http://user:secret@127.0.0.1:8480/', false],
  ['https://127.0.0.1:8480/', false],
  ['file:///etc/passwd', false],
  ['javascript:alert(1)', false],
  ['not an address', false],
])('a window of the site may show %s: %s', (address, expected) => {
  expect(isSiteUrl(address, site)).toBe(expected);
});

test.each([
  ['https://www.example.org/page?x=1', true],
  ['mailto:help@example.org', true],
  ['mailto:help@example.org?subject=Outpost&Body=Hello', true],
  ['mailto:help@example.org?attach=/etc/passwd', false],
  ['mailto:help@example.org?subject=x&attachment=C:%5Cnotes.txt', false],
  ['http://www.example.org/', false],
  ['https://www.example.org:8443/', false],
  ['https://user@www.example.org/', false],
  ['https://localhost/', false],
  ['file:///etc/passwd', false],
  ['smb://server/share', false],
  ['javascript:alert(1)', false],
  ['', false],
])('%s may be handed to the system: %s', (address, expected) => {
  expect(isExternalUrl(address)).toBe(expected);
});
