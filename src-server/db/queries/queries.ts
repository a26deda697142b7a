import type { Session } from '../session.ts';

/**
 * Base of the statements on one area's tables. Reads are public; a write statement is `protected`, so that only the
 * service that extends the class and knows the rules can reach it.
 */
export abstract class Queries {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }
}
