/** The interface as a page to read: everything is in the HTML itself, so it needs no network and no script to be read. */
import type { Content, JsonSchema, OpenApiDocument, Operation } from '../contract/openapi-document.ts';
import { rowsOf, typeOf } from './schema-rows.ts';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
/** Escaped text in which words between backquotes are code. */
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

const schemaLink = (name: string): string => `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;

function typeHtml(type: string, reference: string | undefined): string {
  const html = escapeHtml(type);
  return reference ? html.replace(escapeHtml(reference), schemaLink(reference)) : html;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const cells = (row: readonly string[], tag: string) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  return `<div class="scroll"><table><thead><tr>${cells(head, 'th scope="col"').replaceAll('</th scope="col">', '</th>')}</tr></thead><tbody>${rows
    .map((row) => `<tr>${cells(row, 'td')}</tr>`)
    .join('')}</tbody></table></div>`;
}

function schemaTable(schema: JsonSchema): string {
  return table(
    ['Member', 'Type', 'Meaning'],
    rowsOf(schema).map(({ name, type, isRequired, description, reference }) => [
      `${name === '' ? 'the whole' : `<code>${escapeHtml(name)}</code>`}${isRequired ? '' : ' <small>optional</small>'}`,
      typeHtml(type, reference),
      prose(description),
    ]),
  );
}

function contentHtml(content: Content): string {
  const byShape = Map.groupBy(Object.entries(content), ([, { schema }]) => JSON.stringify(schema ?? {}));
  return [...byShape.values()]
    .map((same) => {
      const media = same.map(([name]) => `<code>${escapeHtml(name)}</code>`).join(' or ');
      const { schema, example } = same[0]?.[1] ?? {};
      const isJson = same.some(([name]) => name.includes('json') || name.includes('form'));
      const shown = example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`;
      return `<p>${media}</p>${schema && isJson ? schemaTable(schema) : ''}${shown}`;
    })
    .join('');
}

function operationHtml(document: OpenApiDocument, path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const successes = answers.filter(([status]) => Number(status) < 300);
  const errors = answers.filter(([status]) => Number(status) >= 300);
  const facts = [
    operation.security?.length ? 'Signed in' : 'Without credentials',
    operation['x-permission'] ? `permission <code>${escapeHtml(operation['x-permission'])}</code>` : '',
    operation.deprecated ? 'kept for older scripts' : '',
    operation.servers
      ? `served below ${operation.servers.map(({ url }) => `<code>${escapeHtml(url)}</code>`).join(' and ')}`
      : '',
  ].filter(Boolean);
  const words = `${method} ${path} ${operationId} ${summary} ${description ?? ''}`.toLowerCase();
  return `<details class="operation" id="${escapeHtml(operationId)}" data-words="${escapeHtml(words)}">
<summary><span class="method ${method}">${method.toUpperCase()}</span><code class="path">${escapeHtml(path)}</code><span>${escapeHtml(summary)}</span></summary>
<div class="body">
${description ? `<p>${prose(description)}</p>` : ''}
<p class="facts">${facts.join(' · ')} · <code>${escapeHtml(operationId)}</code></p>
${parameters.length > 0 ? '<h4>Parameters</h4>' : ''}${table(
  ['Name', 'In', 'Type', 'Meaning'],
  parameters.map((parameter) => [
    `<code>${escapeHtml(parameter.name)}</code>${parameter.required ? '' : ' <small>optional</small>'}`,
    parameter.in,
    escapeHtml(typeOf(parameter.schema)),
    prose(parameter.description ?? ''),
  ]),
)}
${requestBody ? `<h4>Body</h4>${contentHtml(requestBody.content)}` : ''}
${successes
  .map(
    ([status, answer]) =>
      `<h4>Answer <code>${status}</code></h4>${answer.content ? contentHtml(answer.content) : `<p>${prose(answer.description ?? '')}</p>`}`,
  )
  .join('')}
<h4>Errors</h4>${table(
    ['Status', 'When'],
    errors.map(([status, answer]) => {
      const named = answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1) as string] : undefined;
      return [`<code>${status}</code>`, prose(named?.description ?? answer.description ?? '')];
    }),
  )}
</div></details>`;
}

function schemaHtml(name: string, schema: JsonSchema): string {
  return `<details class="operation" id="schema-${escapeHtml(name)}" data-words="${escapeHtml(name.toLowerCase())}">
<summary><code class="path">${escapeHtml(name)}</code></summary><div class="body">${schema.description ? `<p>${prose(String(schema.description))}</p>` : ''}${schemaTable(schema)}</div></details>`;
}

/** The whole page. `base` is where its style and script are served. */
export function docsPage(document: OpenApiDocument, base: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return {
      name,
      count: own.length,
      html: `<section id="part-${escapeHtml(name)}"><h2>${escapeHtml(name)}</h2><p>${prose(description)}</p>${own
        .map(({ path, method, operation }) => operationHtml(document, path, method, operation))
        .join('\n')}</section>`,
    };
  });
  const { title, version, description } = document.info;
  const links = sections
    .map(
      ({ name, count }) =>
        `<li><a href="#part-${escapeHtml(name)}">${escapeHtml(name)}</a> <small>${count}</small></li>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/style.css">
<script src="${base}/script.js" defer></script>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<p>${prose(description)} Version ${escapeHtml(version)}. <a href="/api/v1/openapi.json">OpenAPI 3.1 document</a></p>
<label class="search">Search <input type="search" id="search" autocomplete="off" placeholder="recording, /subjects, 409 …"></label>
<p id="found" role="status"></p>
</header>
<div class="columns">
<nav aria-label="Parts"><ul>${links}<li><a href="#schemas">Schemas</a> <small>${Object.keys(document.components.schemas).length}</small></li></ul></nav>
<main>
${sections.map(({ html }) => html).join('\n')}
<section id="schemas"><h2>Schemas</h2>${Object.entries(document.components.schemas)
    .map(([name, schema]) => schemaHtml(name, schema))
    .join('\n')}</section>
</main>
</div>
</body>
</html>
`;
}
