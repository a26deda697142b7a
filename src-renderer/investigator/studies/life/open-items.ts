/** What is still out or unread when a study is to end or to be put away: said before, in numbers. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { fleetQuery } from '../../../shared/api/equipment-queries.ts';
import { conversationsQuery } from '../../../shared/api/message-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import type { Step } from './steps.ts';

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

export function useOpenItems(studyId: string, step: Step) {
  const { user } = useSession();
  const isEnd = step === 'stop' || step === 'archive';
  const ofFleet = fleetQuery(user.accountId);
  const { data: fleet } = useQuery({ ...ofFleet, queryFn: isEnd ? ofFleet.queryFn : skipToken });
  const ofTalk = conversationsQuery(user.accountId);
  const { data: talk } = useQuery({ ...ofTalk, queryFn: isEnd ? ofTalk.queryFn : skipToken });
  if (!isEnd) return [];
  const out = fleet?.items.filter(({ holder }) => holder?.studyId === studyId) ?? [];
  const own = talk?.items.filter((conversation) => conversation.studyId === studyId) ?? [];
  const counts = {
    // A study that is put away has ended: what is not here by now was told at its stop.
    unsent: step === 'stop' ? sum(out.map(({ held }) => held?.recordings ?? 0)) : 0,
    out: out.length,
    unread: sum(own.map(({ unreadCount }) => unreadCount)),
  };
  return (['unsent', 'out', 'unread'] as const).flatMap((item) =>
    counts[item] > 0 ? [{ item, count: counts[item] }] : [],
  );
}
