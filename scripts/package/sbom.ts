/** The software bill of materials of the application: npm's, reduced to what was packed. */
import { execFileSync } from 'node:child_process';
import { manifestOf } from './licences.ts';

interface Bom {
  metadata: { component: Record<string, unknown> };
  components: { 'bom-ref': string; scope?: string; properties?: { name: string }[] }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * Returns a CycloneDX document with exactly the given packages.
 * @throws Error when the lock file does not hold one of them in the installed version
 */
export function billOfMaterials(root: string, folders: readonly string[]): Bom {
  // The desk's packages are development dependencies, because they are compiled into it.
  const parameters = ['sbom', '--package-lock-only', '--include=dev', '--sbom-format', 'cyclonedx'];
  const text = execFileSync('npm', parameters, {
    cwd: root,
    maxBuffer: 64e6,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const bom = JSON.parse(text.toString()) as Bom;
  const packed = new Set(folders.map((folder) => manifestOf(folder)).map(({ name, version }) => `${name}@${version}`));
  // npm tells several copies of one version apart by a suffix.
  const refOf = (reference: string) => reference.replace(/\|.*$/, '');
  const known = new Set(bom.components.map((component) => refOf(component['bom-ref'])));
  const missing = [...packed].filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`package-lock.json does not hold ${missing.join(', ')}. Run "npm ci".`);
  const isKept = (reference: string) => packed.has(refOf(reference));
  const own = String(bom.metadata.component['bom-ref']);
  // npm calls the application after its folder, and what is compiled into it optional.
  bom.metadata.component = { ...bom.metadata.component, type: 'application', name: 'outpost' };
  const components = bom.components
    .filter((component) => isKept(component['bom-ref']))
    .map((component) => ({
      ...component,
      scope: 'required',
      properties: component.properties?.filter(({ name }) => name !== 'cdx:npm:package:development') ?? [],
    }));
  const dependencies = bom.dependencies
    .filter(({ ref }) => ref === own || isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
  return { ...bom, components, dependencies };
}
