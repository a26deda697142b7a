/** Shows the desk's commands in the menus of the desktop program, and runs the one that is chosen there. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { desktopProgram } from '../../shared/desktop.ts';
import { isSavedFilter, useCommandList } from './commands.ts';

/** A screen that opens registers its commands one after the other; the menus are rebuilt once. */
const SETTLED_MS = 300;
/** How often it is looked whether a dialog was closed. */
const LOOK_AGAIN_MS = 500;

/** A dialog that is open comes first: what it holds is not finished. */
const isModal = () => document.querySelector('[role="dialog"]') !== null;

export function useDesktopMenu(): void {
  const router = useRouter();
  const commands = useCommandList();
  const latest = useRef(commands);
  latest.current = commands;

  useEffect(() => {
    const timer = setTimeout(() => {
      // A later registration of the same command wins, as for its keys.
      const byId = new Map(commands.map((command) => [command.id, command]));
      const list = [...byId.values()]
        .filter((command) => !isSavedFilter(command))
        .map(({ id, label, keys, scope, isEnabled }) => ({
          id,
          label,
          keys: keys?.[0] ?? null,
          isOfPage: scope === 'page',
          isEnabled: isEnabled !== false,
        }));
      // A page that is about to be replaced is refused.
      desktopProgram()
        ?.setCommands(list)
        .catch(() => undefined);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [commands]);

  useEffect(() => {
    const program = desktopProgram();
    if (!program) return;
    let isLeaving = false;
    const follow = async () => {
      while (!isLeaving) {
        const id = await program.nextCommand();
        if (id?.startsWith('/')) {
          // A link or a notification: shown as soon as the desk is free, by the router, which asks about unsaved changes.
          while (isModal() && !isLeaving) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
          if (!isLeaving) void router.navigate({ href: id });
          continue;
        }
        const chosen = latest.current.findLast((command) => command.id === id);
        if (!isLeaving && chosen && chosen.isEnabled !== false && !isModal()) chosen.run();
      }
    };
    follow().catch(() => undefined);
    return () => {
      isLeaving = true;
      program.setCommands([]).catch(() => undefined);
    };
  }, [router]);
}
