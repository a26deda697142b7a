import { expect, it } from 'vitest';
import { deepLinkTo, isLinkArgument, parseDeepLink } from './deep-links.ts';

const SITE = '019a20b1-0000-7000-8000-000000000001';
const STUDY = '019a20b1-0000-7000-8000-000000000002';
const SUBJECT = '019a20b1-0000-7000-8000-000000000003';
const place = `/studies/${STUDY}/subjects/${SUBJECT}`;
const to = (address: string) => `outpost://site/${SITE}${address}`;

it.each([
  ['', '/'],
  ['/', '/'],
  [`${place}/days?date=2026-01-12&view=week`, `${place}/days?date=2026-01-12&view=week`],
  [`${place}/recordings/${STUDY}?at=1768230000000`, `${place}/recordings/${STUDY}?at=1768230000000`],
  [`/messages?study=${STUDY}&subject=${SUBJECT}`, `/messages?study=${STUDY}&subject=${SUBJECT}`],
  ['/equipment/SN-0042.b', '/equipment/SN-0042.b'],
  ['/site/backups', '/site/backups'],
  ['/equipment?state=attention&text=SN-1', '/equipment?state=attention&text=SN-1'],
  [
    `/studies/${STUDY}/subjects?filter=twoDays&group=${SUBJECT}`,
    `/studies/${STUDY}/subjects?filter=twoDays&group=${SUBJECT}`,
  ],
  ['/equipment?text=a+b', '/equipment?text=a+b'],
  ['/equipment?text=%2212%22', '/equipment?text=%2212%22'],
  ['/subjects?text=%E8%A2%AB%E9%A8%93%E8%80%85+1', '/subjects?text=%E8%A2%AB%E9%A8%93%E8%80%85+1'],
])('a link to %s shows %s', (address, path) => {
  expect(parseDeepLink(to(address))).toEqual({ siteId: SITE, path });
});

it.each([
  ['another scheme', `https://site/${SITE}/`],
  ['another host', `outpost://run/${SITE}/`],
  ['no site', 'outpost://site/'],
  ['no id of a site', 'outpost://site/../../etc/'],
  ['a script', 'outpost:javascript:alert(1)'],
  ['a script as host', `outpost://site/${SITE}/javascript:alert(1)`],
  ['another origin', `outpost://site/${SITE}//evil.example/`],
  ['another origin after a backslash', `outpost://site/${SITE}/\\evil.example`],
  ['a user name', `outpost://admin@site/${SITE}/`],
  ['a port', `outpost://site:8480/${SITE}/`],
  ['the site in capitals, which systems may compare otherwise', `outpost://site/${SITE.replace('a', 'A')}/`],
  ['a fragment', to('/exports#confirm')],
  ['a parent folder', to('/studies/..')],
  ['a parent folder as a serial number', to('/equipment/..')],
  ['an escaped parent folder', to('/studies/%2e%2e/site')],
  ['an escaped slash', to('/equipment/a%2fb')],
  ['a doubled slash', to('//exports')],
  ['a slash at the end', to('/exports/')],
  ['a page that the desk does not have', to('/admin')],
  ['the interface', to('/api/v1/site/backups')],
  ['signing in with a way back', to('/sign-in?next=/site')],
  ['a password code', to('/set-password')],
  ['a pairing', to('/equipment/pair')],
  ['a pairing that is under way', to(`/equipment/pair?pairing=${STUDY}`)],
  ['a page that prints', to(`/print/studies/${STUDY}`)],
  ['an unknown parameter', to('/exports?start=now')],
  ['a parameter of another page', to('/messages?date=2026-01-12')],
  ['a parameter twice', to(`/messages?study=${STUDY}&study=${SUBJECT}`)],
  ['a parameter of an object', to('/messages?constructor=a')],
  ['a parameter that is no date', to(`${place}/days?date=today`)],
  ['an empty search', to('/exports?')],
  ['a line break in a text', to('/equipment?text=a%0Ab')],
  ['a zero byte in a text', to('/equipment?text=a%00b')],
  ['a text that is not UTF-8', to('/equipment?text=%FF')],
  ['half an escape', to('/equipment?text=%2')],
  ['an escape of a letter that needs none', to('/equipment?text=%61')],
  ['an escape in small letters', to('/equipment?text=%e8%a2%ab')],
  ['an escape in another parameter', to('/equipment?state=%22out%22')],
  ['a text that is longer than a filter', to(`/equipment?text=${'a'.repeat(203)}`)],
  ['an escaped parameter name', to('/equipment?%74ext=a')],
  ['two searches', to(`/messages?study=${STUDY}?subject=${SUBJECT}`)],
  ['a number that is no time', to(`${place}/recordings/${STUDY}?at=1e999`)],
  ['a line break', to('/exports\n--data=/tmp')],
  ['a line break at the end', to('/exports\n')],
  ['a zero byte', to('/exports\0')],
  ['a quotation mark and a switch', to('/exports" --data="C:')],
  ['a blank', to('/exports --no-sandbox')],
  ['letters that look alike', to('/ехports')],
  ['a text of great length', to(`/equipment/${'a'.repeat(600)}`)],
  ['no text', { toString: () => to('/') }],
  ['nothing', undefined],
])('refuses a link with %s', (_case, link) => {
  expect(parseDeepLink(link)).toBeNull();
});

