/** Who or what causes a write, as the audit names it. SYSTEM has no id. */
export type Actor = { type: 'USER' | 'SUBJECT' | 'DEVICE'; id: string } | { type: 'SYSTEM'; id?: undefined };

export type ActorType = Actor['type'];

/** Authors of messages, annotations and events, who are always people. */
export type AuthorType = 'USER' | 'SUBJECT';
