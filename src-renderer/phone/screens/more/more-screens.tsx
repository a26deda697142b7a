/** The screens behind "More", chosen by the first part of the address. */
import { ProblemScreen } from '../problem/problem.tsx';
import { WaitingScreen } from '../waiting/waiting.tsx';
import { AboutScreen } from './about.tsx';
import { LeaveScreen } from './leave.tsx';
import { LockScreen } from './lock.tsx';
import { MoreScreen } from './more.tsx';

export type MoreScreenName = 'more' | 'waiting' | 'problem' | 'about' | 'lock' | 'leave';

export function MoreScreens({ screen, argument }: { screen: MoreScreenName; argument: string | undefined }) {
  switch (screen) {
    case 'waiting':
      return <WaitingScreen />;
    case 'problem':
      return <ProblemScreen serial={argument} />;
    case 'about':
      return <AboutScreen />;
    case 'lock':
      return <LockScreen />;
    case 'leave':
      return <LeaveScreen />;
    default:
      return <MoreScreen />;
  }
}
