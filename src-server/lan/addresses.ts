/** Under which addresses and names the site is found on the local network. */
import { networkInterfaces } from 'node:os';
import { urlHost } from '../addresses.ts';

/** Addresses a device can call: IPv4 first, no loopback, no link-local ones (they need an interface name). */
export function networkAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !/^(fe[89ab]|169\.254\.)/i.test(address));
  const ofFamily = (family: string) => usable.filter((entry) => entry.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily('IPv4'), ...ofFamily('IPv6')])];
}

/** What this computer calls the connection behind an address: `Wi-Fi`, `eth0`. Undefined for one it does not have now. */
export function interfaceOf(address: string): string | undefined {
  const found = Object.entries(networkInterfaces()).find(([, entries]) =>
    entries?.some((entry) => entry.address === address),
  );
  return found?.[0];
}

/** `clinic-north.local` for "Clinic North"; a name without Latin letters gives one from the site's id. */
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
