/** The fields of a platform's credentials, for forms. */
export { type CredentialField, credentialFields } from '../../platforms/credential-fields.ts';
