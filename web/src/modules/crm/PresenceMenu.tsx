import { errorText } from '@/api/message'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { MenuChoice, MenuRule } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { presenceLooks, usePresence, useSetPresence, type Presence } from './presence'

const choices = Object.keys(presenceLooks) as Presence[]

/** Sets the person's own presence, in their menu. */
export function PresenceMenu() {
  const { t } = useI18n()
  const mine = usePresence().get(useMe().membership.id)
  const set = useSetPresence()
  if (!mine) return null
  return (
    <>
      <MenuChoice
        label={t('presence.label')}
        value={mine.chosen}
        options={choices.map((value) => ({ value, label: t(presenceLooks[value].label) }))}
        onChange={(value) => set.mutate(value, { onError: (error) => toast('danger', errorText(error)) })}
      />
      <p className="max-w-64 px-2.5 pt-1 pb-0.5 text-sm text-ink-2">{t('presence.seen', { presence: t(presenceLooks[mine.presence].label) })}</p>
      <MenuRule />
    </>
  )
}
