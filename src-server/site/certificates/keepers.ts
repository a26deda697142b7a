/** Where the keys and certificates of the local network are stored: in settings, sealed. */
import { type Change, type SettingValue, SYSTEM } from '../../db/index.ts';
import type { SiteFile } from '../../integrity/site-file.ts';
import type { OwnCertificateKeeper } from '../../lan/identity/own-certificate/own-certificate.ts';
import type { SecretKeeper } from '../../lan/identity/secret-keeper.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import type { Store } from '../../services/index.ts';

type SecretKey = 'lan.identity' | 'lan.authority' | 'lan.ownCertificate';

const boxOf = (site: Pick<SiteFile, 'urlSigningKey'>): SecretBox =>
  new SecretBox(Buffer.from(site.urlSigningKey, 'hex'));

/** Reads one of them; a store that only reads is enough. Undefined if there is none, empty if it cannot be read. */
export async function readSecret(
  site: Pick<SiteFile, 'urlSigningKey'>,
  settings: { get<K extends SecretKey>(key: K): Promise<SettingValue<K>> },
  key: SecretKey,
): Promise<string | undefined> {
  const sealed = await settings.get(key);
  return sealed === null ? undefined : (boxOf(site).open(sealed) ?? '');
}

/** A secret that the site itself makes and renews. */
export function secretKeeper(
  { site, store }: { site: SiteFile; store: Store },
  key: 'lan.identity' | 'lan.authority',
): SecretKeeper {
  return {
    read: () => readSecret(site, store.settings, key),
    write: async (text) => await store.settings.set(key, boxOf(site).seal(text), SYSTEM),
  };
}

/** The clinic's own certificate, which people set. */
export function ownCertificateKeeper({ site, store }: { site: SiteFile; store: Store }): OwnCertificateKeeper {
  const key = 'lan.ownCertificate';
  const put = async (value: string | null, facts: Record<string, string | number | null>, change: Change) =>
    await store.transaction(async ({ settings }) => {
      await settings.set(key, value, change);
      await settings.noteCertificate('own', facts, change);
    });
  return {
    read: () => readSecret(site, store.settings, key),
    write: async (text, facts, change) => await put(boxOf(site).seal(text), facts, change),
    remove: async (change) => await put(null, { names: null }, change),
  };
}
