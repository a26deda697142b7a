/** Shows notifications of what Today shows to the person who is signed in. */
import { app } from 'electron';
import { AttentionWatch } from './attention-watch.ts';
import type { Desktop } from './desktop.ts';
import { Notices } from './notices.ts';
import type { SettingsFile } from './settings.ts';

export const followAttention = (desktop: Desktop, settings: SettingsFile): AttentionWatch => {
  const notices = new Notices({
    language: () => desktop.language,
    isOn: () => settings.current.notifies !== false,
    namesSubjects: () => settings.current.namesInNotices === true,
    isInUse: () => desktop.isInUse,
    open: (path) => void desktop.showPage(path),
  });
  app.on('browser-window-focus', () => notices.seen());
  return new AttentionWatch(
    () => desktop.session.signedIn,
    (items) => notices.update(items),
    () => notices.reset(),
  );
};
