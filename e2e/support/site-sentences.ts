/** The English sentences that the site answered, to see whether a page in another language shows one of them. */
import type { Page, Response } from '@playwright/test';

/** Where answers hold a sentence that the site composed; what people wrote stands elsewhere. */
const MEMBERS = new Set(['message', 'error', 'problem', 'problems', 'sentence', 'disabledReason', 'step']);
const SENTENCE = /[A-Za-z]+ [A-Za-z]+ [A-Za-z]+/;

function* sentencesIn(value: unknown, isSaid = false): Generator<string> {
  if (typeof value === 'string') {
    if (isSaid && SENTENCE.test(value)) yield value;
  } else if (Array.isArray(value)) {
    for (const item of value) yield* sentencesIn(item, isSaid);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* sentencesIn(inner, MEMBERS.has(name));
  }
}

export class SiteSentences {
  readonly #page: Page;
  readonly #heard = new Set<string>();
  #reading: Promise<void>[] = [];
  #countAnswers = 0;

  constructor(page: Page) {
    this.#page = page;
    page.on('response', (response) => this.#reading.push(this.#read(response)));
  }

  async #read(response: Response): Promise<void> {
    const isAnswer = new URL(response.url()).pathname.startsWith('/api/');
    if (!isAnswer || !response.headers()['content-type']?.startsWith('application/json')) return;
    // A page that was left takes the bodies of its answers with it.
    const body: unknown = await response.json().catch(() => null);
    if (body !== null) this.#countAnswers += 1;
    for (const sentence of sentencesIn(body)) this.#heard.add(sentence);
  }

  /** How many answers have been read so far. */
  get countAnswers(): number {
    return this.#countAnswers;
  }

  /** All that the answers read so far hold. */
  async heard(): Promise<string[]> {
    await this.#finishReading();
    return [...this.#heard];
  }

  async #finishReading(): Promise<void> {
    await Promise.all(this.#reading);
    this.#reading = [];
  }

  /** Those that the page shows, as text or when one points at something. */
  async shown(): Promise<string[]> {
    await this.#finishReading();
    const text = await this.#page.evaluate(() => {
      const attributes = [...document.querySelectorAll('[title], [aria-label]')].flatMap((element) => [
        element.getAttribute('title') ?? '',
        element.getAttribute('aria-label') ?? '',
      ]);
      return [document.body.textContent, ...attributes].join('\n');
    });
    return [...this.#heard].filter((sentence) => text.includes(sentence));
  }
}