it('writes links that it reads again, without parameters that a link cannot hold', () => {
  expect(deepLinkTo(SITE, `${place}/days?date=2026-01-12`)).toBe(to(`${place}/days?date=2026-01-12`));
  expect(deepLinkTo(SITE, '/exports?sort=%22name%22')).toBe(to('/exports'));
  for (const address of ['/sign-in?next=/exports', '/set-password', '/equipment/pair', '/print/equipment'])
    expect(deepLinkTo(SITE, address)).toBeNull();
});

it('knows a link among arguments, however it is written', () => {
  for (const argument of ['outpost://site/x', 'OUTPOST:anything']) expect(isLinkArgument(argument)).toBe(true);
  for (const argument of ['--data', '/home/ann/outpost.edf', 'C:\\outpost'])
    expect(isLinkArgument(argument)).toBe(false);
});

it('keeps of a filter what a link can hold', () => {
  for (const text of ['a b', '"12"', '被験者 1', 'a&state=out', '50%', "~'*()!+", `"${'1'.repeat(200)}"`]) {
    const address = `/equipment?state=attention&${new URLSearchParams({ text })}`;
    expect(deepLinkTo(SITE, address)).toBe(to(address));
    expect(parseDeepLink(to(address))).toEqual({ siteId: SITE, path: address });
  }
  // Typed in the address bar.
  expect(deepLinkTo(SITE, '/equipment?text=a%20b')).toBe(to('/equipment?text=a+b'));
  for (const text of ['a\nb', 'x'.repeat(300)])
    expect(deepLinkTo(SITE, `/equipment?state=attention&${new URLSearchParams({ text })}`)).toBe(
      to('/equipment?state=attention'),
    );
  expect(deepLinkTo(SITE, `/equipment?${new URLSearchParams({ text: '被'.repeat(200) })}`)).toSatisfy(
    (link: string) => parseDeepLink(link) !== null,
  );
  expect(
    deepLinkTo(SITE, `/studies/${STUDY}/subjects?${new URLSearchParams({ text: '被'.repeat(200), group: SUBJECT })}`),
  ).toSatisfy((link: string) => parseDeepLink(link) !== null);
  expect(deepLinkTo(SITE, `/studies/${STUDY}/queries?state=OPEN&assignee=${SUBJECT}`)).toBe(
    to(`/studies/${STUDY}/queries?state=OPEN&assignee=${SUBJECT}`),
  );
});
