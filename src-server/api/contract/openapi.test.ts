import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from './index.ts';
import { buildOpenApi } from './openapi.ts';
import type { RouteContract } from './route.ts';

type Operation = {
  summary: string;
  description: string;
  tags: string[];
  operationId: string;
  security: unknown[];
  responses: Record<string, unknown>;
};

const document = buildOpenApi('1.2.3') as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
  tags: { name: string }[];
};

const ownRoutes = Object.entries(routes as Record<string, RouteContract>);

/** A list is an answer of `{items, size}`, or a bare array. */
function isList({ response }: RouteContract): boolean {
  if (!response) return false;
  const schema = z.toJSONSchema(response, { io: 'output' }) as { type?: string; properties?: object };
  return schema.type === 'array' || ['items', 'size'].every((name) => name in (schema.properties ?? {}));
}

describe('OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it('passes the strict rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('describes every operation and the tag that it is grouped under', () => {
    expect(ownRoutes.filter(([, { description }]) => !description?.endsWith('.')).map(([id]) => id)).toEqual([]);
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
      expect(operation.summary, operation.operationId).toMatch(/^[A-Z].*[^.]$/);
      expect(tags, `${operation.operationId}: the tag needs a line in tags.ts`).toContain(operation.tags[0]);
    }
  });

  it('states the order of every list', () => {
    expect(ownRoutes.filter(([, route]) => isList(route) && !route.order).map(([id]) => id)).toEqual([]);
    const { description } = document.paths['/studies/{studyId}/recordings']!.get!;
    expect(description).toMatch(/Order: recordingStartTs, then id\.$/);
  });

  it('lists the addresses of the contract and of uploads, and no other', () => {
    const expected = Object.values(routes as Record<string, RouteContract>).flatMap((route) => [
      `${route.method} ${route.path}`,
      ...(route.aliases ?? []).map((alias) => `${alias.method ?? route.method} ${alias.path}`),
    ]);
    const actual = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // Uploads use tus, so no route of the contract mounts them.
    const uploads = ['DELETE', 'GET', 'HEAD', 'PATCH'].map((method) => `${method} /device/uploads/{uploadId}`);
    expected.push('POST /device/uploads', ...uploads);
    const ofUsers = (line: string) => line.replace('/device/', '/studies/{studyId}/subjects/{subjectId}/');
    expected.push('POST /studies/{studyId}/subjects/{subjectId}/uploads', ...uploads.map(ofUsers));
    expect(actual.sort()).toEqual([...new Set(expected)].sort());
  });

  it('has no dangling references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const target = reference
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
      expect(target, reference).toBeDefined();
    }
  });

  it('names every operation once and lists its errors', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      expect(Object.keys(operation.responses)).toContain('500');
      expect(Object.keys(operation.responses).includes('401')).toBe(
        operation.security.length > 0 ||
          /^(login|resetPassword|signInPhone|setUpRequiredFactor|confirmRequiredFactor)/.test(operation.operationId),
      );
    }
  });
});
