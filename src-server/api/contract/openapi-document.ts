/** The shape of the OpenAPI document, as far as it is generated here and shown at `/docs`. */

export type JsonSchema = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;

export interface RequestBody {
  required: boolean;
  content: Content;
}

/** An answer, or a reference to one of the components. */
export interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Content;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  servers?: { url: string }[];
  parameters: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Answer>;
  'x-permission'?: string;
}

/** Operations of one path by method, in lower case. */
export type PathItem = Record<string, Operation>;

/** A type alias, as interfaces are not assignable to the `Record<string, unknown>` that `/openapi.json` answers. */
export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, { description: string; content: Content }>;
    securitySchemes: Record<string, { type: string; scheme: string; description: string }>;
  };
};
