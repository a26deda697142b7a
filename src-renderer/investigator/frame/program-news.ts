import { useEffect, useState } from 'react';
import { type DesktopProgram, desktopProgram } from '../../shared/desktop.ts';

/**
 * Follows something of the desktop program; null before its first answer, and outside of the program.
 * @param next resolves with it as soon as it differs from the version seen; the same function at every call
 */
export function useProgramNews<T extends { version: number }>(
  next: (program: DesktopProgram, seenVersion: number | null) => Promise<T>,
): T | null {
  const [news, setNews] = useState<T | null>(null);
  useEffect(() => {
    const program = desktopProgram();
    if (!program) return;
    let isLeaving = false;
    const follow = async () => {
      let seenVersion: number | null = null;
      while (!isLeaving) {
        const answer: T = await next(program, seenVersion);
        seenVersion = answer.version;
        if (!isLeaving) setNews(answer);
      }
    };
    // The program ends, and this page with it.
    follow().catch(() => undefined);
    return () => {
      isLeaving = true;
    };
  }, [next]);
  return news;
}
