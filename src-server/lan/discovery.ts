/**
 * Announces the site on the local network as `_outpost._tcp` (DNS-SD, RFC 6763). Optional: many networks block
 * multicast, so pairing codes contain the addresses, and a failure here is reported but stops nothing.
 */
import type { EventEmitter } from 'node:events';
import { Bonjour, type Service } from 'bonjour-service';
import { VERSION } from '../version.ts';

export interface Announcement {
  readonly isFailed: boolean;
  /** Withdraws the announcement, if the network allows it. */
  end(): Promise<void>;
}

const GOODBYE_MS = 500;

export function announce(input: {
  siteName: string;
  siteId: string;
  /** `clinic-north.local` */
  host: string;
  port: number;
  fingerprint: string;
  onProblem: (problem: unknown) => void;
}): Announcement {
  let isFailed = false;
  const fail = (problem: unknown) => {
    if (!isFailed) input.onProblem(problem);
    isFailed = true;
  };
  let bonjour: Bonjour | undefined;
  let service: Service | undefined;
  try {
    bonjour = new Bonjour({}, fail);
    // The library does not handle errors of its socket (for example, port 5353 in use); unhandled ones would end the process.
    (Reflect.get(bonjour, 'server') as { mdns: EventEmitter }).mdns.on('error', fail);
    service = bonjour.publish({
      // The end of the id distinguishes two sites with the same name.
      name: `${input.siteName.slice(0, 50)} ${input.siteId.slice(-4)}`,
      type: 'outpost',
      port: input.port,
      host: input.host,
      // Probing for name conflicts would delay the announcement; the id makes the name unique.
      probe: false,
      txt: { version: VERSION, site: input.siteId, pin: input.fingerprint.slice(0, 16) },
    });
    service.on('error', fail);
  } catch (thrown) {
    fail(thrown);
  }
  return {
    get isFailed() {
      return isFailed;
    },
    end: async () => {
      if (!bonjour) return;
      const ending = bonjour;
      const goodbye = new Promise<void>((resolve) => ending.unpublishAll(() => resolve()));
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, GOODBYE_MS);
      });
      await Promise.race([goodbye, patience]);
      clearTimeout(timer);
      ending.destroy();
    },
  };
}
