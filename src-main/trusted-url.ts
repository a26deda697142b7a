/** Which addresses a window may show or hand out. Addresses are parsed, never compared as text. */

const parse = (address: string): URL | null => {
  try {
    return new URL(address);
  } catch {
    return null;
  }
};

/** True for a page of the running site: same origin, and no credentials hidden in the address. */
export const isSiteUrl = (address: string, siteUrl: string): boolean => {
  const url = parse(address);
  return url !== null && url.origin === new URL(siteUrl).origin && url.username === '' && url.password === '';
};

/**
 * True for what may be handed to the system's browser or mail program. A port or credentials in a web address are
 * refused: both are common in addresses that pretend to be another site.
 */
export const isExternalUrl = (address: string): boolean => {
  const url = parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'mailto:') return true;
  return url.protocol === 'https:' && url.port === '' && url.hostname.includes('.');
};
