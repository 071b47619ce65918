/** Draws the API reference. Everything that would reach another site is switched off; the page's policy forbids it besides. */

declare const Scalar: { createApiReference(place: string, configuration: Record<string, unknown>): unknown };

const place = document.querySelector<HTMLElement>('#reference');

Scalar.createApiReference('#reference', {
  url: place?.dataset['document'],
  theme: 'none',
  withDefaultFonts: false,
  favicon: '/assets/bell.svg',
  // The frame around it follows the system, so the reference does too.
  hideDarkModeToggle: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  // Left out, requests would go through a proxy of Scalar's.
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  persistAuth: false,
  documentDownloadType: 'direct',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
