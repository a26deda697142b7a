/** Every screen outside of the tasks: sign-in, confirmation, lock, and what remains after the phone was wiped. */
import { useState } from 'react';
import { useIsLink, useRoute } from '../../kit/route.ts';
import { usePhone } from '../../kit/use-phone.ts';
import { AlreadyScreen } from './already.tsx';
import { ConfirmScreen } from './confirm.tsx';
import { LockedScreen } from './locked.tsx';
import { ScanScreen } from './scan.tsx';
import { LinkScreen, TokenScreen } from './sign-in.tsx';
import { readSignInLink } from './sign-in-link.ts';
import { WelcomeScreen } from './welcome.tsx';
import { WipedScreen } from './wiped.tsx';

export function StartScreens() {
  const { phase } = usePhone();
  const { parts } = useRoute();
  const isLink = useIsLink();
  // The address may be cleaned while the subject reads: what it held at the start counts.
  const [link, setLink] = useState(() => readSignInLink(location.href));
  const [leftWipe, setLeftWipe] = useState(false);
  if (phase === 'LOCKED') return <LockedScreen />;
  if (phase === 'READY') return isLink ? <AlreadyScreen /> : <ConfirmScreen />;
  if (phase === 'WIPED' && !leftWipe && !link) return <WipedScreen onContinue={() => setLeftWipe(true)} />;
  if (link) return <LinkScreen link={link} onOther={() => setLink(undefined)} />;
  if (parts[0] === 'scan') return <ScanScreen onLink={setLink} />;
  if (parts[0] === 'type') return <TokenScreen />;
  return <WelcomeScreen />;
}
