import type { RunningSite } from '../src-server/site/server.ts';

/** Whether hubs and phones can deliver now, as the tray shows it. */
export type Receiving =
  /** No site is open. */
  | { state: 'closed' }
  /** The local network is switched off in the settings of the site. */
  | { state: 'off' }
  /** The local network should be on and is not. */
  | { state: 'failed'; code: string; message: string }
  /** The database is damaged, so nothing is accepted any more. */
  | { state: 'damaged' }
  | { state: 'ready' }
  | { state: 'receiving'; files: number };

export const receivingOf = (site: RunningSite | null): Receiving => {
  if (!site) return { state: 'closed' };
  if (site.soundness.state.state === 'damaged') return { state: 'damaged' };
  const { state, problem } = site.lan.network();
  if (state === 'failed') return { state, code: problem?.code ?? '', message: problem?.message ?? '' };
  if (state === 'off') return { state };
  const files = site.filesUnderWay();
  return files > 0 ? { state: 'receiving', files } : { state: 'ready' };
};
