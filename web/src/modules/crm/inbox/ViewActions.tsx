import { Ellipsis, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { Menu, MenuItem } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { useDeleteView, type SavedView } from './savedViews'
import { SaveViewDialog } from './SaveViewDialog'

interface ViewActionsProps {
  view: SavedView
  onDeleted: () => void
}

/**
 * The actions on the open saved view: the person's own, or a shared one for people who may change
 * it.
 */
export function ViewActions({ view, onDeleted }: ViewActionsProps) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.views.manage' })
  const remove = useDeleteView()
  const [changing, setChanging] = useState(false)
  if (view.shared && !canManage) return null
  return (
    <>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('views.actions', { name: view.name })} />}>
        <MenuItem icon={Pencil} onSelect={() => setChanging(true)}>
          {t('views.change')}
        </MenuItem>
        <MenuItem icon={Trash2} onSelect={() => remove.mutate(view.id, { onSuccess: onDeleted, onError: (error) => toast('danger', t('inbox.failed'), errorText(error)) })}>
          {t('views.delete')}
        </MenuItem>
      </Menu>
      {changing && <SaveViewDialog what={view} onClose={() => setChanging(false)} onSaved={() => setChanging(false)} />}
    </>
  )
}
