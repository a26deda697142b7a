/** What the desk has in the desktop program only: its commands in the menus, notices of saved files and crashes, and questions of Bluetooth. */
import { useEffect, useState } from 'react';
import { desktopProgram, type WindowCrash } from '../../shared/desktop.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import { useDesktopMenu } from '../commands/desktop-menu.ts';
import { BluetoothPrompts } from './bluetooth-prompts.tsx';
import styles from './frame.module.css';
import { Savings } from './savings.tsx';

const CRASH_WORDS = {
  crash: 'windowCrash.crashed',
  memory: 'windowCrash.outOfMemory',
  hang: 'windowCrash.hung',
} as const;

function WindowCrashNotice() {
  const { t, format } = useWords();
  const [crash, setCrash] = useState<WindowCrash | null>(null);
  useEffect(() => {
    let isLeaving = false;
    desktopProgram()
      ?.windowCrash()
      .then((last) => {
        if (!isLeaving) setCrash(last);
      })
      // Only a page that is about to be replaced is refused.
      .catch(() => undefined);
    return () => {
      isLeaving = true;
    };
  }, []);
  if (!crash) return null;
  const dismiss = () => {
    setCrash(null);
    void desktopProgram()?.markWindowCrashRead();
  };
  const { atMs, cause, countOfWeek } = crash;
  return (
    <div className={styles.banner}>
      <Notice tone="warn" actions={<Button onPress={dismiss}>{t('windowCrash.dismiss')}</Button>}>
        {t(CRASH_WORDS[cause], { time: format.clock(atMs) })} {t('windowCrash.check')}{' '}
        {countOfWeek > 1 && t('windowCrash.often', { count: countOfWeek })}
      </Notice>
    </div>
  );
}

/** Apart from the notices, which are made again with each section: a command that the user chooses meanwhile would be lost. */
export function DesktopMenu() {
  useDesktopMenu();
  return null;
}

export default function DesktopParts() {
  return (
    <>
      <WindowCrashNotice />
      <Savings />
      <BluetoothPrompts />
    </>
  );
}
