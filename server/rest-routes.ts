/** Finds the operation for a method and path, from what the operations declare. */
import { ServiceError } from '../errors/service-error.ts';
import { type Operation, operations } from '../routers/operations.ts';

/** An operation and the parameters its path carried, decoded. */
export interface Route {
  readonly operation: Operation;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** No operation matches: the reason, and the methods of the path if it exists. */
export interface NoRoute {
  readonly error: ServiceError;
  readonly allow?: string;
}

/** Paths that are served separately. Only a wrong method on them is answered here. */
const BESIDE = /^\/(?:openapi\.json|events|exports\/[^/]+)\/?$/i;

/** Whether a GET or HEAD of the path is a stream or a document instead of an operation. */
export function isBeside(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && BESIDE.test(path);
}

interface Template {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

// Literal paths come before parameters, so that `validate` in /posts/validate is not parsed as a post's id.
const templates: readonly Template[] = operations
  .map((operation) => ({ operation, segments: operation.meta.openapi.path.split('/').slice(1) }))
  .toSorted((a, b) => parametersIn(a) - parametersIn(b));

/** Operations whose path has no parameter, by method and path: most requests need no search. */
const literal: ReadonlyMap<string, Route> = new Map(
  templates
    .filter((template) => parametersIn(template) === 0)
    .map(({ operation }) => {
      const { method, path } = operation.meta.openapi;
      return [`${method} ${path}`, { operation, pathParameters: {} }];
    }),
);

function parametersIn(template: Template): number {
  return template.segments.filter((segment) => segment.startsWith('{')).length;
}

/** @param path path below the API root, undecoded, without query */
export function findRoute(method: string, path: string): Route | NoRoute {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const known = literal.get(`${wanted} ${path}`);
  if (known !== undefined) return known;
  const segments = path.split('/').slice(1);
  const matches = templates.flatMap((template) => {
    const pathParameters = matchSegments(template.segments, segments);
    return pathParameters === null ? [] : [{ operation: template.operation, pathParameters }];
  });
  const found = matches.find(({ operation }) => operation.meta.openapi.method === wanted);
  if (found !== undefined) return found;
  if (BESIDE.test(path)) return wrongMethod(method, 'GET');
  if (matches.length === 0) {
    return {
      error: new ServiceError(
        'not_found',
        `This API has no path ${path.slice(0, 200)}; GET /openapi.json lists the paths.`,
      ),
    };
  }
  const allow = [...new Set(matches.map(({ operation }) => operation.meta.openapi.method))].join(', ');
  return wrongMethod(method, allow);
}

function wrongMethod(method: string, allow: string): NoRoute {
  return {
    allow,
    error: new ServiceError('method_not_allowed', `${method} is not a method of this path; it has ${allow}.`),
  };
}

function matchSegments(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (segment !== expected) return null;
      continue;
    }
    const value = decode(segment);
    if (value === null || value === '') return null;
    parameters[expected.slice(1, -1)] = value;
  }
  return parameters;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
