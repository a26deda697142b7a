/** What the systems' own tools print about drives, as one list. Text in, drives out; nothing is run here. */
import { z } from 'zod';

export interface Drive {
  /** As the system shows it: the label, or what the drive is. */
  name: string;
  /** Where its files are now; another place after it was unplugged. */
  mountPath: string;
  isReadOnly: boolean;
}

/** Older versions of lsblk print "0" and "1". */
const flag = z.preprocess((value) => value === true || value === '1' || value === 1, z.boolean());
const text = z.string().nullish();

interface Device {
  label?: string | null | undefined;
  model?: string | null | undefined;
  tran?: string | null | undefined;
  mountpoint?: string | null | undefined;
  rm: boolean;
  hotplug: boolean;
  ro: boolean;
  children?: Device[] | undefined;
}
const device: z.ZodType<Device> = z.object({
  label: text,
  model: text,
  tran: text,
  mountpoint: text,
  rm: flag,
  hotplug: flag,
  ro: flag,
  get children() {
    return z.array(device).optional();
  },
});

/** The system's own disks can be hot-plugged too, in a server. */
const SYSTEM_MOUNTS = /^\/(?:$|boot|usr|var|home|srv|opt|nix|snap)(?:\/|$)|^\[SWAP\]$/;

/** @param json of `lsblk -J -o NAME,LABEL,MODEL,RM,HOTPLUG,TRAN,MOUNTPOINT,RO` */
export function parseLsblk(json: string): Drive[] {
  const { blockdevices } = z.object({ blockdevices: z.array(device) }).parse(JSON.parse(json));
  const drives: Drive[] = [];
  const collect = (found: Device, disk: Device, isRemovable: boolean) => {
    const isHere = isRemovable || found.rm || found.hotplug || ['usb', 'mmc', 'ieee1394'].includes(found.tran ?? '');
    if (isHere && found.mountpoint && !SYSTEM_MOUNTS.test(found.mountpoint)) {
      const name = found.label?.trim() || disk.model?.trim() || found.mountpoint;
      drives.push({ name, mountPath: found.mountpoint, isReadOnly: found.ro });
    }
    for (const child of found.children ?? []) collect(child, disk, isHere);
  };
  for (const disk of blockdevices) collect(disk, disk, false);
  return drives;
}

const plistText = (plist: string, key: string) =>
  new RegExp(`<key>${key}</key>\\s*<string>([^<]*)</string>`).exec(plist)?.[1];
const plistFlag = (plist: string, key: string) =>
  new RegExp(`<key>${key}</key>\\s*<(true|false)/>`).exec(plist)?.[1] === 'true';

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescaped = (value: string) =>
  value.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');

/** @param plist of `diskutil info -plist VOLUME`. Undefined for a disk that stays in the computer. */
export function parseDiskutil(plist: string): Drive | undefined {
  const isExternal = ['RemovableMediaOrExternalDevice', 'RemovableMedia', 'Ejectable'].some((key) =>
    plistFlag(plist, key),
  );
  const mountPath = plistText(plist, 'MountPoint');
  if (!isExternal || !mountPath) return undefined;
  const name = plistText(plist, 'VolumeName') || mountPath;
  return { name: unescaped(name), mountPath: unescaped(mountPath), isReadOnly: !plistFlag(plist, 'WritableVolume') };
}

const volume = z.object({
  DriveLetter: text,
  FileSystemLabel: text,
  FriendlyName: text,
  IsReadOnly: z.boolean().nullish(),
});

/** @param json of ConvertTo-Json, which prints one object alone without a list, and nothing for none */
export function parseVolumes(json: string): Drive[] {
  if (json.trim() === '') return [];
  const printed: unknown = JSON.parse(json);
  return z
    .array(volume)
    .parse(Array.isArray(printed) ? printed : [printed])
    .flatMap(({ DriveLetter, FileSystemLabel, FriendlyName, IsReadOnly }) => {
      if (!DriveLetter) return [];
      const mountPath = `${DriveLetter}:\\`;
      const name = FileSystemLabel?.trim() || FriendlyName?.trim() || mountPath;
      return [{ name, mountPath, isReadOnly: IsReadOnly === true }];
    });
}
