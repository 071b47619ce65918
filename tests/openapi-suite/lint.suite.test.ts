/** The OpenAPI document passes the recommended rules of Redocly and of Spectral without an error or a warning. */
import { describe, expect, it } from 'vitest';
import { createOpenApiDocument } from '../../server/openapi.ts';
import { loadTool } from './ensure-tools.ts';

/** The document of an install with a public address, because the linters reject localhost. */
const document = createOpenApiDocument('https://posts.bells.example', '2.0.0');

interface Redocly {
  createConfig(config: object): Promise<unknown>;
  lintFromString(options: {
    source: string;
    absoluteRef: string;
    config: unknown;
  }): Promise<{ severity: string; ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}

interface SpectralCore {
  Spectral: new () => {
    setRuleset(ruleset: object): void;
    run(document: object): Promise<{ code: string; message: string; path: unknown[] }[]>;
  };
}

describe('the document', () => {
  it('passes the recommended rules of Redocly', async () => {
    const { createConfig, lintFromString } = loadTool('@redocly/openapi-core') as Redocly;
    const config = await createConfig({ extends: ['recommended'] });

    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });

    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([]);
  });

  it('passes the recommended rules of Spectral', async () => {
    const { Spectral } = loadTool('@stoplight/spectral-core') as SpectralCore;
    const { oas } = loadTool('@stoplight/spectral-rulesets') as { oas: object };
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [oas] });

    const problems = await spectral.run(JSON.parse(JSON.stringify(document)) as object);

    expect(problems.map(({ code, message, path }) => `${code} ${message} ${path.join('/')}`)).toEqual([]);
  });
});
