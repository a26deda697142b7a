/** A subject in the list of conversations, and the order of that list. */
import type { Conversation, Subject } from '../../../src-server/api/contract/index.ts';

export interface Partner {
  subject: Subject;
  studyName: string;
  conversation: Conversation | undefined;
}

/** Sorts unread conversations first, then the newest; subjects without a conversation come last, by name. */
export function byUrgency(a: Partner, b: Partner, compare: (a: string, b: string) => number): number {
  const isUnread = (partner: Partner) => ((partner.conversation?.unreadCount ?? 0) > 0 ? 1 : 0);
  return (
    isUnread(b) - isUnread(a) ||
    (b.conversation?.lastTs ?? 0) - (a.conversation?.lastTs ?? 0) ||
    compare(a.subject.displayName, b.subject.displayName)
  );
}
