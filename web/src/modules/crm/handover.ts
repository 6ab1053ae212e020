import { t, type PlainKey } from '@/i18n'

const handovers: Record<string, PlainKey> = {
  agent_asked: 'ai.reason.agentAsked',
  agent_replied: 'ai.reason.agentReplied',
  agent_joined: 'ai.reason.agentJoined',
  customer_asked: 'ai.reason.customerAsked',
  assigned: 'ai.reason.assigned',
  no_answer: 'ai.reason.noAnswer',
  answer_limit: 'ai.reason.answerLimit',
  out_of_hours: 'ai.reason.outOfHours',
  switched_off: 'ai.reason.switchedOff',
  not_licensed: 'ai.reason.notLicensed',
  repeated: 'ai.reason.repeated',
  failed: 'ai.reason.failed',
  budget_spent: 'ai.reason.budgetSpent',
  model_unreachable: 'ai.reason.modelUnreachable',
  model_bad_answer: 'ai.reason.modelBadAnswer',
  window_closed: 'ai.reason.windowClosed',
  no_route: 'ai.reason.noRoute',
}

/**
 * Returns why the assistant handed a conversation over: Konak's own reasons in the person's
 * language; an agent's text stays unchanged.
 */
export function handoverText(reason: string): string {
  const key = handovers[reason]
  return key ? t(key) : reason
}
