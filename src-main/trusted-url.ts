/** Rules for the addresses that a window may show or open externally. Addresses are parsed, never compared as text. */

const parse = (address: string): URL | null => {
  try {
    return new URL(address);
  } catch {
    return null;
  }
};

/** True for a page of the running site: same origin and no credentials in the address. */
export const isSiteUrl = (address: string, siteUrl: string): boolean => {
  const url = parse(address);
  return url !== null && url.origin === new URL(siteUrl).origin && url.username === '' && url.password === '';
};

/** Some mail programs attach a file that an address names (`attach=`), so only these fields may be filled in. */
const MAIL_FIELDS = new Set(['subject', 'body', 'cc', 'bcc']);

/**
 * True for addresses that may open in the system browser or mail program. Web addresses with a port or credentials are
 * refused, since both are common in deceptive links.
 */
export const isExternalUrl = (address: string): boolean => {
  const url = parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'mailto:')
    return [...url.searchParams.keys()].every((name) => MAIL_FIELDS.has(name.toLowerCase()));
  return url.protocol === 'https:' && url.port === '' && url.hostname.includes('.');
};
