/** IP addresses in the forms that the site compares, stores and prints. */
import { BlockList, isIP } from 'node:net';

/** IPv6 addresses that carry an IPv4 address in their last 32 bits: mapped, compatible, NAT64 (RFC 4291, 6052). */
const IPV4_CARRIERS = new BlockList();
IPV4_CARRIERS.addSubnet('::ffff:0:0', 96, 'ipv6');
IPV4_CARRIERS.addSubnet('::', 96, 'ipv6');
IPV4_CARRIERS.addSubnet('64:ff9b::', 96, 'ipv6');

/** A socket's address, an IPv4 one without its mapped form (`::ffff:192.168.1.20`); empty for a closed socket. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/i, '');
}

/** An address without its zone, the name of an interface in `fe80::1%eth0`. */
export function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

/** The address as the host of a URL or of a Host header, with brackets around IPv6. */
export function urlHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** The host of a URL as sockets and certificates want it, without the brackets around IPv6. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The IPv4 address inside an IPv6 one, in any spelling; undefined for every other address. */
export function carriedIpv4(address: string): string | undefined {
  const plain = withoutZone(address);
  if (isIP(plain) !== 6 || !IPV4_CARRIERS.check(plain, 'ipv6')) return undefined;
  const [high = 0, low = 0] = ipv6Groups(plain).slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The address itself, or the /64 network of an IPv6 one: a single computer may use any number of addresses in it. */
export function networkOf(address: string): string {
  const plain = withoutZone(plainAddress(address));
  if (isIP(plain) !== 6) return plain;
  return ipv6Groups(plain)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** The eight groups of an IPv6 address without a zone. */
function ipv6Groups(address: string): number[] {
  // The URL parser writes any spelling in groups of hex digits.
  const canonical = bareHost(new URL(`http://[${address}]`).hostname);
  const [head = '', tail] = canonical.split('::');
  const parse = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return parse(head);
  const [left, right] = [parse(head), parse(tail)];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

/** Whether a host name, as a URL or a Host header writes it, means the computer itself. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
