import { useState } from 'react'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Checkbox } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Segmented } from '@/ui/Segmented'
import { readAlerts, writeAlerts, type AlertScope, type AlertSettings } from './alerts'
import { playChime } from './ring'

const canNotify = () => 'Notification' in window

/** How this browser tells an agent that a customer wrote. Each choice counts at once. */
export function AlertDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const agent = useMe().membership.id
  const [settings, setSettings] = useState(() => readAlerts(agent))
  const [refused, setRefused] = useState(false)

  function change(next: Partial<AlertSettings>) {
    const all = { ...settings, ...next }
    setSettings(all)
    writeAlerts(agent, all)
  }

  async function chooseDesktop(on: boolean) {
    const allowed = on && canNotify() && (await Notification.requestPermission()) === 'granted'
    setRefused(on && !allowed)
    change({ desktop: allowed })
  }

  const options: { value: AlertScope; label: string }[] = [
    { value: 'mine', label: t('alerts.mine') },
    { value: 'all', label: t('alerts.all') },
    { value: 'none', label: t('alerts.none') },
  ]
  return (
    <Dialog open onOpenChange={onClose} title={t('inbox.alerts')} description={t('alerts.text')} footer={<Button onClick={onClose}>{t('common.close')}</Button>}>
      <div className="flex flex-col items-start gap-4">
        <Segmented label={t('alerts.scope')} value={settings.scope} options={options} onChange={(scope) => change({ scope })} />
        <Checkbox
          label={t('alerts.sound')}
          checked={settings.sound}
          disabled={settings.scope === 'none'}
          onChange={(event) => {
            change({ sound: event.target.checked })
            if (event.target.checked) void playChime()
          }}
        />
        <Checkbox
          label={t('alerts.desktop')}
          detail={t('alerts.desktopHint')}
          checked={settings.desktop}
          disabled={settings.scope === 'none'}
          onChange={(event) => void chooseDesktop(event.target.checked)}
        />
        {refused && <Notice tone="warn">{t('alerts.refused')}</Notice>}
      </div>
    </Dialog>
  )
}
