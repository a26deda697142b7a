import type { Frame } from '@playwright/test';

interface InvokeEvent {
  senderFrame: { url: string; parent: object | null };
}

type Handler = (event: InvokeEvent, ...args: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

export const ipcMain = {
  handle(channel: string, handler: Handler): void {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
};

/** What the preload's `ipcRenderer.invoke` reaches. Fails in the words that Electron uses. */
export const invoke = async (frame: Frame, channel: string, args: unknown[]): Promise<unknown> => {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  try {
    return await handler({ senderFrame: { url: frame.url(), parent: frame.parentFrame() } }, ...args);
  } catch (thrown) {
    throw new Error(`Error invoking remote method '${channel}': ${thrown}`);
  }
};
