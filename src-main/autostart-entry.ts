/** The file that starts a program at log-in on desktops of Linux (freedesktop.org, Desktop Application Autostart). Pure. */

/** Quotes an argument of `Exec`; the second escaping is that of every string in such a file. */
const quoted = (argument: string): string =>
  `"${argument.replace(/["`$\\]/g, '\\$&')}"`.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n');

/** @param command the program and its arguments */
export const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Outpost',
    'Icon=outpost',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');

/** Whether a desktop would start the program: its own settings may have switched the entry off. */
export const isAutostartOn = (entry: string): boolean =>
  !/^\s*Hidden\s*=\s*true\s*$/m.test(entry) && !/^\s*X-GNOME-Autostart-enabled\s*=\s*false\s*$/m.test(entry);
