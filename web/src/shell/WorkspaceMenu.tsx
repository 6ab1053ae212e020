import { useMutation, useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { errorText } from '@/api/message'
import { useMe, workspacesQuery } from '@/api/session'
import { useI18n, withTexts } from '@/i18n'
import { Menu, MenuChoice, MenuItem, MenuRule } from '@/ui/Menu'
import { toast } from '@/ui/Toast'
import { enterWorkspace } from './enterWorkspace'

const AddWorkspaceDialog = lazy(() => withTexts(() => import('./AddWorkspaceDialog'), 'layers')().then((m) => ({ default: m.AddWorkspaceDialog })))

export function WorkspaceMenu() {
  const { t } = useI18n()
  const me = useMe()
  const places = useQuery(workspacesQuery)
  const [adding, setAdding] = useState(false)
  const change = useMutation({
    mutationFn: (id: string) => enterWorkspace(me.workspace.slug, id),
    onError: (error) => toast('danger', t('workspaces.switchFailed'), errorText(error)),
  })
  const others = places.data ?? []
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button
            type="button"
            aria-label={t('workspaces.menu', { name: me.workspace.name })}
            aria-busy={change.isPending || undefined}
            className="flex h-9 min-w-0 items-center gap-2 rounded-md px-2 font-semibold hover:bg-sunken"
          >
            <span className="truncate">{me.workspace.name}</span>
            <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-ink-3" />
          </button>
        }
      >
        <MenuChoice
          label={t('workspaces.title')}
          value={me.workspace.id}
          options={
            others.length > 0
              ? others.map(({ workspace }) => ({ value: workspace.id, label: workspace.name }))
              : [{ value: me.workspace.id, label: me.workspace.name }]
          }
          onChange={(id) => id !== me.workspace.id && change.mutate(id)}
        />
        <MenuRule />
        <MenuItem icon={Plus} onSelect={() => setAdding(true)}>
          {t('workspaces.add')}
        </MenuItem>
      </Menu>
      <Suspense>{adding && <AddWorkspaceDialog onClose={() => setAdding(false)} />}</Suspense>
    </>
  )
}
