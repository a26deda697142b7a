import { createContext } from 'react';
import type { PhoneModel } from '../model.ts';
import type { SensorHost } from './host.ts';

/** What the record screen needs of the host. */
export type RecorderHost = Pick<SensorHost, 'state' | 'pick' | 'start' | 'stop'>;

/** Another host than the page's own, such as one in memory. */
export const HostContext = createContext<((model: PhoneModel) => RecorderHost) | undefined>(undefined);
