/** Drafts that this page has completed or deleted: the back key of the phone leads past their screens. */
const ended = new Set<string>();

export const noteEnded = (draftId: string): void => void ended.add(draftId);

export const hasEnded = (draftId: string): boolean => ended.has(draftId);
