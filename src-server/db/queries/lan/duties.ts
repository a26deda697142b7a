/** Which sensors a device may report on and deliver recordings of: applies the rule of `study/device-duty.ts` to the stored assignments. */

import {
  type DutyDevice,
  type Holding,
  mayDeliverFor,
  mayReportFor,
  sensorSubject,
} from '../../../study/device-duty.ts';
import { Queries } from '../queries.ts';
import { EquipmentQueries } from '../study/equipment.ts';

/** Which sensors one device may report on. Made per request, because it caches who held what. */
export class DeviceDuty {
  readonly #device: DutyDevice;
  readonly #holdingsOf: (sensorId: string) => Promise<readonly Holding[]>;
  readonly #clock: () => number;

  constructor(device: DutyDevice, holdingsOf: (sensorId: string) => Promise<readonly Holding[]>, clock: () => number) {
    this.#device = device;
    this.#holdingsOf = holdingsOf;
    this.#clock = clock;
  }

  /** True when the device may report on a sensor's state at an instant (epoch ms). */
  async mayReport(sensorId: string, atTs: number): Promise<boolean> {
    return await this.#may(mayReportFor, sensorId, atTs);
  }

  /** True when the device may deliver a recording of a sensor that begins at an instant (epoch ms). */
  async mayDeliver(sensorId: string, atTs: number): Promise<boolean> {
    return await this.#may(mayDeliverFor, sensorId, atTs);
  }

  /** True when the device may deliver a recording that begins at an instant and would be stored for a subject. */
  mayDeliverTo(subjectId: string, atTs: number): boolean {
    return mayDeliverFor(this.#device, subjectId, { atTs, nowTs: this.#clock() });
  }

  /** True when what the device reported at `nowTs` about the clock at `atTs` counts for recordings of a subject. Epoch ms. */
  countsFor(subjectId: string | undefined, times: { atTs: number; nowTs: number }): boolean {
    return mayReportFor(this.#device, subjectId, times);
  }

  async #may(rule: typeof mayReportFor, sensorId: string, atTs: number): Promise<boolean> {
    const nowTs = this.#clock();
    return rule(this.#device, sensorSubject(await this.#holdingsOf(sensorId), atTs, nowTs), { atTs, nowTs });
  }
}

export class Duties extends Queries {
  /** @param device `equipmentId` is null for a phone of the subject's own */
  async of(device: {
    kind: 'HUB' | 'PHONE';
    equipmentId: string | null;
    subjectId: string | null;
  }): Promise<DeviceDuty> {
    const { kind, equipmentId, subjectId } = device;
    const equipment = new EquipmentQueries(this.session);
    const known = new Map<string, Promise<readonly Holding[]>>();
    const holdingsOf = (sensorId: string) => {
      const holdings = known.get(sensorId) ?? equipment.holdings(sensorId);
      known.set(sensorId, holdings);
      return holdings;
    };
    const holdings = equipmentId === null ? [] : await equipment.holdings(equipmentId);
    const ownSubjectId = equipmentId === null && subjectId !== null ? { ownSubjectId: subjectId } : {};
    return new DeviceDuty({ kind, holdings, ...ownSubjectId }, holdingsOf, this.session.clock);
  }
}
