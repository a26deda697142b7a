/** Who stands for a package: whoever builds it says so, as with Debian's own tools. */

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
    throw new Error('Set DEBFULLNAME to a name and DEBEMAIL to the address of whoever builds the package.');
  }
  return `${DEBFULLNAME.trim()} <${DEBEMAIL}>`;
}
