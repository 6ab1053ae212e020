import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { SkeletonRows } from '@/ui/Skeleton'
import { TimeInput } from '@/ui/TimeInput'
import { cachePreferences, preferencesQuery, type AlertKind, type Preferences } from './alerts'
import { canPush, subscribeHere, unsubscribeHere } from './push'
import { playChime } from './ring'

const kinds = [
  { kind: 'waiting', label: 'alerts.waiting' },
  { kind: 'reply', label: 'alerts.reply' },
  { kind: 'assigned', label: 'alerts.assigned' },
  { kind: 'mention', label: 'alerts.mention' },
  { kind: 'others', label: 'alerts.others' },
] as const satisfies readonly { kind: AlertKind; label: PlainKey }[]

const mayNotify = () => 'Notification' in window && Notification.permission === 'granted'

/**
 * Asks the browser for permission to show desktop notifications and returns whether it is granted.
 */
async function askToNotify(): Promise<boolean> {
  return 'Notification' in window && (await Notification.requestPermission()) === 'granted'
}

/** How an agent is alerted, on every device. Each choice takes effect immediately. */
export function AlertDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const agent = useMe().membership.id
  const kept = useQuery(preferencesQuery(agent))
  return (
    <Dialog open onOpenChange={onClose} title={t('inbox.alerts')} description={t('alerts.text')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      {kept.data ? <Choices agent={agent} kept={kept.data} /> : kept.error ? <Notice tone="danger">{errorText(kept.error)}</Notice> : <SkeletonRows rows={4} />}
    </Dialog>
  )
}

function Choices({ agent, kept }: { agent: string; kept: Preferences }) {
  const { t } = useI18n()
  // Preferences that are being read from the server may predate a choice and must not undo it.
  const [chosen, setChosen] = useState<Preferences | null>(null)
  const preferences = chosen ?? kept
  const client = useQueryClient()
  const [allowed, setAllowed] = useState(mayNotify)
  const { queryKey } = preferencesQuery(agent)
  const save = useMutation({
    // Saved one after the other, so that the last choice wins.
    scope: { id: 'notice-preferences' },
    mutationFn: (body: Preferences) => ask(api.PUT('/api/crm/v1/me/notices', { body })),
    onSuccess: (_, body) => cachePreferences(agent, body),
    onError: () => {
      setChosen(null)
      return client.invalidateQueries({ queryKey })
    },
  })

  function change(next: Partial<Preferences>) {
    const all = { ...preferences, ...next }
    setChosen(all)
    client.setQueryData(queryKey, all)
    save.mutate(all)
  }

  const quiet = preferences.quiet_hours
  function changeQuiet(next: Partial<Preferences['quiet_hours']>) {
    change({ quiet_hours: { ...quiet, ...next, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone } })
  }

  const subscribe = useMutation({ mutationFn: (on: boolean) => (on ? subscribeHere() : unsubscribeHere()) })
  async function choosePush(push: boolean) {
    change({ push })
    const may = !push || (await askToNotify())
    setAllowed(mayNotify())
    if (may) subscribe.mutate(push)
  }

  async function allow() {
    const may = await askToNotify()
    setAllowed(may)
    if (may && preferences.push) subscribe.mutate(true)
  }

  async function chooseDesktop(desktop: boolean) {
    change({ desktop })
    if (desktop) setAllowed(await askToNotify())
  }

  return (
    <div className="flex flex-col items-start gap-5">
      {save.error && <Notice tone="danger">{errorText(save.error)}</Notice>}
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">{t('alerts.events')}</legend>
        {kinds.map(({ kind, label }) => (
          <Checkbox key={kind} label={t(label)} checked={preferences.events[kind]} onChange={(event) => change({ events: { ...preferences.events, [kind]: event.target.checked } })} />
        ))}
      </fieldset>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">{t('alerts.ways')}</legend>
        <Checkbox
          label={t('alerts.sound')}
          checked={preferences.sound}
          onChange={(event) => {
            change({ sound: event.target.checked })
            if (event.target.checked) void playChime()
          }}
        />
        <Checkbox label={t('alerts.desktop')} detail={t('alerts.desktopHint')} checked={preferences.desktop} onChange={(event) => void chooseDesktop(event.target.checked)} />
        {canPush() && (
          <Checkbox label={t('alerts.push')} detail={t('alerts.pushHint')} checked={preferences.push} onChange={(event) => void choosePush(event.target.checked)} />
        )}
        {subscribe.error && <Notice tone="danger">{t('alerts.pushFailed')}</Notice>}
        {(preferences.desktop || preferences.push) && !allowed && (
          <Notice
            tone="warn"
            action={
              <Button size="sm" onClick={() => void allow()}>
                {t('alerts.allow')}
              </Button>
            }
          >
            {t('alerts.refused')}
          </Notice>
        )}
      </fieldset>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-sm font-semibold">{t('alerts.quiet')}</legend>
        <Checkbox label={t('alerts.quietOn')} checked={quiet.enabled} onChange={(event) => changeQuiet({ enabled: event.target.checked })} />
        {quiet.enabled && (
          <div className="flex flex-wrap items-center gap-2 pl-7 text-sm">
            <TimeInput label={t('alerts.from')} value={quiet.from} onChange={(from) => changeQuiet({ from })} />
            <span aria-hidden>–</span>
            <TimeInput label={t('alerts.until')} value={quiet.until} onChange={(until) => changeQuiet({ until })} />
            <span className="text-ink-3">{quiet.time_zone}</span>
          </div>
        )}
      </fieldset>
    </div>
  )
}
