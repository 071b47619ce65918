/** Shows the API reference. All requests to other sites are disabled; the page's policy also blocks them. */

declare const Scalar: { createApiReference(place: string, configuration: Record<string, unknown>): unknown };

const place = document.querySelector<HTMLElement>('#reference');

Scalar.createApiReference('#reference', {
  url: place?.dataset['document'],
  theme: 'none',
  withDefaultFonts: false,
  favicon: '/assets/bell.svg',
  // The page around it follows the system's color scheme, so the reference does too.
  hideDarkModeToggle: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  // Without this, requests would go through Scalar's proxy.
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
