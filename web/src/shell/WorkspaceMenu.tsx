import { useMutation, useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, Plus } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useMe, workspacesQuery } from '@/api/session'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Menu, MenuChoice, MenuItem, MenuRule } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { toast } from '@/ui/Toast'
import { handoverAddress, isHostOf } from './host'
import { slugFrom } from './slug'

/** Everything on the page belongs to the workspace that is left: it starts afresh, at that workspace's host where it has one. */
async function enter(from: string, workspaceId: string): Promise<void> {
  if (!isHostOf(from, window.location.hostname)) {
    await ask(api.POST('/api/v1/auth/app/switch-workspace', { body: { workspace_id: workspaceId } }))
    window.location.assign('/')
    return
  }
  const { data } = await ask(api.POST('/api/v1/auth/handover', { body: { workspace_id: workspaceId } }))
  window.location.assign(handoverAddress(window.location, from, data.workspace.slug, data.code))
}

export function WorkspaceMenu() {
  const { t } = useI18n()
  const me = useMe()
  const places = useQuery(workspacesQuery)
  const [adding, setAdding] = useState(false)
  const change = useMutation({
    mutationFn: (id: string) => enter(me.workspace.slug, id),
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
      {adding && <AddWorkspaceDialog onClose={() => setAdding(false)} />}
    </>
  )
}

function AddWorkspaceDialog({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const me = useMe()
  const formId = useId()
  const [slug, setSlug] = useState('')
  const add = useMutation({
    mutationFn: async (body: { name: string; slug: string }) => {
      const { data } = await ask(api.POST('/api/v1/auth/workspaces', { body }))
      await enter(me.workspace.slug, data.workspace.id)
    },
  })
  const form = useFocusOnError(add.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    add.mutate({ name: textOf(new FormData(event.currentTarget), 'name'), slug })
  }

  const taken = asApiError(add.error)?.code === 'conflict' ? t('workspaces.taken') : null
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('workspaces.add')}
      description={t('workspaces.addLead')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={add.isPending || add.isSuccess}>
            {t('workspaces.addAction')}
          </Button>
        </>
      }
    >
      {add.error && !taken && !isAboutFields(add.error, ['name', 'slug']) && (
        <Notice tone="danger" className="mb-4">
          {errorText(add.error)}
        </Notice>
      )}
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <Field label={t('signUp.workspace')} error={fieldText(add.error, 'name')}>
          <Input name="name" autoComplete="organization" required onChange={(event) => setSlug(slugFrom(event.target.value))} />
        </Field>
        <Field label={t('workspaces.slug')} hint={t('workspaces.slugHint')} error={taken ?? fieldText(add.error, 'slug')}>
          <Input name="slug" autoComplete="off" spellCheck={false} value={slug} onChange={(event) => setSlug(event.target.value)} className="font-mono" />
        </Field>
      </form>
    </Dialog>
  )
}
