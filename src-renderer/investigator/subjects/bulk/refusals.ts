/** Which subjects an action on many cannot change, by the same rules as the action on one. Pure. */
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';
import { type GroupChoice, isSameGroup } from '../../participation/group-choice.ts';

export type Refusal = 'gone' | 'otherStudy' | 'sameGroup' | 'alreadyHidden' | 'alreadyShown';

export function groupRefusal(
  subject: ListedSubject | undefined,
  studyId: string,
  choice: GroupChoice,
): Refusal | undefined {
  if (!subject) return 'gone';
  if (subject.studyId !== studyId) return 'otherStudy';
  return isSameGroup(subject.summary ?? {}, choice) ? 'sameGroup' : undefined;
}

export function hideRefusal(subject: ListedSubject | undefined, isHidden: boolean): Refusal | undefined {
  if (!subject) return 'gone';
  if (subject.isHidden !== isHidden) return undefined;
  return isHidden ? 'alreadyHidden' : 'alreadyShown';
}
