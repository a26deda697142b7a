/** Counts what is still open when a study is stopped or archived: unsent recordings, equipment out, unread messages. */
import { useQuery } from '@tanstack/react-query';
import { fleetQuery } from '../../../shared/api/equipment-queries.ts';
import { conversationsQuery } from '../../../shared/api/message-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import type { Step } from './steps.ts';

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

export function useOpenItems(studyId: string, step: Step) {
  const { user } = useSession();
  const isEnd = step === 'stop' || step === 'archive';
  const fleetOptions = fleetQuery(user.accountId);
  const { data: fleet } = useQuery({ ...fleetOptions, enabled: isEnd });
  const conversationOptions = conversationsQuery(user.accountId);
  const { data: conversations } = useQuery({
    ...conversationOptions,
    enabled: isEnd,
  });
  if (!isEnd) return [];
  const equipmentOut = fleet?.items.filter(({ holder }) => holder?.studyId === studyId) ?? [];
  const studyConversations = conversations?.items.filter((conversation) => conversation.studyId === studyId) ?? [];
  const counts = {
    // An archived study has been stopped before, and its stop already warned of unsent recordings.
    unsent: step === 'stop' ? sum(equipmentOut.map(({ held }) => held?.recordings ?? 0)) : 0,
    out: equipmentOut.length,
    unread: sum(studyConversations.map(({ unreadCount }) => unreadCount)),
  };
  return (['unsent', 'out', 'unread'] as const).flatMap((item) =>
    counts[item] > 0 ? [{ item, count: counts[item] }] : [],
  );
}
