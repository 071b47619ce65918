/**
 * Replaces abbreviations of time zones that were accepted until the service computed wall times with Temporal, which does not know
 * them. Each becomes the IANA zone whose wall times it had. The version before knows those as well.
 */
import { StepMigration } from './step-migration.ts';

/** As ICU defines them. */
const ZONES = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'Africa/Cairo',
  AST: 'America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Asia/Dhaka',
  CAT: 'Africa/Maputo',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Nairobi',
  ECT: 'Europe/Paris',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia',
  NET: 'Asia/Yerevan',
  NST: 'Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
  'CANADA/EAST-SASKATCHEWAN': 'America/Regina',
  'US/PACIFIC-NEW': 'America/Los_Angeles',
} as const;

/** Null for a name that is not one of them. */
const zoneOf = (stored: string) => `('${JSON.stringify(ZONES)}'::jsonb ->> upper(${stored}))`;

export class ZoneNames extends StepMigration {
  override up(): void {
    const inRules = `"rules" #>> '{quietHours,timezone}'`;
    for (const [table, column, stored, value] of [
      ['connections', 'timezone', '"timezone"', zoneOf('"timezone"')],
      ['owners', 'digest_zone', '"digest_zone"', zoneOf('"digest_zone"')],
      ['policies', 'rules', inRules, `jsonb_set("rules", '{quietHours,timezone}', to_jsonb(${zoneOf(inRules)}))`],
    ] as const) {
      this.addSql(`update "${table}" set "${column}" = ${value} where ${zoneOf(stored)} is not null`);
    }
  }
}
