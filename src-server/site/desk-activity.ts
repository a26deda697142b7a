/** Whether somebody uses the site at this moment: work that can wait gives way. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A person who reads a page comes back within moments. */
const QUIET_MS = 3000;

export class DeskActivity {
  #lastMs = Number.NEGATIVE_INFINITY;
  #open = 0;

  get isActive(): boolean {
    return this.#open > 0 || performance.now() - this.#lastMs < QUIET_MS;
  }

  /** Counts the requests to a listener. A stream of changes stays open for hours and asks for nothing. */
  watch<T extends (request: IncomingMessage, response: ServerResponse) => unknown>(handler: T): T {
    return ((request: IncomingMessage, response: ServerResponse) => {
      this.#lastMs = performance.now();
      this.#open += 1;
      let isCounted = true;
      const end = () => {
        if (!isCounted) return;
        isCounted = false;
        this.#open -= 1;
      };
      response.once('close', () => {
        this.#lastMs = performance.now();
        end();
      });
      const isStream = /[/]live(?:$|[?])/.test(request.url ?? '') || request.headers.accept === 'text/event-stream';
      if (isStream) end();
      return handler(request, response);
    }) as T;
  }
}
