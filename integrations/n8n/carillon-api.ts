/** The credential: the address of an install, and a key of it. */
export class CarillonApi {
  readonly name = 'carillonApi';
  readonly displayName = 'Carillon API';
  readonly icon = 'file:carillon.svg';
  readonly documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-carillon';
  readonly properties = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://carillon.example.com',
      description: 'The address of your install, without a path',
    },
    {
      displayName: 'Key',
      name: 'key',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'A key of your account; a test key reaches the sandbox only, a key of a profile that profile only',
    },
  ];
  readonly authenticate = { type: 'generic', properties: { headers: { 'x-api-key': '={{$credentials.key}}' } } };
  readonly test = {
    request: { baseURL: '={{$credentials.url}}', url: '/api/v2/connections', qs: { limit: 1 } },
  };
}
