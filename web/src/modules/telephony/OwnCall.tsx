import { useState } from 'react'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { toast } from '@/ui/Toast'
import { useCallCommand, useMoveCall, type LiveCall } from './calls'
import { TransferDialog } from './TransferDialog'

/** What a person can do with their own call from here. */
export function OwnCall({ call }: { call: LiveCall }) {
  const { t } = useI18n()
  const [muted, setMuted] = useState(false)
  const [handing, setHanding] = useState(false)
  const command = useCallCommand(call.call_id)
  const move = useMoveCall(call.call_id)
  const failed = (error: unknown) => toast('danger', t('calls.failed'), errorText(error))
  const talks = call.state === 'active' || call.state === 'held'
  return (
    <span className="flex flex-wrap gap-2">
      {talks && (
        <>
          <Button size="sm" onClick={() => command.mutate({ type: 'call.hold', on: call.state === 'active' }, { onError: failed })}>
            {t(call.state === 'active' ? 'calls.hold' : 'calls.unhold')}
          </Button>
          <Button size="sm" aria-pressed={muted} onClick={() => command.mutate({ type: 'call.mute', on: !muted }, { onSuccess: () => setMuted(!muted), onError: failed })}>
            {t(muted ? 'calls.unmute' : 'calls.mute')}
          </Button>
          <Button size="sm" onClick={() => setHanding(true)}>
            {t('calls.transfer')}
          </Button>
          <Button size="sm" onClick={() => move.mutate('detach', { onError: failed })}>
            {t('calls.park')}
          </Button>
        </>
      )}
      {call.state === 'detached' && (
        <Button size="sm" onClick={() => move.mutate('resume', { onError: failed })}>
          {t('calls.takeBack')}
        </Button>
      )}
      <Button size="sm" look="danger" onClick={() => command.mutate({ type: 'call.hangup' }, { onError: failed })}>
        {t('calls.hangUp')}
      </Button>
      {handing && <TransferDialog id={call.call_id} onClose={() => setHanding(false)} />}
    </span>
  )
}
