/** Lets the test run a function inside the main process, as Playwright's `electronApp.evaluate` does. */

export interface EvaluateRequest {
  id: number;
  source: string;
  argument: unknown;
}

export type EvaluateAnswer = { id: number; value: unknown } | { id: number; error: string };

export const answerEvaluations = (electron: object): void => {
  process.on('message', async (message: Partial<EvaluateRequest>) => {
    const { id, source, argument } = message;
    if (id === undefined || source === undefined) return;
    try {
      // The source is the text of a function of our own test.
      const run = new Function(`return (${source})`)() as (electron: object, argument: unknown) => unknown;
      process.send?.({ id, value: await run(electron, argument) } satisfies EvaluateAnswer);
    } catch (thrown) {
      process.send?.({ id, error: String(thrown) } satisfies EvaluateAnswer);
    }
  });
  // The channel to the test must not keep a finished program alive.
  process.channel?.unref();
};
