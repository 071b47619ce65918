/** The rules of a policy as fields of a form, where an empty field is a rule that stops nothing. */
import type { Inputs, Outputs } from '../../data/trpc.ts';
import { ZONE } from '../../ui/times.ts';

type Policy = Outputs['policies']['get']['policy'];
type Rules = Policy['rules'];
type RulesInput = Omit<Inputs['policies']['set'], 'policyId'>;

/** A connection that a policy names. */
export interface Named {
  readonly id: string;
  /** Its id while it is not known to be disconnected. */
  readonly slug: string;
}

export interface RuleForm {
  /** Empty for all. */
  readonly connectionIds: readonly string[];
  readonly platforms: readonly string[];
  readonly postsPerHour: string;
  readonly postsPerDay: string;
  readonly quietFrom: string;
  readonly quietTo: string;
  readonly timezone: string;
  readonly spendCentsPerMonth: string;
  readonly approvalAlways: boolean;
  /** One in each line. */
  readonly approvalWords: string;
  readonly approvalLinks: boolean;
  readonly linkHosts: string;
}

export const emptyForm: RuleForm = {
  connectionIds: [],
  platforms: [],
  postsPerHour: '',
  postsPerDay: '',
  quietFrom: '',
  quietTo: '',
  timezone: ZONE,
  spendCentsPerMonth: '',
  approvalAlways: false,
  approvalWords: '',
  approvalLinks: false,
  linkHosts: '',
};

export function formOf(rules: Rules): RuleForm {
  const { quietHours } = rules;
  return {
    connectionIds: rules.connectionIds ?? [],
    platforms: rules.platforms ?? [],
    postsPerHour: textOf(rules.postsPerHour),
    postsPerDay: textOf(rules.postsPerDay),
    quietFrom: quietHours?.from ?? '',
    quietTo: quietHours?.to ?? '',
    timezone: quietHours?.timezone ?? ZONE,
    spendCentsPerMonth: textOf(rules.spendCentsPerMonth),
    approvalAlways: rules.approvalAlways,
    approvalWords: rules.approvalWords.join('\n'),
    approvalLinks: rules.approvalLinks,
    linkHosts: rules.linkHosts.join('\n'),
  };
}

export function namedIn({ rules, disconnected }: Policy): readonly Named[] {
  const slugs = new Map(disconnected.map(({ id, slug }) => [id, slug]));
  return (rules.connectionIds ?? []).map((id) => ({ id, slug: slugs.get(id) ?? id }));
}

export function rulesOf(form: RuleForm): RulesInput {
  const { connectionIds, platforms, quietFrom: from, quietTo: to, timezone } = form;
  return {
    connectionIds: connectionIds.length === 0 ? null : [...connectionIds],
    platforms: platforms.length === 0 ? null : ([...platforms] as NonNullable<RulesInput['platforms']>),
    postsPerHour: numberOf(form.postsPerHour),
    postsPerDay: numberOf(form.postsPerDay),
    // The service says what is missing when only one of the two is given.
    quietHours: from === '' && to === '' ? null : { from, to, timezone },
    spendCentsPerMonth: numberOf(form.spendCentsPerMonth),
    approvalAlways: form.approvalAlways,
    approvalWords: linesOf(form.approvalWords),
    approvalLinks: form.approvalLinks,
    linkHosts: linesOf(form.linkHosts),
  };
}

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}

function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
