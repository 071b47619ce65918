/** The ids of the platforms this install knows, for schemas. */
export { PLATFORM_IDS } from '../../platforms/registry.ts';
