/** The model for every screen: its snapshot, its actions, and the site's time. */
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { PhoneActions, PhoneModel, PhoneSnapshot } from '../model.ts';

const ModelContext = createContext<PhoneModel | null>(null);
export const PhoneProvider = ModelContext.Provider;

export function useModel(): PhoneModel {
  const model = useContext(ModelContext);
  if (!model) throw new Error('A screen was rendered without the model of the phone.');
  return model;
}

export function usePhone(): PhoneSnapshot {
  const model = useModel();
  return useSyncExternalStore(
    (changed) => model.subscribe(changed),
    () => model.snapshot(),
  );
}

export const useActions = (): PhoneActions => useModel().actions;

/** Now by the site's clock, as far as it is known. */
export const siteNow = ({ clock }: PhoneSnapshot): number => Date.now() + (clock.offsetMs ?? 0);

/** Now by the site's clock, as a state that renews: each second for a timer, each half minute for an age. */
export function useNow(everyMs = 30_000): number {
  const phone = usePhone();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return siteNow(phone);
}
