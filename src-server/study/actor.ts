/** Who or what causes a write, as the audit names it. SYSTEM has no id. */
export type Actor = { type: 'USER' | 'SUBJECT' | 'DEVICE'; id: string } | { type: 'SYSTEM'; id?: undefined };

export type ActorType = Actor['type'];

/** Who writes messages, annotations and events: only people do. */
export type AuthorType = 'USER' | 'SUBJECT';
