import { Globe, Pencil, RefreshCw, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { codeText, errorText, fieldText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatDateTime, useI18n, type PlainKey } from '@/i18n'
import { textOf } from '@/lib/form'
import { Badge } from '@/ui/Badge'
import { Button, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Drawer } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { FileInput } from '@/ui/FileInput'
import { FormDrawer } from '@/ui/FormLayer'
import { QueryState } from '@/ui/QueryState'
import { toast } from '@/ui/Toast'
import { useAddPage, useChangeSource, useDeleteSource, useFetchSource, useSources, useUploadSource, type Source } from './sources'

const states = { pending: 'neutral', ready: 'ok', failed: 'warn' } as const
const stateTexts = { pending: 'sources.state.pending', ready: 'sources.state.ready', failed: 'sources.state.failed' } as const

/** The problems of a page or a file, as the server names them. */
const failures: Record<string, PlainKey> = {
  no_text: 'sources.fail.noText',
  unreadable: 'sources.fail.unreadable',
  not_a_text: 'sources.fail.notAText',
  too_large: 'sources.fail.tooLarge',
  too_many_redirects: 'sources.fail.redirects',
  space_used_up: 'sources.fail.space',
  status_404: 'sources.fail.gone',
  status_410: 'sources.fail.gone',
  refused_address: 'sources.fail.address',
  inside_address: 'sources.fail.address',
  https_required: 'sources.fail.https',
  not_a_page: 'sources.fail.notAPage',
  taken: 'sources.fail.taken',
}

type Layer = { kind: 'page' | 'file' } | { kind: 'edit' | 'delete'; source: Source }

/** The pages and files that the assistant answers from, with their state. */
export function SourcesDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const canManage = meets(useMe(), { permission: 'crm.assistant.manage' })
  const list = useSources()
  const fetchAgain = useFetchSource()
  const [layer, setLayer] = useState<Layer | null>(null)
  const back = () => setLayer(null)
  if (layer?.kind === 'page') return <PageForm onClose={back} />
  if (layer?.kind === 'file') return <FileForm onClose={back} />
  if (layer?.kind === 'edit') return <EditForm source={layer.source} onClose={back} />
  if (layer?.kind === 'delete') return <DeleteConfirm source={layer.source} onClose={back} />
  return (
    <Drawer
      open
      onOpenChange={onClose}
      title={t('sources.title')}
      description={t('sources.lead')}
      footer={
        canManage && (
          <>
            <Button icon={Upload} onClick={() => setLayer({ kind: 'file' })}>
              {t('sources.upload')}
            </Button>
            <Button look="primary" icon={Globe} onClick={() => setLayer({ kind: 'page' })}>
              {t('sources.addPage')}
            </Button>
          </>
        )
      }
    >
      <QueryState
        isPending={list.isPending}
        error={list.error}
        isEmpty={list.data?.length === 0}
        empty={<p className="text-sm text-ink-2">{t('sources.none')}</p>}
        retry={() => void list.refetch()}
      >
        <ul aria-label={t('sources.title')} className="flex flex-col gap-3">
          {list.data?.map((one) => (
            <li key={one.id} aria-label={one.title} className="rounded-lg border border-line p-4 text-sm">
              <div className="flex items-start gap-1">
                <h3 className="min-w-0 flex-1 text-base font-semibold break-words">{one.title}</h3>
                {canManage && (
                  <>
                    {one.kind === 'website' && (
                      <IconButton
                        icon={RefreshCw}
                        label={`${t('sources.fetch')}: ${one.title}`}
                        onClick={() => fetchAgain.mutate(one.id, { onError: (error) => toast('danger', t('channels.failed'), errorText(error)) })}
                      />
                    )}
                    <IconButton icon={Pencil} label={`${t('common.edit')}: ${one.title}`} onClick={() => setLayer({ kind: 'edit', source: one })} />
                    <IconButton icon={Trash2} label={`${t('common.delete')}: ${one.title}`} onClick={() => setLayer({ kind: 'delete', source: one })} />
                  </>
                )}
              </div>
              <p className="break-all text-ink-2">{one.address || one.filename}</p>
              <p className="mt-2 flex flex-wrap items-center gap-2 text-ink-2">
                <Badge tone={states[one.state]}>{t(stateTexts[one.state])}</Badge>
                {one.read_at && <span>{t('sources.readAt', { time: formatDateTime(one.read_at) })}</span>}
                {one.cut && <span>{t('sources.cut')}</span>}
              </p>
              {one.failure && <p className="mt-2 break-words text-danger-ink">{codeText(one.failure, failures) ?? t('sources.fail.other', { code: one.failure })}</p>}
            </li>
          ))}
        </ul>
      </QueryState>
    </Drawer>
  )
}

