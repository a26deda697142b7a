import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createQueryClient } from '../shared/api/queries.ts';
import { session } from '../shared/api/session.ts';
import { useWords } from '../shared/i18n/i18n.ts';
import { createDeskRouter } from './router.tsx';
import { Lock } from './sign-in/lock.tsx';

const queries = createQueryClient();
const router = createDeskRouter(queries);

/** Clears all cached data when the session ends, and lets the router show the sign-in screen. */
function useSessionEnd() {
  useEffect(
    () =>
      session.subscribe(() => {
        if (session.get()) return;
        queries.clear();
        void router.invalidate();
      }),
    [],
  );
}

export function App() {
  const { language } = useWords();
  useSessionEnd();
  return (
    <QueryClientProvider client={queries}>
      <I18nProvider locale={language === 'ja' ? 'ja-JP' : 'en-US'}>
        <RouterProvider router={router} />
        <Lock />
      </I18nProvider>
    </QueryClientProvider>
  );
}
