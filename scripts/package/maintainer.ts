/** Who stands for a package: the person who builds it, named as for Debian's own tools. */

/** The project has no address of its own. */
export const NOBODY = 'Outpost maintainers <outpost@localhost.localdomain>';

/** Returns `Name <address>` of DEBFULLNAME and DEBEMAIL. @throws Error when one of them does not fit a control file */
export function maintainer({ DEBFULLNAME, DEBEMAIL }: Record<string, string | undefined> = process.env): string {
  if (!DEBFULLNAME && !DEBEMAIL) return NOBODY;
  if (
    !DEBFULLNAME ||
    !/^[^<>,\n@]+$/.test(DEBFULLNAME) ||
    !/^[^\s<>@,]+@[^\s<>@,]+\.[^\s<>@,]+$/.test(DEBEMAIL ?? '')
  ) {
    throw new Error('Set DEBFULLNAME to a name and DEBEMAIL to the address of the person who builds the package.');
  }
  return `${DEBFULLNAME.trim()} <${DEBEMAIL}>`;
}
