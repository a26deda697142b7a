/** Shows the desk's commands in the menus of the desktop program, and runs the one that is chosen there. */
import { useEffect, useRef } from 'react';
import { desktopProgram } from '../../shared/desktop.ts';
import { useCommandList } from './commands.ts';

/** A screen that opens registers its commands one after the other; the menus are rebuilt once. */
const SETTLED_MS = 300;

export function useDesktopMenu(): void {
  const commands = useCommandList();
  const latest = useRef(commands);
  latest.current = commands;

  useEffect(() => {
    const timer = setTimeout(() => {
      // A later registration of the same command wins, as for its keys.
      const byId = new Map(commands.map((command) => [command.id, command]));
      const list = [...byId.values()].map(({ id, label, keys, scope, isEnabled }) => ({
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
        const chosen = latest.current.findLast((command) => command.id === id);
        // As with keys: a dialog that is open comes first.
        const isModal = document.querySelector('[role="dialog"]') !== null;
        if (!isLeaving && chosen && chosen.isEnabled !== false && !isModal) chosen.run();
      }
    };
    follow().catch(() => undefined);
    return () => {
      isLeaving = true;
      program.setCommands([]).catch(() => undefined);
    };
  }, []);
}
