/** The form of the node: which fields each operation has. */

const shownFor = (resource: string, ...operations: readonly string[]) => ({
  show: { resource: [resource], ...(operations.length > 0 && { operation: operations }) },
});

const option = (name: string, value: string, description: string) => ({ name, value, description, action: name });

/** Page through a list, or take the first so many. */
const listed = (resource: string) => [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
    displayOptions: shownFor(resource, 'getAll'),
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { show: { ...shownFor(resource, 'getAll').show, returnAll: [false] } },
  },
];

const WRITING = ['create', 'validate'];

export const properties = [
  {
    displayName: 'Resource',
    name: 'resource',
    type: 'options',
    noDataExpression: true,
    options: [
      { name: 'Connection', value: 'connection' },
      { name: 'Image', value: 'image' },
      { name: 'Post', value: 'post' },
    ],
    default: 'post',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('post'),
    options: [
      option('Create a post', 'create', 'Publish a text now, at a time, from the queue or as a draft'),
      option('Delete a post', 'delete', 'Cancel a post that waits, or take one down that is out'),
      option('Get a post', 'get', 'Read one post with its state and address'),
      option('Get many posts', 'getAll', 'List posts, newest first'),
      option('Publish a draft', 'publish', 'Send a draft now'),
      option('Send a failed post again', 'retry', 'Try a failed post again'),
      option('Validate a post', 'validate', 'Check a post against each connection without sending it'),
    ],
    default: 'create',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('image'),
    options: [option('Upload an image', 'upload', 'Upload an image from binary data, for later posts')],
    default: 'upload',
  },
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: shownFor('connection'),
    options: [option('Get many connections', 'getAll', 'List the accounts that posts can be sent to')],
    default: 'getAll',
  },
  {
    displayName: 'Connection Names or IDs',
    name: 'connections',
    type: 'multiOptions',
    typeOptions: { loadOptionsMethod: 'getConnections' },
    default: [],
    required: true,
    displayOptions: shownFor('post', ...WRITING),
    description:
      'Accounts to post to. Choose from the list, or specify slugs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 4 },
    default: '',
    required: true,
    displayOptions: shownFor('post', ...WRITING),
  },
  {
    displayName: 'When',
    name: 'when',
    type: 'options',
    options: [
      { name: 'As a Draft', value: 'draft' },
      { name: 'At a Time', value: 'at' },
      { name: 'In the Queue', value: 'queue' },
      { name: 'Now', value: 'now' },
    ],
    default: 'now',
    displayOptions: shownFor('post', ...WRITING),
  },
  {
    displayName: 'Time',
    name: 'scheduledFor',
    type: 'dateTime',
    default: '',
    required: true,
    displayOptions: { show: { ...shownFor('post', ...WRITING).show, when: ['at'] } },
    description: 'At most 30 days ahead; without an offset, in the timezone of the workflow',
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: shownFor('post', ...WRITING),
    options: [
      {
        displayName: 'First Comment',
        name: 'firstComment',
        type: 'string',
        default: '',
        description: 'A comment under the post, where the platform has them',
      },
      {
        displayName: 'Image IDs',
        name: 'imageIds',
        type: 'string',
        default: '',
        description: 'Comma-separated IDs of up to five uploaded images',
      },
      {
        displayName: 'Profile ID',
        name: 'profileId',
        type: 'string',
        default: '',
        description: 'Profile whose connections are meant',
      },
      {
        displayName: 'Succeed When a Connection Fails',
        name: 'mayFail',
        type: 'boolean',
        default: false,
        description: 'Whether to return the results instead of failing when a connection does not take the post',
      },
      { displayName: 'Tags', name: 'tags', type: 'string', default: '', description: 'Comma-separated tags' },
      {
        displayName: 'Thread',
        name: 'thread',
        type: 'fixedCollection',
        typeOptions: { multipleValues: true, sortable: true },
        default: {},
        description: 'Replies under the post, in order, where the platform has threads',
        options: [
          {
            displayName: 'Replies',
            name: 'replies',
            values: [{ displayName: 'Text', name: 'text', type: 'string', typeOptions: { rows: 2 }, default: '' }],
          },
        ],
      },
    ],
  },
  {
    displayName: 'Post ID',
    name: 'postId',
    type: 'string',
    default: '',
    required: true,
    displayOptions: shownFor('post', 'get', 'publish', 'retry', 'delete'),
  },
  {
    displayName: 'Status',
    name: 'status',
    type: 'options',
    options: [
      { name: 'All', value: '' },
      { name: 'Cancelled', value: 'cancelled' },
      { name: 'Deleted', value: 'deleted' },
      { name: 'Draft', value: 'draft' },
      { name: 'Failed', value: 'failed' },
      { name: 'Scheduled', value: 'scheduled' },
      { name: 'Sent', value: 'sent' },
    ],
    default: '',
    displayOptions: shownFor('post', 'getAll'),
  },
  {
    displayName: 'Input Binary Field',
    name: 'binaryProperty',
    type: 'string',
    default: 'data',
    required: true,
    displayOptions: shownFor('image', 'upload'),
    hint: 'The name of the input field that has the image',
  },
  {
    displayName: 'Alt Text',
    name: 'altText',
    type: 'string',
    default: '',
    displayOptions: shownFor('image', 'upload'),
    description: 'What the image shows, for people who do not see it',
  },
  ...listed('post'),
  ...listed('connection'),
];
