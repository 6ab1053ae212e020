import { Link } from '@tanstack/react-router'
import { PhoneIncoming, PhoneOutgoing } from 'lucide-react'
import { useI18n } from '@/i18n'
import { otherNumber, type Call } from '@/modules/telephony/calls'
import { callText } from '../callText'
import { rowClass, TimelineRow } from './TimelineRow'

/** A call in the timeline of a contact; if it belongs to a conversation, it links there. */
export function CallEntry({ call }: { call: Call }) {
  const { t } = useI18n()
  const Icon = call.direction === 'inbound' ? PhoneIncoming : PhoneOutgoing
  const row = (
    <TimelineRow mark={<Icon aria-hidden className="size-4.5 text-ink-2" />} title={call.direction === 'inbound' ? t('inbox.call.inbound') : t('inbox.call.outbound')} at={call.started_at}>
      <span className="block truncate text-ink-2">
        {[otherNumber(call), callText({ voicemail: call.voicemail !== null, talked: call.talk_s, ended: call.state === 'ended' })].filter(Boolean).join(' · ')}
      </span>
    </TimelineRow>
  )
  if (!call.conversation_id) return <div className={rowClass}>{row}</div>
  return (
    <Link to="/inbox" search={{ c: call.conversation_id }} className={`${rowClass} hover:bg-sunken`}>
      {row}
    </Link>
  )
}
