import { useI18n } from '@/i18n'
import { handoverText } from '../handover'

/** Why the assistant handed over, as the continuation of its sentence. */
export function HandoverReason({ reason }: { reason: string }) {
  useI18n()
  return <>: {handoverText(reason)}</>
}