function PageForm({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const add = useAddPage()
  return (
    <FormDrawer
      title={t('sources.addPage')}
      description={t('sources.pageLead')}
      action={t('sources.add')}
      busy={add.isPending}
      error={add.error}
      fields={['address', 'title']}
      onSubmit={(data) => add.mutate({ address: textOf(data, 'address'), title: textOf(data, 'title') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('sources.address')} error={fieldText(add.error, 'address', failures)}>
        <Input name="address" type="url" autoComplete="off" maxLength={2000} placeholder="https://" />
      </Field>
      <TitleField error={fieldText(add.error, 'title')} />
    </FormDrawer>
  )
}

function FileForm({ onClose }: { onClose: () => void }) {
  const { t } = useI18n()
  const upload = useUploadSource()
  const [file, setFile] = useState<File | null>(null)
  return (
    <FormDrawer
      title={t('sources.upload')}
      action={t('sources.add')}
      busy={upload.isPending}
      disabled={!file}
      error={upload.error}
      fields={['file', 'title']}
      onSubmit={(data) => file && upload.mutate({ file, title: textOf(data, 'title') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Field label={t('sources.file')} hint={t('sources.fileHint')} error={fieldText(upload.error, 'file', failures)}>
        <FileInput accept=".pdf,.docx,.txt,.md,.html,.htm" onChange={setFile} />
      </Field>
      <TitleField error={fieldText(upload.error, 'title')} />
    </FormDrawer>
  )
}

function EditForm({ source, onClose }: { source: Source; onClose: () => void }) {
  const { t } = useI18n()
  const change = useChangeSource(source.id)
  const page = source.kind === 'website'

  function submit(data: FormData) {
    const address = textOf(data, 'address')
    change.mutate({ title: textOf(data, 'title'), ...(page && address !== source.address && { address }) }, { onSuccess: onClose })
  }

  return (
    <FormDrawer
      title={t('sources.edit', { title: source.title })}
      busy={change.isPending}
      error={change.error}
      fields={['address', 'title']}
      onSubmit={submit}
      onClose={onClose}
    >
      {page && (
        <Field label={t('sources.address')} error={fieldText(change.error, 'address', failures)}>
          <Input name="address" type="url" autoComplete="off" maxLength={2000} defaultValue={source.address} />
        </Field>
      )}
      <TitleField initial={source.title} error={fieldText(change.error, 'title')} />
    </FormDrawer>
  )
}

function TitleField({ initial, error }: { initial?: string; error: string | null }) {
  const { t } = useI18n()
  return (
    <Field label={t('sources.name')} optional hint={t('sources.nameHint')} error={error}>
      <Input name="title" autoComplete="off" maxLength={200} defaultValue={initial} />
    </Field>
  )
}

function DeleteConfirm({ source, onClose }: { source: Source; onClose: () => void }) {
  const { t } = useI18n()
  const act = useDeleteSource()
  const { title } = source
  return (
    <ConfirmAct act={act} on={source.id} title={t('sources.delete.title')} action={t('common.delete')} done={t('sources.delete.done', { title })} onClose={onClose}>
      {t('sources.delete.text', { title })}
    </ConfirmAct>
  )
}
