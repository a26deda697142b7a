/** The addresses under which phones' browsers open the site, and the item of Today about those that the site no longer has. */
import { DAY_MS } from '../../../durations.ts';
import type { AttentionItem } from '../../../study/attention.ts';
import type { PhoneAddress } from '../../contract/resources/pairings.ts';
import type { ApiDeps } from '../../deps.ts';

/** A phone that did not call for longer is not expected to. */
const RECENT_MS = 60 * DAY_MS;
const NAMED_SUBJECTS = 3;

type Deps = Pick<ApiDeps, 'store' | 'lan' | 'clock'>;

/** Those that are gone first, then by the last call, newest first. */
export async function phoneAddresses({ store, lan, clock }: Deps, accountId: string): Promise<PhoneAddress[]> {
  const phones = await store.devices.webPhones(accountId, clock() - RECENT_MS);
  const addresses = [...Map.groupBy(phones, ({ host }) => host)].map(([host, group]) => {
    const lastTs = Math.max(...group.map((phone) => phone.lastTs));
    return {
      host,
      isGone: lan.hasWebHost(host, lastTs) === false,
      lastTs,
      phones: group.map(({ host: _, ...phone }) => phone).sort((a, b) => b.lastTs - a.lastTs),
    };
  });
  return addresses.sort((a, b) => Number(b.isGone) - Number(a.isGone) || b.lastTs - a.lastTs);
}

/** For the staff of these studies: the phones that cannot reach the site where they knew it. */
export async function phoneAddressItems(
  deps: Deps & Pick<ApiDeps, 'siteId'>,
  accountId: string,
  studyIds: ReadonlySet<string>,
): Promise<AttentionItem[]> {
  return (await phoneAddresses(deps, accountId)).flatMap(({ host, isGone, phones }): AttentionItem[] => {
    const own = phones.filter(({ studyId }) => studyIds.has(studyId));
    const [newest] = own;
    if (!isGone || !newest) return [];
    const count = own.length;
    const names = own.slice(0, NAMED_SUBJECTS).map(({ subjectName }) => subjectName);
    const who = [...names, ...(count > NAMED_SUBJECTS ? [`+${count - NAMED_SUBJECTS}`] : [])].join(', ');
    return [
      {
        id: `PHONE_ADDRESS_GONE:${host}`,
        reason: 'PHONE_ADDRESS_GONE',
        sentence: `${host} is no longer an address of this computer, so phones that use it cannot open the site (${who}). Give the computer that address again, or sign these phones in again.`,
        sinceTs: newest.lastTs,
        evidence: { count, detail: `${host} (${who})`, atTs: newest.lastTs },
        evidenceKey: own
          .map(({ subjectId }) => subjectId)
          .sort()
          .join(' '),
        action: { kind: 'CHECK_NETWORK', target: { type: 'site', id: deps.siteId } },
      },
    ];
  });
}
