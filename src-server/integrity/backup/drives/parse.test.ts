import { expect, it } from 'vitest';
import { type Drive, parseDiskutil, parseLsblk, parseVolumes } from './parse.ts';

const lsblk = (...blockdevices: object[]) => JSON.stringify({ blockdevices });

/** Outputs of util-linux 2.38, and of 2.32, which writes flags as text. */
const LINUX: [string, string, Drive[]][] = [
  [
    'a stick with a partition, beside the disk of the system',
    lsblk(
      {
        ...{ name: 'sda', label: null, model: 'Samsung SSD 870', rm: false, hotplug: false, tran: 'sata' },
        ...{ mountpoint: null, ro: false },
        children: [
          { name: 'sda1', label: null, model: null, rm: false, hotplug: false, tran: null, mountpoint: '/', ro: false },
        ],
      },
      {
        ...{ name: 'sdb', label: null, model: 'Ultra Fit        ', rm: true, hotplug: true, tran: 'usb' },
        ...{ mountpoint: null, ro: false },
        children: [
          {
            ...{ name: 'sdb1', label: 'OFFICE USB', model: null, rm: true, hotplug: true, tran: null },
            ...{ mountpoint: '/media/noor/OFFICE USB', ro: false },
          },
        ],
      },
    ),
    [{ name: 'OFFICE USB', mountPath: '/media/noor/OFFICE USB', isReadOnly: false }],
  ],
  [
    'an encrypted USB disk without a label, whose mapping says nothing of USB',
    lsblk({
      ...{
        name: 'sdc',
        label: null,
        model: 'Elements 2621',
        rm: '0',
        hotplug: '1',
        tran: 'usb',
        mountpoint: null,
        ro: '0',
      },
      children: [
        {
          ...{ name: 'sdc1', label: null, model: null, rm: '0', hotplug: '1', tran: null, mountpoint: null, ro: '0' },
          children: [
            {
              ...{ name: 'luks-1', label: null, model: null, rm: '0', hotplug: '0', tran: null },
              ...{ mountpoint: '/media/backup', ro: '0' },
            },
          ],
        },
      ],
    }),
    [{ name: 'Elements 2621', mountPath: '/media/backup', isReadOnly: false }],
  ],
  [
    'a card with its lock set, a stick that is not mounted, and a system on a hot-plugged disk',
    lsblk(
      {
        name: 'mmcblk0p1',
        label: 'CARD',
        model: null,
        rm: true,
        hotplug: true,
        mountpoint: '/run/media/u/CARD',
        ro: true,
      },
      { name: 'sdd1', label: 'STICK', model: null, rm: true, hotplug: true, tran: null, mountpoint: null, ro: false },
      { name: 'sde1', label: null, model: null, rm: false, hotplug: true, tran: 'sata', mountpoint: '/', ro: false },
      {
        name: 'sde2',
        label: null,
        model: null,
        rm: false,
        hotplug: true,
        tran: 'sata',
        mountpoint: '/boot/efi',
        ro: false,
      },
    ),
    [{ name: 'CARD', mountPath: '/run/media/u/CARD', isReadOnly: true }],
  ],
];

it.each(LINUX)('finds with lsblk %s', (_, output, drives) => {
  expect(parseLsblk(output)).toEqual(drives);
});

const plist = (facts: Record<string, string | boolean>) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n${Object.entries(facts)
    .map(
      ([key, value]) =>
        `\t<key>${key}</key>\n\t${typeof value === 'string' ? `<string>${value}</string>` : `<${value}/>`}`,
    )
    .join('\n')}\n</dict>\n</plist>`;

it('finds with diskutil external volumes, and leaves out the one of the system', () => {
  const external = { RemovableMediaOrExternalDevice: true, WritableVolume: true };
  const facts = { MountPoint: '/Volumes/A &amp; B', VolumeName: 'A &amp; B', ...external };
  expect(parseDiskutil(plist(facts))).toEqual({ name: 'A & B', mountPath: '/Volumes/A & B', isReadOnly: false });
  expect(parseDiskutil(plist({ ...facts, WritableVolume: false }))?.isReadOnly).toBe(true);
  expect(parseDiskutil(plist({ ...facts, RemovableMediaOrExternalDevice: false, MountPoint: '/' }))).toBeUndefined();
  expect(parseDiskutil('')).toBeUndefined();
});

it('finds with PowerShell one volume, several, and none', () => {
  const stick = { DriveLetter: 'E', FileSystemLabel: 'バックアップ', FriendlyName: 'SanDisk Ultra', IsReadOnly: false };
  const drive = { name: 'バックアップ', mountPath: 'E:\\', isReadOnly: false };
  expect(parseVolumes(JSON.stringify(stick))).toEqual([drive]);
  const bare = { ...stick, DriveLetter: 'F', FileSystemLabel: '' };
  const many = [stick, bare, { ...stick, DriveLetter: null }];
  expect(parseVolumes(JSON.stringify(many))).toEqual([drive, { ...drive, name: 'SanDisk Ultra', mountPath: 'F:\\' }]);
  expect(parseVolumes('\r\n')).toEqual([]);
});
