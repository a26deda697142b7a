/** The addresses and the mDNS name of the site on the local network. */
import { networkInterfaces } from 'node:os';
import { urlHost } from '../addresses.ts';

/** Returns the addresses that devices can call: IPv4 first, without loopback and link-local ones (those need an interface). */
export function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address));
  const ofFamily = (family: string) => usable.filter((entry) => entry.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily('IPv4'), ...ofFamily('IPv6')])];
}

/** Returns the name of the interface with an address: `Wi-Fi`, `eth0`. */
export function interfaceOf(address: string): string | undefined {
  const found = Object.entries(networkInterfaces()).find(([, entries]) =>
    entries?.some((entry) => entry.address === address),
  );
  return found?.[0];
}

/** `clinic-north.local` for "Clinic North"; derived from the site's id if the name has no Latin letters. */
export function mdnsName(siteName: string, siteId: string): string {
  const slug = siteName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return `${slug.length >= 2 ? slug : `outpost-${siteId.replaceAll('-', '').slice(-8)}`}.local`;
}

/** `https://192.168.1.20:8481`, with brackets around IPv6. */
export function lanUrl(address: string, port: number): string {
  return `https://${urlHost(address)}:${port}`;
}
